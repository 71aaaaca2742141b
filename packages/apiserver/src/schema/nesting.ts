/**
 * How deep values may be nested. Everything that walks through them, from copying to freezing, calls itself
 * once a level, and a thousand levels are far from the end of any stack; real objects have about twenty.
 */
export const NESTING_LIMIT = 1000;

/** Whether a JSON value is nested deeper than the limit. */
export function isTooDeep(value: unknown, levels = NESTING_LIMIT): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (levels === 0) return true;
  if (Array.isArray(value)) {
    for (const item of value) if (isTooDeep(item, levels - 1)) return true;
    return false;
  }
  for (const name in value) {
    if (isTooDeep((value as Record<string, unknown>)[name], levels - 1)) return true;
  }
  return false;
}
