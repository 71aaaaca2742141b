import { isJsonObject } from "@capstan/api";
import type { JsonObject } from "../port.ts";

// Sixteen digits are the first that a number may lose; texts without any such number are read the fast way.
const LONG = 16;

/**
 * Reads JSON so that nothing is lost: an integer that a number cannot hold is kept in its own spelling, and is
 * written back in it. Throws a SyntaxError for what is no JSON.
 */
export function parseJson(text: string): unknown {
  const json = withoutByteOrderMark(text);
  return hasLongNumber(json) ? (JSON.parse(json, keepExact) as unknown) : (JSON.parse(json) as unknown);
}

/** Compute was seen to begin bodies with a byte order mark. */
export function withoutByteOrderMark(text: string): string {
  return text.startsWith("\uFEFF") ? text.slice(1) : text;
}

/** So many digits in a row cover a place that their number divides: of a list of megabytes only these are looked at. */
function hasLongNumber(json: string): boolean {
  for (let place = 0; place < json.length; place += LONG)
    if (isDigit(json, place) && isInLongNumber(json, place)) return true;
  return false;
}

/** Looks no further than it must: an answer may be digits from end to end. */
function isInLongNumber(json: string, place: number): boolean {
  let from = place;
  while (place - from < LONG && isDigit(json, from - 1)) from--;
  // These digits begin before the place that was looked at last, and were judged there.
  if (place - from === LONG) return false;
  for (let next = place + 1; next < from + LONG; next++) if (!isDigit(json, next)) return false;
  return mayBeginNumber(json, from);
}

/** Digits inside a text, as in the names of disks, follow no colon, comma or bracket. */
function mayBeginNumber(json: string, from: number): boolean {
  let before = json[from - 1] === "-" ? from - 2 : from - 1;
  while (before >= 0 && " \t\r\n".includes(json.charAt(before))) before--;
  return before < 0 || ":,[".includes(json.charAt(before));
}

function isDigit(json: string, place: number): boolean {
  const code = json.charCodeAt(place);
  return code >= 48 && code <= 57;
}

// The types of the language do not know it yet.
const { rawJSON } = JSON as unknown as { rawJSON(this: void, text: string): unknown };

function keepExact(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  const source = context?.source;
  if (typeof value !== "number" || source === undefined) return value;
  return /^-?\d+$/.test(source) && !Number.isSafeInteger(value) ? rawJSON(source) : value;
}

/** Reads a body that must be an object; undefined when it is something else. */
export function parseObject(text: string): JsonObject | undefined {
  try {
    const value = parseJson(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
