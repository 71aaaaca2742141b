/** The fields of an object. */
export type Fields = Readonly<Record<string, unknown>>;

/** The key under which an object of a patch says what is to be done with it. */
export const PATCH = "$patch";

/** The key that lists all fields an object is to keep. */
export const RETAIN_KEYS = "$retainKeys";

/** What the key of a list begins with that gives the order of another list. */
export const SET_ELEMENT_ORDER = "$setElementOrder";

/** What the key of a list begins with whose items are to be taken out of another list. */
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

/** A value of a patch for a place where nothing was: objects that only say what to do with what was there vanish. */
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
