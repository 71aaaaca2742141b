import { isJsonObject } from "@capstan/api";
import type { ItemReader } from "../port.ts";
import { parseJson, withoutByteOrderMark } from "./json.ts";

/** The fields of a page besides its items; undefined when it has no list of items. */
export interface Page {
  readonly nextLink?: string;
}

/**
 * Reads a page item by item, because most items of a long list are the same as in the last list: a recognized item is
 * skipped, and only the others are parsed. Throws a SyntaxError for invalid JSON.
 */
export function readPage(text: string, reader: ItemReader): Page | undefined {
  const json = withoutByteOrderMark(text);
  let isList = false;
  let nextLink: unknown;
  const end = eachIn(json, afterSpace(json, 0), {
    brackets: "{}",
    read: (from) => {
      const colon = endOfValue(json, from);
      const name = parseJson(json.slice(from, colon));
      if (json[colon] !== ":") throw unexpected(json, colon);
      const at = afterSpace(json, colon + 1);
      if (name === "value") {
        isList = true;
        return eachIn(json, at, { brackets: "[]", read: (item) => readItem(json, item, reader) });
      }
      const after = endOfValue(json, at);
      const value = parseJson(json.slice(at, after));
      if (name === "nextLink") nextLink = value;
      return after;
    },
  });
  if (afterSpace(json, end) < json.length) throw unexpected(json, end);
  if (!isList) return undefined;
  return typeof nextLink === "string" && nextLink !== "" ? { nextLink } : {};
}

/** Recognizes or parses the item at this position, and returns its end. */
function readItem(json: string, from: number, { recognize, take }: ItemReader): number {
  const length = recognize?.(json, from) ?? 0;
  if (length > 0) return from + length;
  const end = endOfValue(json, from);
  const text = json.slice(from, end);
  const item = parseJson(text);
  if (!isJsonObject(item)) throw unexpected(json, from);
  take(item, text);
  return end;
}

/** Reads the values between two brackets; `read` returns the end of one value, and the result is the end of all. */
function eachIn(
  json: string,
  from: number,
  { brackets, read }: { readonly brackets: "{}" | "[]"; readonly read: (at: number) => number },
): number {
  if (json[from] !== brackets[0]) throw unexpected(json, from);
  let at = afterSpace(json, from + 1);
  if (json[at] === brackets[1]) return at + 1;
  for (;;) {
    at = afterSpace(json, read(at));
    if (json[at] === brackets[1]) return at + 1;
    if (json[at] !== ",") throw unexpected(json, at);
    at = afterSpace(json, at + 1);
  }
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
// A bracket differs from a brace by one bit, which is set in braces.
const BRACE_BIT = 0x20;
const OPENING = 0x7b;
const CLOSING = 0x7d;

/** The end of the value at this position. It is not validated here; the parser does that. */
function endOfValue(json: string, from: number): number {
  let depth = 0;
  for (let at = from; at < json.length; at++) {
    const code = json.charCodeAt(at);
    if (code === QUOTE) at = endOfText(json, at);
    else if ((code | BRACE_BIT) === OPENING) depth++;
    else if ((code | BRACE_BIT) === CLOSING && --depth <= 0) return depth < 0 ? at : at + 1;
    else if (depth === 0 && (code === COMMA || code === COLON)) return at;
  }
  throw unexpected(json, json.length);
}

/** The position of a string's closing quote. */
function endOfText(json: string, from: number): number {
  for (let at = json.indexOf('"', from + 1); at >= 0; at = json.indexOf('"', at + 1)) {
    let backslashes = 0;
    while (json[at - 1 - backslashes] === "\\") backslashes++;
    if (backslashes % 2 === 0) return at;
  }
  throw unexpected(json, json.length);
}

function afterSpace(json: string, from: number): number {
  let at = from;
  while (" \t\r\n".includes(json[at] ?? "x")) at++;
  return at;
}

function unexpected(json: string, at: number): SyntaxError {
  return new SyntaxError(`unexpected ${json[at] ?? "end"} at position ${at} of a page`);
}
