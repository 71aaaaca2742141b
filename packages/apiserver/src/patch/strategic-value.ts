/** The fields of an object. */
export type Fields = Readonly<Record<string, unknown>>;

/** The key of a directive for an object of a patch. */
export const PATCH = "$patch";

/** The key that lists all fields that an object retains. */
export const RETAIN_KEYS = "$retainKeys";

/** The prefix of the key of a list that gives the order of another list. */
export const SET_ELEMENT_ORDER = "$setElementOrder";

/** The prefix of the key of a list whose items are removed from another list. */
export const DELETE_FROM_LIST = "$deleteFromPrimitiveList";

/** Whether a value is an object with fields. */
export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A value of a patch as it is stored: without nulls, which only delete, and without directives. */
export function taken(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(taken);
  if (!isFields(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key, field]) => field !== null && !isDirective(key))
      .map(([key, field]) => [key, taken(field)]),
  );
}

/** A value of a patch for a new field: objects that contain only directives are dropped. */
export function added(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(added).filter((item) => item !== undefined);
  if (!isFields(value)) return value;
  if (Object.hasOwn(value, PATCH)) return undefined;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key, field]) => field !== null && !isDirective(key))
      .map(([key, field]) => [key, added(field)] as const)
      .filter(([, field]) => field !== undefined),
  );
}

function isDirective(key: string): boolean {
  return (
    key === PATCH ||
    key === RETAIN_KEYS ||
    key.startsWith(SET_ELEMENT_ORDER) ||
    key.startsWith(DELETE_FROM_LIST)
  );
}
