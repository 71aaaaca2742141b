/**
 * How deep values may be nested. Every recursion over them, from copying to freezing, takes one call per level, and a
 * thousand levels fit in any stack; real objects have about twenty.
 */
export const NESTING_LIMIT = 1000;

/** Whether a JSON value is nested deeper than the limit. */
export function isTooDeep(value: unknown): boolean {
  return isInner(value) && isDeeper(value, NESTING_LIMIT);
}

/** Recurses only into values with content: nearly all values are texts and numbers. */
function isDeeper(value: object, levels: number): boolean {
  if (levels === 0) return true;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) {
      const one: unknown = value[index];
      if (isInner(one) && isDeeper(one, levels - 1)) return true;
    }
    return false;
  }
  for (const key in value) {
    const one = (value as Readonly<Record<string, unknown>>)[key];
    if (isInner(one) && isDeeper(one, levels - 1)) return true;
  }
  return false;
}

function isInner(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
