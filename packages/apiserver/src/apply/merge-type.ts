/**
 * How apply merges values: which maps and lists have owners for their parts, and which are replaced as a whole. A type
 * can allow several forms; the value at hand then decides.
 */
import type { SchemaNode } from "../schema/node.ts";
import { keyElement, valueElement } from "./path-element.ts";

/** How values of one place are merged. */
export interface MergeType {
  readonly scalar?: ScalarType;
  readonly list?: ListType;
  readonly map?: MapType;
}

/** What a single value may be. */
export type ScalarType = "numeric" | "string" | "boolean" | "untyped";

/** How a list is merged. */
export interface ListType {
  /** Replaced as a whole, distinct values, or items with keys. */
  readonly relation: "atomic" | "set" | "map";
  readonly item: MergeType;
  /** The names of the keys, in the order of the schema. */
  readonly keys: readonly string[];
  /** The keys in the order of their names, each with its default. */
  readonly sortedKeys: readonly (readonly [name: string, byDefault: unknown])[];
}

/** How a map is merged. */
export interface MapType {
  readonly isAtomic: boolean;
  /** The declared fields. */
  readonly fields: ReadonlyMap<string, MergeType>;
  /** The type of all other entries; undefined if there may be none. */
  readonly other: MergeType | undefined;
}

/** A single value. */
export const SCALARS: Readonly<Record<ScalarType, MergeType>> = {
  numeric: { scalar: "numeric" },
  string: { scalar: "string" },
  boolean: { scalar: "boolean" },
  untyped: { scalar: "untyped" },
};

/** A list that is replaced as a whole. */
export function atomicList(item: MergeType): ListType {
  return { relation: "atomic", item, keys: [], sortedKeys: [] };
}

/** A value without a schema: maps are merged at each depth, lists are replaced. */
export const DEDUCED: MergeType = deduced();

function deduced(): MergeType {
  const type: { -readonly [Form in keyof MergeType]: MergeType[Form] } = { scalar: "untyped" };
  type.list = atomicList(type);
  type.map = { isAtomic: false, fields: new Map(), other: type };
  return type;
}

/** A value that is replaced as a whole, whatever it is. */
export const OPAQUE: MergeType = {
  scalar: "untyped",
  list: atomicList(DEDUCED),
  map: { isAtomic: true, fields: new Map(), other: DEDUCED },
};

const compiled = new WeakMap<SchemaNode, MergeType>();

/** The type of the objects of a custom kind. `metadata` is the type of the metadata of every object. */
export function mergeTypeOf(schema: SchemaNode, metadata: MergeType): MergeType {
  const known = compiled.get(schema);
  if (known) return known;
  const type = nodeType({ ...schema, embedded: true }, { metadata, isOpen: false });
  compiled.set(schema, type);
  return type;
}

interface Place {
  readonly metadata: MergeType;
  /** Whether a schema around this one preserves unknown fields. */
  readonly isOpen: boolean;
}

function nodeType(node: SchemaNode, place: Place): MergeType {
  const [type, ...more] = node.types;
  if (type === undefined) return DEDUCED;
  if (more.length > 0) return SCALARS.untyped;
  const inner = { ...place, isOpen: place.isOpen || node.open };
  if (type === "object") return { map: mapType(node, inner) };
  if (type === "array") return { list: listType(node, inner) };
  return type === "string" ? textType(node) : SCALARS[type === "boolean" ? "boolean" : "numeric"];
}

/** A text with a format can have another form in other versions, so its type is not checked here. */
function textType({ format }: SchemaNode): MergeType {
  return format === undefined || format === "byte" ? SCALARS.string : SCALARS.untyped;
}

function mapType(node: SchemaNode, place: Place): MapType {
  const { properties, additional, embedded, mapType: declared } = node;
  const fields = new Map([...properties].map(([name, child]) => [name, nodeType(child, place)]));
  if (embedded) {
    fields.set("apiVersion", SCALARS.string);
    fields.set("kind", SCALARS.string);
    fields.set("metadata", place.metadata);
  }
  return { isAtomic: declared === "atomic", fields, other: otherType(node, additional, place) };
}

function otherType(
  { properties }: SchemaNode,
  additional: SchemaNode["additional"],
  place: Place,
): MergeType | undefined {
  if (additional !== undefined && additional !== "any") return nodeType(additional, place);
  const isDeduced = additional === "any" || place.isOpen || properties.size === 0;
  return isDeduced ? DEDUCED : undefined;
}

function listType({ items, listType: relation, listMapKeys }: SchemaNode, place: Place): ListType {
  const item = items ? nodeType(items, place) : DEDUCED;
  if (relation === "set") return { ...atomicList(item), relation };
  if (relation !== "map") return atomicList(item);
  return keyedList(
    item,
    listMapKeys.map((key) => [key, items?.properties.get(key)?.default]),
  );
}

/** A list whose items have keys, each with its default. */
export function keyedList(
  item: MergeType,
  keys: readonly (readonly [name: string, byDefault: unknown])[],
): ListType {
  const sortedKeys = [...keys].sort(([a], [b]) => (a < b ? -1 : 1));
  return { relation: "map", item, keys: keys.map(([name]) => name), sortedKeys };
}

/**
 * The path element of an item of a set or list-map; undefined if the item has none: it is not an object, or it lacks
 * all keys.
 */
export function elementOf(list: ListType, item: unknown): string | undefined {
  if (list.relation === "set") return typeof item === "object" ? undefined : valueElement(item);
  const keys = keysOf(list, item);
  return keys && keys.length > 0 ? keyElement(keys) : undefined;
}

/** The keys of an item, with their defaults; undefined if it is not an object. */
export function keysOf(
  { sortedKeys }: ListType,
  item: unknown,
): readonly (readonly [string, unknown])[] | undefined {
  if (typeof item !== "object" || item === null || Array.isArray(item)) return undefined;
  const keys: [string, unknown][] = [];
  for (const [name, byDefault] of sortedKeys) {
    const value = Object.hasOwn(item, name) ? (item as Record<string, unknown>)[name] : byDefault;
    if (value !== undefined) keys.push([name, value]);
  }
  return keys;
}

/** The one form of a type that a value has; the whole type if the value is null, absent or of no allowed form. */
export function formOf(type: MergeType, value: unknown): MergeType {
  // Nearly all types have one form.
  if (value === undefined || value === null || !hasSeveralForms(type)) return type;
  const { scalar, list, map } = type;
  if (Array.isArray(value)) return list ? { list } : type;
  if (typeof value === "object") return map ? { map } : type;
  return scalar ? { scalar } : type;
}

function hasSeveralForms({ scalar, list, map }: MergeType): boolean {
  return map ? scalar !== undefined || list !== undefined : scalar !== undefined && list !== undefined;
}

/** The type of the value at an element of a path; undefined if the type has no such element. */
export function innerType({ map, list }: MergeType, element: string): MergeType | undefined {
  if (element.startsWith("f:")) return map && entryType(map, element.slice(2));
  return element.startsWith("k:") ? list?.item : undefined;
}

/** The type of an entry of a map. */
export function entryType({ fields, other }: MapType, name: string): MergeType {
  return fields.get(name) ?? other ?? DEDUCED;
}

/** An entry of a map; undefined if there is none. */
export function own(map: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(map, name) ? map[name] : undefined;
}

/** Whether a value is an object and not a list. */
export function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
