/** How apply merges Kubernetes' own kinds, from the same notation as OpenAPI and the merge keys. */
import { builtInSchemas } from "../openapi/built-in/blocks.ts";
import { type Schema, SCHEMAS as REFERENCE } from "../openapi/notation.ts";
import { schemaName } from "../openapi/schemas.ts";
import {
  atomicList,
  DEDUCED,
  keyedList,
  type ListType,
  type MapType,
  type MergeType,
  OPAQUE,
  SCALARS,
} from "./merge-type.ts";

const META = "io.k8s.apimachinery.pkg.apis.meta.v1";

/** The type of the metadata of every object. */
export function metadataType(): MergeType {
  return namedType(`${META}.ObjectMeta`, undefined);
}

/** The type of the objects of one of Kubernetes' own kinds; undefined for every other kind. */
export function builtInType(kind: { group: string; version: string; kind: string }): MergeType | undefined {
  const name = schemaName(kind);
  return builtInSchemas().has(name) ? namedType(name, undefined) : undefined;
}

const named = new Map<string, MergeType>();

/** The type of a schema; `mapType` is that of the field that refers to it, and overrides its own. */
function namedType(name: string, mapType: string | undefined): MergeType {
  const isAtomic = (mapType ?? builtInSchemas().get(name)?.["x-kubernetes-map-type"]) === "atomic";
  const key = `${name} ${String(isAtomic)}`;
  const known = named.get(key);
  if (known) return known;
  const fields = new Map<string, MergeType>();
  // Known before its fields are read, because types can contain themselves.
  const type: MergeType = { map: { isAtomic, fields, other: undefined } };
  named.set(key, type);
  for (const [field, one] of Object.entries(structOf(name).properties)) fields.set(field, typeOf(one));
  return type;
}

/** A schema of the notation, as far as merging needs it. */
interface Hints {
  readonly type?: string;
  readonly format?: string;
  readonly items?: Schema;
  readonly additionalProperties?: Schema;
  readonly allOf?: readonly { readonly $ref?: string }[];
  readonly $ref?: string;
  readonly "x-kubernetes-map-type"?: string;
  readonly "x-kubernetes-list-type"?: string;
  readonly "x-kubernetes-list-map-keys"?: readonly string[];
}

function typeOf(schema: Schema): MergeType {
  const hints = schema as Hints;
  const reference = referenceIn(hints);
  if (reference !== undefined) return namedType(reference, hints["x-kubernetes-map-type"]);
  if (hints.type === "array") return { list: listOf(hints) };
  if (hints.type === "object")
    return hints.additionalProperties ? { map: mapOf(hints, hints.additionalProperties) } : OPAQUE;
  return scalarOf(hints);
}

/** The name of the type that a schema refers to. */
function referenceIn({ $ref, allOf }: Hints): string | undefined {
  return ($ref ?? allOf?.[0]?.$ref)?.slice(REFERENCE.length);
}

function scalarOf({ type, format }: Hints): MergeType {
  if (type === "boolean") return SCALARS.boolean;
  if (type === "integer" || type === "number") return SCALARS.numeric;
  const isText = type === "string" && (format === undefined || format === "byte");
  return isText ? SCALARS.string : SCALARS.untyped;
}

function mapOf(hints: Hints, values: Schema): MapType {
  return { isAtomic: hints["x-kubernetes-map-type"] === "atomic", fields: new Map(), other: typeOf(values) };
}

function listOf({ items = {}, ...hints }: Hints): ListType {
  const item = typeOf(items);
  const relation = hints["x-kubernetes-list-type"];
  if (relation === "set") return { ...atomicList(item), relation };
  if (relation !== "map") return atomicList(item);
  const keys = hints["x-kubernetes-list-map-keys"] ?? [];
  return keyedList(
    item,
    keys.map((key) => [key, keyDefault(items, key)]),
  );
}

/** A key that is always printed in Go is zero or empty by default. */
function keyDefault(items: Schema, key: string): unknown {
  const { properties, required } = structOf(referenceIn(items) ?? "");
  const byDefault = properties[key]?.["default"];
  if (byDefault !== undefined || !required.includes(key)) return byDefault;
  return properties[key]?.["type"] === "integer" ? 0 : "";
}

interface Struct {
  readonly properties: Readonly<Record<string, Schema>>;
  readonly required: readonly string[];
}

function structOf(name: string): Struct {
  const { properties = {}, required = [] } = (builtInSchemas().get(name) ?? {}) as Partial<Struct>;
  return { properties, required };
}

const empties = new Map<string, Readonly<Record<string, unknown>>>();

/**
 * The empty object of a kind, with which a create is compared: in Go it has every struct that is not a pointer, and
 * every list that is always printed.
 */
export function emptyBuiltIn(kind: {
  group: string;
  version: string;
  kind: string;
}): Readonly<Record<string, unknown>> {
  const name = schemaName(kind);
  const known = empties.get(name);
  if (known) return known;
  const empty = { metadata: {}, ...emptyOf(name) };
  empties.set(name, empty);
  return empty;
}

function emptyOf(name: string): Record<string, unknown> {
  const { properties, required } = structOf(name);
  const empty: Record<string, unknown> = {};
  for (const [field, schema] of Object.entries(properties)) {
    const reference = referenceIn(schema);
    if (reference !== undefined && typeof schema["default"] === "object") empty[field] = emptyOf(reference);
    else if (schema["type"] === "array" && required.includes(field)) empty[field] = null;
  }
  return empty;
}

/** The type of objects that have no schema at all. */
export const SCHEMALESS: MergeType = DEDUCED;
