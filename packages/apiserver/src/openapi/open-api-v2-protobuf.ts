/**
 * OpenAPI v2 as kubectl requests it: the messages of gnostic's `openapi.v2`, as far as Kubernetes' clients read
 * them. The numbers are those of the fields in its definition.
 */
import type { DocumentedKind } from "./documented-kind.ts";
import type { Schema } from "./notation.ts";
import { openApiV2Json } from "./open-api-v2.ts";
import { bytesField, message } from "./protobuf.ts";

/** The media type of the request. */
export const OPENAPI_V2_PROTOBUF = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";

/** The media type of the answer; Go's parser does not accept the character @ of the other one. */
export const OPENAPI_V2_PROTOBUF_ANSWER = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";

/** `/openapi/v2` as protobuf. */
export function openApiV2Protobuf(kinds: readonly DocumentedKind[]): Uint8Array {
  const { swagger, info, paths, definitions } = openApiV2Json(kinds);
  return message(
    bytesField(1, swagger),
    bytesField(2, message(bytesField(1, info.title), bytesField(2, info.version))),
    bytesField(8, message(named(2, paths, pathItem))),
    bytesField(9, message(named(1, definitions, schemaMessage))),
  );
}

/** A repeated field of name-value pairs: the form of a map in these messages. */
function named<T>(
  number: number,
  values: Readonly<Record<string, T>>,
  write: (value: T) => Uint8Array,
): Uint8Array[] {
  return Object.entries(values).map(([name, value]) =>
    bytesField(number, message(bytesField(1, name), bytesField(2, write(value)))),
  );
}

const METHODS: Readonly<Record<string, number>> = { get: 2, put: 3, post: 4, delete: 5, patch: 8 };

function pathItem(methods: Readonly<Record<string, Schema>>): Uint8Array {
  return message(
    Object.entries(methods).map(([method, operation]) =>
      bytesField(METHODS[method] ?? 0, operationMessage(operation)),
    ),
  );
}

function operationMessage(operation: Schema): Uint8Array {
  const parameters = (operation["parameters"] ?? []) as readonly Schema[];
  return message(
    bytesField(3, textOf(operation["description"])),
    bytesField(5, textOf(operation["operationId"])),
    // Path parameters and bodies are omitted: no client reads them.
    parameters
      .filter((one) => one["in"] === "query")
      .map((one) => bytesField(8, bytesField(1, queryParameter(one)))),
    extensions(13, operation),
  );
}

/** A query parameter, in the wrapper that distinguishes it from a body and from other parameters. */
function queryParameter({ description, name, type }: Schema): Uint8Array {
  const fields = message(
    bytesField(2, "query"),
    bytesField(3, textOf(description)),
    bytesField(4, textOf(name)),
    bytesField(6, textOf(type)),
  );
  return bytesField(2, bytesField(3, fields));
}

function schemaMessage(schema: Schema): Uint8Array {
  const { $ref, format, description, required, additionalProperties, type, items, properties } = schema;
  return message(
    optional($ref, (value) => bytesField(1, textOf(value))),
    optional(format, (value) => bytesField(2, textOf(value))),
    optional(description, (value) => bytesField(4, textOf(value))),
    optional(required, (value) => message((value as string[]).map((name) => bytesField(19, name)))),
    optional(additionalProperties, (value) => bytesField(21, bytesField(1, schemaMessage(value as Schema)))),
    optional(type, (value) => bytesField(22, bytesField(1, textOf(value)))),
    optional(items, (value) => bytesField(23, bytesField(1, schemaMessage(value as Schema)))),
    optional(properties, (value) =>
      bytesField(25, message(named(1, value as Record<string, Schema>, schemaMessage))),
    ),
    extensions(31, schema),
  );
}

/** Extensions of OpenAPI, as YAML; JSON is YAML too. */
function extensions(number: number, value: Schema): Uint8Array[] {
  const found = Object.entries(value).filter(([key]) => key.startsWith("x-"));
  return named(number, Object.fromEntries(found), (one) => bytesField(2, JSON.stringify(one)));
}

function optional(value: unknown, write: (value: unknown) => Uint8Array): Uint8Array | undefined {
  return value === undefined ? undefined : write(value);
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
