import { isJsonObject } from "../values/json-object.ts";
import type { FieldPath } from "../values/includes.ts";
import type { Frozen, ObjectMeta } from "./meta.ts";

/** The field managers that own a field of an object; what the server or a webhook filled in has none. */
export function managersOf(
  { metadata }: { readonly metadata: Pick<Frozen<ObjectMeta>, "managedFields"> },
  path: FieldPath,
): readonly string[] {
  const entries: readonly unknown[] = metadata.managedFields ?? [];
  const names = path.map((name) => `f:${name}`);
  return entries.flatMap((entry) => {
    if (!isJsonObject(entry) || typeof entry["manager"] !== "string") return [];
    return valueAt(entry["fieldsV1"], names) === undefined ? [] : [entry["manager"]];
  });
}

/** The value of a field; undefined when the object does not have it. */
export function valueAt(object: unknown, path: FieldPath): unknown {
  let value = object;
  for (const name of path)
    value = isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  return value;
}
