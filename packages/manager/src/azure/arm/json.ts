import { isJsonObject } from "@capstan/api";
import type { JsonObject } from "../port.ts";

// Sixteen digits are the first that a number may lose; texts without any such number are read the fast way. Digits inside
// a text, as in the names of disks, follow no colon, comma or bracket.
const LONG_NUMBER = /[:,[]\s*-?\d{16}/;

/**
 * Reads JSON so that nothing is lost: an integer that a number cannot hold is kept in its own spelling, and is
 * written back in it. Throws a SyntaxError for what is no JSON.
 */
export function parseJson(text: string): unknown {
  // Compute was seen to begin bodies with a byte order mark.
  const json = text.startsWith("\uFEFF") ? text.slice(1) : text;
  return LONG_NUMBER.test(json) ? (JSON.parse(json, keepExact) as unknown) : (JSON.parse(json) as unknown);
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
