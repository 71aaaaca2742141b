import { isJsonObject } from "./json-object.ts";

/** The names on the way to a field. */
export type FieldPath = readonly string[];

/** Whether an object has every field of a configuration, and every item of its lists in any order. */
export function includes(object: unknown, configuration: unknown): boolean {
  if (isJsonObject(configuration)) {
    // The server does not store an empty map.
    if (!isJsonObject(object)) return Object.keys(configuration).length === 0;
    return Object.entries(configuration).every(([key, value]) => includes(object[key], value));
  }
  if (Array.isArray(configuration)) {
    if (!Array.isArray(object)) return false;
    return configuration.every((item) => object.some((one) => includes(one, item)));
  }
  return object === configuration;
}

/** The fields of a configuration that an object does not have, or has with another value. A list is one field. */
export function missingFields(
  object: unknown,
  configuration: unknown,
  path: FieldPath = [],
): readonly FieldPath[] {
  if (includes(object, configuration)) return [];
  if (!isJsonObject(configuration)) return [path];
  const fields = isJsonObject(object) ? object : {};
  return Object.entries(configuration).flatMap(([name, value]) =>
    missingFields(fields[name], value, [...path, name]),
  );
}
