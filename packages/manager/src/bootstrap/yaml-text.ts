/**
 * Prints a value as YAML, the same bytes for the same value, with fields in the given order.
 *
 * cloud-init's template engine processes the text before it is parsed as YAML. So a text with an expression must be
 * printed without escapes: a backslash within `{{ … }}` would be an error at the first boot of a machine.
 */

/** A printable value; undefined fields are omitted. */
export type YamlValue =
  | string
  | number
  | boolean
  | readonly YamlValue[]
  | { readonly [field: string]: YamlValue | undefined };

/** Prints a list or a map as YAML. */
export function yamlOf(value: Extract<YamlValue, object>): string {
  return `${linesOf(value).join("\n")}\n`;
}

function linesOf(value: YamlValue): string[] {
  if (typeof value === "string") return textLines(value);
  if (typeof value === "number" || typeof value === "boolean") return [String(value)];
  if (isList(value)) return value.length === 0 ? ["[]"] : value.flatMap((item) => hung("- ", linesOf(item)));
  const lines = Object.entries(value).flatMap(([field, item]) =>
    item === undefined ? [] : fieldLines(field, item),
  );
  return lines.length === 0 ? ["{}"] : lines;
}

function fieldLines(field: string, value: YamlValue): string[] {
  const key = isPlain(field) ? field : escaped(field);
  const lines = linesOf(value);
  if (typeof value !== "object" || isEmpty(lines)) return hung(`${key}: `, lines);
  return [`${key}:`, ...(isList(value) ? lines : indented(lines))];
}

function isList(value: YamlValue): value is readonly YamlValue[] {
  return Array.isArray(value);
}

function isEmpty([first]: readonly string[]): boolean {
  return first === "[]" || first === "{}";
}

function hung(prefix: string, [first = "", ...rest]: readonly string[]): string[] {
  return [prefix + first, ...indented(rest)];
}

function indented(lines: readonly string[]): string[] {
  return lines.map((line) => (line === "" ? "" : `  ${line}`));
}

const PLAIN = /^[A-Za-z/][A-Za-z0-9/_.@+-]*(:[A-Za-z0-9/_.@+-]+)*$/;
// Words that some version of YAML does not parse as a string.
const NO_TEXT = /^(true|false|null|yes|no|on|off|y|n)$/i;
// All characters that YAML can contain without an escape, except those that only some parsers treat as line breaks.
const PRINTABLE = /^[\x20-\x7E\u00A0-\u2027\u202A-\uD7FF\uE000-\uFEFE\uFF00-\uFFFD\u{10000}-\u{10FFFF}]*$/u;

function isPlain(text: string): boolean {
  return PLAIN.test(text) && !NO_TEXT.test(text);
}

function textLines(text: string): string[] {
  if (text.includes("\n") && isBlock(text)) return blockLines(text);
  if (isPlain(text)) return [text];
  if (!PRINTABLE.test(text)) return [escaped(text)];
  if (!text.includes("'")) return [`'${text}'`];
  if (!/["\\]/.test(text)) return [`"${text}"`];
  return isBlock(text) ? blockLines(text) : [escaped(text)];
}

/** Whether a text can be printed as a block scalar. */
function isBlock(text: string): boolean {
  const lines = text.split("\n");
  const isReadable = lines.every((line) => PRINTABLE.test(line.replaceAll("\t", "")));
  // Parsers disagree about a last line of blanks and about a text of blanks only.
  return isReadable && text.trim() !== "" && !/(^|\n)[ \t]+$/.test(text);
}

function blockLines(text: string): string[] {
  const isOpen = !text.endsWith("\n");
  // The indentation is derived from the first line, unless that line starts with blanks.
  const depth = /^[ \t\n]/.test(text) ? "2" : "";
  const ending = isOpen ? "-" : text.endsWith("\n\n") ? "+" : "";
  return [`|${depth}${ending}`, ...(isOpen ? text : text.slice(0, -1)).split("\n")];
}

function escaped(text: string): string {
  const unprintable =
    /[^\x20-\x7E\u00A0-\u2027\u202A-\uD7FF\uE000-\uFEFE\uFF00-\uFFFD\u{10000}-\u{10FFFF}]/gu;
  return JSON.stringify(text).replaceAll(
    unprintable,
    (sign) => `\\u${(sign.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`,
  );
}
