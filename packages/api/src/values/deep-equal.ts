/**
 * Whether two JSON values are equal: the order of fields does not matter, and an undefined field is a missing one. An
 * empty object is not equal to a missing one, because the presence of some fields has a meaning.
 */
export function deepEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a) || Array.isArray(b)) return Array.isArray(a) && Array.isArray(b) && equalLists(a, b);
  return equalObjects(a, b);
}

function equalLists(a: readonly unknown[], b: readonly unknown[]): boolean {
  if (a.length !== b.length) return false;
  for (let index = 0; index < a.length; index++)
    if (a[index] !== b[index] && !deepEqual(a[index], b[index])) return false;
  return true;
}

type Fields = Readonly<Record<string, unknown>>;

// Only own fields count: a key such as `__proto__` or `constructor` must be data like any other.
function equalObjects(a: object, b: object): boolean {
  let fields = 0;
  for (const key in a) {
    const value = (a as Fields)[key];
    if (value === undefined) continue;
    const other = (b as Fields)[key];
    // No inherited value is a JSON value, so identical values are own fields.
    if (value !== other && (!Object.hasOwn(b, key) || !deepEqual(value, other))) return false;
    fields++;
  }
  for (const key in b) if ((b as Fields)[key] !== undefined) fields--;
  return fields === 0;
}
