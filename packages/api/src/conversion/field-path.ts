/** Fields of JSON objects by their paths, such as `spec.rollout.strategy`. */
import { deepEqual } from "../values/deep-equal.ts";
import { isJsonObject, type JsonObject } from "../values/json-object.ts";

/** A JSON object that is being converted. */
export type Fields = Record<string, unknown>;

/** The names on the way to a field. */
export type FieldPath = readonly string[];

/** The names in a path. */
export function fieldPath(text: string): FieldPath {
  return text.split(".");
}

/** The value at a path; undefined if there is none. */
export function fieldAt(object: JsonObject, path: FieldPath): unknown {
  let value: unknown = object;
  for (const name of path) {
    if (!isJsonObject(value) || !Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  return value;
}

// Objects that mean something even if they are empty: others are there only for their fields.
const KEPT_WHEN_EMPTY: ReadonlySet<string> = new Set(["spec", "status", "metadata", "template"]);

/** Removes the value at a path and returns it. Objects that become empty go with it. */
export function takeField(object: Fields, path: FieldPath): unknown {
  const value = fieldAt(object, path);
  // Most fields of most objects are not set.
  if (value === undefined) return undefined;
  const holders = holdersOf(object, path);
  for (let depth = path.length - 1; depth >= 0; depth--) {
    const holder = holders[depth];
    const name = path[depth];
    if (!holder || name === undefined) break;
    delete holder[name];
    if (Object.keys(holder).length > 0 || KEPT_WHEN_EMPTY.has(path[depth - 1] ?? "")) break;
  }
  return value;
}

/** The objects on the way to a field, the outermost first. */
function holdersOf(object: Fields, path: FieldPath): Fields[] {
  const holders = [object];
  for (const name of path.slice(0, -1)) {
    const inner = holders.at(-1)?.[name];
    if (!isJsonObject(inner)) break;
    holders.push(inner);
  }
  return holders;
}

/** Sets the value at a path, with all objects on the way. Anything but an object on the way is left alone. */
export function putField(object: Fields, path: FieldPath, value: unknown): void {
  let holder: unknown = object;
  for (const [index, name] of path.entries()) {
    if (!isJsonObject(holder)) return;
    if (index === path.length - 1) (holder as Fields)[name] = value;
    else holder = (holder as Fields)[name] ??= {};
  }
}

/** Whether an object has no fields. */
export function isEmptyObject(value: unknown): boolean {
  return deepEqual(value, {});
}
