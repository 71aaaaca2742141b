import { isJsonObject, type JsonObject } from "@capstan/api";

// A number may lose digits from sixteen digits on; texts without such a number take the fast path.
const LONG = 16;

/**
 * Parses JSON without loss: an integer that a number cannot hold keeps its digits, and is written with them. Throws a
 * SyntaxError for invalid JSON.
 */
export function parseJson(text: string): unknown {
  const json = withoutByteOrderMark(text);
  return hasLongNumber(json) ? (JSON.parse(json, keepExact) as unknown) : (JSON.parse(json) as unknown);
}

/** Compute sometimes sends bodies with a byte order mark. */
export function withoutByteOrderMark(text: string): string {
  return text.startsWith("\uFEFF") ? text.slice(1) : text;
}

/** A run of this many digits covers a multiple of its length: only these positions of a long list are checked. */
function hasLongNumber(json: string): boolean {
  for (let place = 0; place < json.length; place += LONG)
    if (isDigit(json, place) && isInLongNumber(json, place)) return true;
  return false;
}

/** Scans only as far as needed: a body may consist of digits. */
function isInLongNumber(json: string, place: number): boolean {
  let from = place;
  while (place - from < LONG && isDigit(json, from - 1)) from--;
  // These digits start before the last checked position, and were checked there.
  if (place - from === LONG) return false;
  for (let next = place + 1; next < from + LONG; next++) if (!isDigit(json, next)) return false;
  return mayBeginNumber(json, from);
}

/** Digits inside a string, as in the names of disks, do not follow a colon, comma or bracket. */
function mayBeginNumber(json: string, from: number): boolean {
  let before = json[from - 1] === "-" ? from - 2 : from - 1;
  while (before >= 0 && " \t\r\n".includes(json.charAt(before))) before--;
  return before < 0 || ":,[".includes(json.charAt(before));
}

function isDigit(json: string, place: number): boolean {
  const code = json.charCodeAt(place);
  return code >= 48 && code <= 57;
}

// TypeScript's types do not have it yet.
const { rawJSON } = JSON as unknown as { rawJSON(this: void, text: string): unknown };

function keepExact(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  const source = context?.source;
  if (typeof value !== "number" || source === undefined) return value;
  return /^-?\d+$/.test(source) && !Number.isSafeInteger(value) ? rawJSON(source) : value;
}

/** Parses a body that must be an object; undefined for any other value. */
export function parseObject(text: string): JsonObject | undefined {
  try {
    const value = parseJson(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
