/**
 * The elements of field paths, as texts of FieldsV1: `f:` and the name of a field or map entry, `k:` and the keys of an
 * item of a list-map as JSON, `v:` and the value of a member of a set as JSON, `i:` and an index. Equal elements have
 * equal texts.
 */
import { parseJson } from "../json.ts";
import { goJson } from "../schema/go-text.ts";

/** The element of a field or map entry. */
export function fieldElement(name: string): string {
  return `f:${name}`;
}

const PLAIN_TEXT = /^[\w ./:@-]*$/;

/** The element of a member of a set. */
export function valueElement(value: unknown): string {
  return typeof value === "string" && PLAIN_TEXT.test(value) ? `v:"${value}"` : `v:${goJson(value)}`;
}

/** The element of an item of a list-map. The keys must be in the order of their names. */
export function keyElement(keys: readonly (readonly [string, unknown])[]): string {
  const [only] = keys;
  // Nearly all list-maps have one key, a plain text.
  if (only && keys.length === 1 && typeof only[1] === "string" && PLAIN_TEXT.test(only[1]))
    return `k:{"${only[0]}":"${only[1]}"}`;
  return `k:${goJson(Object.fromEntries(keys))}`;
}

/** The canonical text of an element that a client sent; undefined if it is not one. */
export function readElement(text: string): string | undefined {
  const rest = text.slice(2);
  switch (text.slice(0, 2)) {
    case "f:":
      return text;
    case "v:": {
      const value = parsed(rest);
      return value === undefined ? undefined : valueElement(value);
    }
    case "k:": {
      const keys = parsed(rest);
      return isRecord(keys) ? `k:${goJson(keys)}` : undefined;
    }
    case "i:":
      return /^-?\d{1,15}$/.test(rest) ? `i:${Number(rest)}` : undefined;
    default:
      return undefined;
  }
}

function parsed(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

/** An element as messages show it: `.name`, `[name="a"]`, `[="x"]`, `[0]`. */
export function shownElement(element: string): string {
  const rest = element.slice(2);
  if (element.startsWith("f:")) return `.${rest}`;
  if (element.startsWith("v:")) return `[=${shownValue(parseJson(rest))}]`;
  if (!element.startsWith("k:")) return `[${rest}]`;
  const keys = Object.entries(parseJson(rest) as Record<string, unknown>);
  return `[${keys.map(([name, value]) => `${name}=${shownValue(value)}`).join(",")}]`;
}

function shownValue(value: unknown): string {
  return typeof value === "string" ? JSON.stringify(value) : goJson(value);
}

const ORDER = "fkvi";

/** Elements in order: fields, keys, values, indexes; each by their value. */
export function sortedElements(elements: Iterable<string>): string[] {
  // Each is parsed once: a list may have tens of thousands of items.
  const parsedElements = Array.from(elements, (element) => {
    const value = element.startsWith("f:") ? element : parseJson(element.slice(2));
    return { element, rank: ORDER.indexOf(element[0] ?? ""), value };
  });
  return parsedElements
    .sort((a, b) => a.rank - b.rank || (a.rank === 1 ? compareKeys : compareValues)(a.value, b.value))
    .map(({ element }) => element);
}

function compareKeys(a: unknown, b: unknown): number {
  const [first, second] = [Object.entries(a as object), Object.entries(b as object)];
  for (const [index, [name, value]] of first.entries()) {
    const other = second[index];
    if (!other) return 1;
    if (name !== other[0]) return name < other[0] ? -1 : 1;
    const order = compareValues(value, other[1]);
    if (order !== 0) return order;
  }
  return first.length - second.length;
}

const TYPES = ["number", "string", "boolean", "object"];

function compareValues(a: unknown, b: unknown): number {
  const [first, second] = [rankOf(a), rankOf(b)];
  if (first !== second) return first - second;
  if (typeof a === "object") return goJson(a) < goJson(b) ? -1 : Number(goJson(a) > goJson(b));
  return (a as number) < (b as number) ? -1 : Number((a as number) > (b as number));
}

function rankOf(value: unknown): number {
  return TYPES.indexOf(typeof value === "bigint" ? "number" : typeof value);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
