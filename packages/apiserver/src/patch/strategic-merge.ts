import { badFormat, StrategicMergeError, unknownDirective, wrongType } from "./strategic-error.ts";
import { checkOrder, inOrder, type ItemMerge, mergeLists, removeFromList } from "./strategic-list.ts";
import { type FieldMerge, fieldMerge, listFieldMerge, type MergeSchema } from "./strategic-schema.ts";
import {
  added,
  DELETE_FROM_LIST,
  type Fields,
  isFields,
  PATCH,
  RETAIN_KEYS,
  SET_ELEMENT_ORDER,
  taken,
} from "./strategic-value.ts";

/**
 * Merges a patch into an object as kube-apiserver does for its own kinds: objects are merged field by field, null
 * deletes, and lists are merged item by item where the schema has a merge key.
 */
export function strategicMergePatch(original: unknown, patch: unknown, schema: MergeSchema): unknown {
  if (!isFields(patch)) throw new StrategicMergeError("a strategic merge patch must be an object", 400);
  return structuredClone(mergeFields(isFields(original) ? original : {}, patch, schema));
}

function mergeFields(original: Fields, patch: Fields, schema: MergeSchema): Fields {
  if (Object.hasOwn(patch, PATCH)) return byDirective(patch);
  // Maps, because a key such as `__proto__` is data like any other.
  const result = new Map(Object.entries(retained(original, patch)));
  const rest = new Map(Object.entries(patch));
  rest.delete(RETAIN_KEYS);
  for (const [key, wanted] of Object.entries(patch)) {
    if (!key.startsWith(SET_ELEMENT_ORDER)) continue;
    const name = fieldNamedBy(key);
    const list = orderedList({ original: result, patch: rest, name }, wanted, schema);
    rest.delete(key);
    rest.delete(name);
    if (list) result.set(name, list);
  }
  for (const [key, value] of rest) mergeField(result, [key, value], schema);
  return Object.fromEntries(result);
}

function byDirective(patch: Fields): Fields {
  const directive = patch[PATCH];
  if (directive === "delete") return {};
  if (directive === "replace") return taken(patch) as Fields;
  throw unknownDirective(directive, patch);
}

/** The fields of an object that a patch retains, if it lists them. */
function retained(original: Fields, patch: Fields): Fields {
  if (!Object.hasOwn(patch, RETAIN_KEYS)) return original;
  const keys = patch[RETAIN_KEYS];
  if (!Array.isArray(keys)) throw badFormat("retainKeys");
  const kept = new Set<unknown>(keys);
  const isListed = ([key, value]: [string, unknown]): boolean =>
    key === RETAIN_KEYS ||
    value === null ||
    key.startsWith(DELETE_FROM_LIST) ||
    key.startsWith(SET_ELEMENT_ORDER) ||
    kept.has(key);
  if (!Object.entries(patch).every(isListed)) throw badFormat("retainKeys");
  return Object.fromEntries(Object.entries(original).filter(([key]) => kept.has(key)));
}

interface OrderedField {
  readonly original: ReadonlyMap<string, unknown>;
  readonly patch: ReadonlyMap<string, unknown>;
  readonly name: string;
}

/** The merged list of a field whose order the patch gives; undefined if there is no list. */
function orderedList({ original, patch, name }: OrderedField, wanted: unknown, schema: MergeSchema): unknown {
  const order = listOrThrow(wanted);
  const live = original.has(name) ? listOrThrow(original.get(name)) : undefined;
  const change = patch.has(name) ? listOrThrow(patch.get(name)) : undefined;
  const field = listFieldMerge(schema, name);
  checkOrder(change ?? [], order, field.key);
  if (!live && !change) return undefined;
  return inOrder(mergedList(live, change, field), order, { live: live ?? [], key: field.key });
}

function mergedList(
  live: readonly unknown[] | undefined,
  change: readonly unknown[] | undefined,
  field: FieldMerge,
): readonly unknown[] {
  if (!change) return live ?? [];
  return live ? mergeListField(live, change, field) : (added(change) as unknown[]);
}

function listOrThrow(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw wrongType([], value);
  return value;
}

function mergeField(
  result: Map<string, unknown>,
  [key, value]: [string, unknown],
  schema: MergeSchema,
): void {
  const isDeletion = key.startsWith(DELETE_FROM_LIST);
  const name = isDeletion ? fieldNamedBy(key) : key;
  const current = result.get(name);
  const merged = isDeletion
    ? withoutItems(current, value)
    : mergeValue(current, value, fieldMerge(schema, name));
  if (merged === undefined) result.delete(name);
  else result.set(name, merged);
}

/** The list without the given items; undefined deletes it. */
function withoutItems(current: unknown, items: unknown): unknown {
  if (items === null) return undefined;
  return Array.isArray(current) && Array.isArray(items) ? removeFromList(current, items) : current;
}

/** The result of merging a value of the patch into a value; undefined deletes it. */
function mergeValue(current: unknown, value: unknown, field: FieldMerge): unknown {
  if (value === null) return undefined;
  if (Array.isArray(current) && Array.isArray(value)) return mergeListField(current, value, field);
  if (!isFields(current) || !isFields(value)) return added(value);
  return field.strategy === "replace" ? taken(value) : mergeFields(current, value, field.schema);
}

function mergeListField(
  original: readonly unknown[],
  patch: readonly unknown[],
  field: FieldMerge,
): readonly unknown[] {
  if (field.strategy !== "merge") return taken(patch) as unknown[];
  const items: ItemMerge = {
    key: field.key,
    merge: (one, other) => mergeFields(one, other, field.schema),
  };
  return mergeLists(original, patch, items);
}

/** The field of a directive such as `$setElementOrder/containers`. */
function fieldNamedBy(directive: string): string {
  const [prefix, name] = splitOnce(directive);
  if (name !== undefined && (prefix === SET_ELEMENT_ORDER || prefix === DELETE_FROM_LIST)) return name;
  throw badFormat(directive.startsWith(SET_ELEMENT_ORDER) ? "setElementOrder list" : "primitive list");
}

function splitOnce(text: string): [string, string | undefined] {
  const slash = text.indexOf("/");
  return slash < 0 ? [text, undefined] : [text.slice(0, slash), text.slice(slash + 1)];
}
