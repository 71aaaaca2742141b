/**
 * Whether two JSON values mean the same: the order of fields does not matter, and a field that is undefined
 * is a field that is not there. An empty object is not the same as none, because some fields work by being there.
 */
export function deepEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a) || Array.isArray(b)) return Array.isArray(a) && Array.isArray(b) && equalLists(a, b);
  return equalObjects(a, b);
}

function equalLists(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((item, index) => deepEqual(item, b[index]));
}

function equalObjects(a: object, b: object): boolean {
  const left = presentFields(a);
  const right = presentFields(b);
  if (left.length !== right.length) return false;
  const others = new Map(right);
  return left.every(([key, value]) => others.has(key) && deepEqual(value, others.get(key)));
}

// Entries rather than look-ups by name: a key such as `__proto__` or `constructor` must be data like any other.
function presentFields(value: object): [string, unknown][] {
  return Object.entries(value).filter(([, field]) => field !== undefined);
}
