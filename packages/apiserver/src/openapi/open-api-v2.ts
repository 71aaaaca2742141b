import type { DocumentedKind } from "./documented-kind.ts";
import { type Schema, SCHEMAS } from "./notation.ts";
import { type Operation, operationsOf } from "./operations.ts";
import { schemasOf } from "./schemas.ts";

/** A whole document of OpenAPI v2, for kubectl that predates v3. */
export interface OpenApiV2 {
  readonly swagger: "2.0";
  readonly info: { readonly title: string; readonly version: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Schema>>>>;
  readonly definitions: Readonly<Record<string, Schema>>;
}

/** `/openapi/v2` as JSON: all kinds in one document. */
export function openApiV2Json(kinds: readonly DocumentedKind[]): OpenApiV2 {
  const byPath = Object.groupBy(kinds.flatMap(operationsOf), ({ path }) => path);
  return {
    swagger: "2.0",
    info: { title: "Kubernetes", version: "v1" },
    paths: Object.fromEntries(
      Object.entries(byPath).map(([path, there = []]) => [
        path,
        Object.fromEntries(there.map((operation) => [operation.method, operationObject(operation)])),
      ]),
    ),
    definitions: mapValues(schemasOf(kinds), toV2),
  };
}

function operationObject({ id, description, query, kind, action, path, body, answer }: Operation): Schema {
  const inPath = ["name", "namespace"].filter((name) => path.includes(`{${name}}`));
  return {
    description,
    operationId: id,
    parameters: [
      ...query.map((one) => ({ ...one, in: "query", uniqueItems: true })),
      ...inPath.map((name) => ({ name, in: "path", type: "string", required: true })),
      ...(body === undefined
        ? []
        : [{ name: "body", in: "body", schema: { $ref: `${DEFINITIONS}${body}` } }]),
    ],
    responses: { "200": { description: "OK", schema: { $ref: `${DEFINITIONS}${answer}` } } },
    "x-kubernetes-action": action,
    "x-kubernetes-group-version-kind": kind,
  };
}

const DEFINITIONS = "#/definitions/";

/**
 * Converts a schema to v2, which can express less than v3.
 *
 * Old kubectl validates manifests against it before it sends them and refuses unknown fields. So everything that v2
 * cannot express becomes any value: nullable values, values with further fields, and values of several types.
 */
export function toV2(schema: Schema): Schema {
  const kept = Object.fromEntries(
    Object.entries(schema).filter(
      ([key]) => key === "description" || key === "format" || isKeptExtension(key),
    ),
  );
  const reference = referenceOf(schema);
  if (reference !== undefined) return { ...kept, $ref: reference.replace(SCHEMAS, DEFINITIONS) };
  if (schema["nullable"] === true || schema["x-kubernetes-int-or-string"] === true) return kept;
  return { ...kept, ...typeOf(schema), ...contentOf(schema) };
}

// The extensions that clients read in v2; others are for the server only.
const EXTENSIONS: ReadonlySet<string> = new Set([
  "x-kubernetes-group-version-kind",
  "x-kubernetes-list-map-keys",
  "x-kubernetes-list-type",
  "x-kubernetes-map-type",
  "x-kubernetes-patch-merge-key",
  "x-kubernetes-patch-strategy",
]);

function isKeptExtension(key: string): boolean {
  return EXTENSIONS.has(key);
}

function referenceOf({ $ref, allOf }: Schema): string | undefined {
  if (typeof $ref === "string") return $ref;
  return Array.isArray(allOf) && allOf.length === 1 ? referenceOf(allOf[0] as Schema) : undefined;
}

/** v2 accepts a number for a string, so an int-or-string is a string. */
function typeOf({ type, oneOf }: Schema): Schema {
  if (type !== undefined) return { type };
  return Array.isArray(oneOf) && oneOf.some((one: Schema) => one["type"] === "string")
    ? { type: "string" }
    : {};
}

function contentOf(schema: Schema): Schema {
  if (schema["x-kubernetes-preserve-unknown-fields"] === true) return {};
  const { properties, items, additionalProperties, required } = schema as Readonly<
    Record<string, Schema | undefined>
  >;
  return {
    ...(properties && { properties: mapValues(properties as Readonly<Record<string, Schema>>, toV2) }),
    ...(properties && required && { required }),
    ...(items && { items: toV2(items) }),
    ...(typeof additionalProperties === "object" && { additionalProperties: toV2(additionalProperties) }),
  };
}

function mapValues<A, B>(record: Readonly<Record<string, A>>, change: (value: A) => B): Record<string, B> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]));
}
