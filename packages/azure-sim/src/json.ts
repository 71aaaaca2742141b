/** A JSON object whose fields are not validated yet. */
export type JsonObject = { readonly [field: string]: unknown };

/** Whether the value is a JSON object, not a list or null. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value at a path of fields; undefined where the path does not exist. */
export function valueAt(value: unknown, ...path: readonly string[]): unknown {
  let current = value;
  for (const field of path) {
    if (!isObject(current)) return undefined;
    current = current[field];
  }
  return current;
}

/** The object at a path; an empty one where it does not exist. */
export function objectAt(value: unknown, ...path: readonly string[]): JsonObject {
  const found = valueAt(value, ...path);
  return isObject(found) ? found : {};
}

/** The text at a path; undefined where it does not exist. */
export function textAt(value: unknown, ...path: readonly string[]): string | undefined {
  const found = valueAt(value, ...path);
  return typeof found === "string" ? found : undefined;
}

/** The objects of the list at a path; other items are skipped. */
export function objectsAt(value: unknown, ...path: readonly string[]): readonly JsonObject[] {
  const found = valueAt(value, ...path);
  return Array.isArray(found) ? found.filter(isObject) : [];
}

/** A private, frozen copy: a caller in this process keeps its own object, and cannot change ours. */
export function frozenCopy<T>(value: T): T {
  if (Array.isArray(value)) return Object.freeze(value.map(frozenCopy)) as T;
  if (!isObject(value)) return value;
  // A plain assignment would lose a field that is called `__proto__`.
  const fields = Object.entries(value).map(([field, content]) => [field, frozenCopy(content)] as const);
  return Object.freeze(Object.fromEntries(fields)) as T;
}

/** A JSON merge patch (RFC 7386): objects are merged, null removes, everything else replaces. */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const merged = new Map(Object.entries(isObject(target) ? target : {}));
  for (const [field, value] of Object.entries(patch)) {
    if (value === null) merged.delete(field);
    else merged.set(field, mergePatch(merged.get(field), value));
  }
  return Object.fromEntries(merged);
}

/** The same text for equal values, regardless of the order of their fields. */
export function canonicalText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalText).join(",")}]`;
  if (!isObject(value)) return JSON.stringify(value) ?? "null";
  const fields = Object.keys(value)
    .filter((field) => value[field] !== undefined)
    .sort();
  return `{${fields.map((field) => `${JSON.stringify(field)}:${canonicalText(value[field])}`).join(",")}}`;
}

/** Whether two values are equal as JSON. */
export function sameJson(one: unknown, other: unknown): boolean {
  return canonicalText(one) === canonicalText(other);
}
