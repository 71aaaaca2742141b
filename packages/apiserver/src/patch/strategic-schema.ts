import { builtInSchemas } from "../openapi/built-in/blocks.ts";
import { type Schema, SCHEMAS } from "../openapi/notation.ts";
import { StrategicMergeError } from "./strategic-error.ts";

/** How the fields of a type are merged. */
export interface MergeSchema {
  /** The name of the type; empty if it is unknown. */
  readonly name: string;
  readonly fields: ReadonlyMap<string, FieldMerge>;
}

/** How a field is merged. */
export interface FieldMerge {
  readonly strategy: "merge" | "replace" | undefined;
  /** The merge key of a list; empty if there is none. */
  readonly key: string;
  /** The type of the field, or of the items of a list. */
  readonly schema: MergeSchema;
}

/** An unknown type: lists are replaced, objects are merged. */
const UNKNOWN: MergeSchema = { name: "", fields: new Map() };

const UNKNOWN_FIELD: FieldMerge = { strategy: undefined, key: "", schema: UNKNOWN };

/** How a field of a type is merged. */
export function fieldMerge(schema: MergeSchema, name: string): FieldMerge {
  return schema.fields.get(name) ?? UNKNOWN_FIELD;
}

/** How a list with a given order is merged; its field must exist. */
export function listFieldMerge(schema: MergeSchema, name: string): FieldMerge {
  const field = schema.fields.get(name);
  if (field || schema.name === "") return field ?? UNKNOWN_FIELD;
  throw new StrategicMergeError(
    `unable to find api field in struct ${schema.name} for the json field ${JSON.stringify(name)}`,
  );
}

const known = new Map<string, MergeSchema>();

/** How objects of one of Kubernetes' own kinds are merged; undefined for every other kind. */
export function mergeSchemaOf(kind: {
  group: string;
  version: string;
  kind: string;
}): MergeSchema | undefined {
  const found = [...builtInSchemas()].find(([, schema]) => isOf(schema, kind));
  return found && mergeSchemaNamed(found[0]);
}

function isOf(
  schema: Schema,
  { group, version, kind }: { group: string; version: string; kind: string },
): boolean {
  const kinds = (schema["x-kubernetes-group-version-kind"] ?? []) as readonly Record<string, string>[];
  return kinds.some((one) => one["group"] === group && one["version"] === version && one["kind"] === kind);
}

function mergeSchemaNamed(fullName: string): MergeSchema {
  const before = known.get(fullName);
  if (before) return before;
  const properties = (builtInSchemas().get(fullName)?.["properties"] ?? {}) as Readonly<
    Record<string, Schema>
  >;
  const schema: MergeSchema = {
    name: fullName.slice(fullName.lastIndexOf(".") + 1),
    fields: new Map(Object.entries(properties).map(([name, field]) => [name, readField(field)])),
  };
  known.set(fullName, schema);
  return schema;
}

/** The merge options of a field in a schema. */
interface MergeHints {
  readonly "x-kubernetes-patch-strategy"?: string;
  readonly "x-kubernetes-patch-merge-key"?: string;
  readonly allOf?: readonly { readonly $ref: string }[];
  readonly items?: { readonly $ref?: string };
}

function readField(field: Schema): FieldMerge {
  const hints = field as MergeHints;
  const strategies = hints["x-kubernetes-patch-strategy"]?.split(",") ?? [];
  // The type of the field, or of the items of a list.
  const reference = hints.allOf?.[0]?.$ref ?? hints.items?.$ref;
  return {
    strategy: (["merge", "replace"] as const).find((one) => strategies.includes(one)),
    key: hints["x-kubernetes-patch-merge-key"] ?? "",
    schema: reference === undefined ? UNKNOWN : mergeSchemaNamed(reference.slice(SCHEMAS.length)),
  };
}
