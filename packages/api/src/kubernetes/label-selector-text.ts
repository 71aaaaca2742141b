/** The grammar of `kubectl -l`: tokens in, requirements out. Linear in the length of the text. */

/** How a label relates to the values of a requirement. */
export type LabelOperator = "In" | "NotIn" | "Exists" | "DoesNotExist" | "Gt" | "Lt";

/** One condition on a label. */
export interface LabelRequirement {
  readonly key: string;
  readonly operator: LabelOperator;
  readonly values: readonly string[];
}

interface Cursor {
  readonly tokens: readonly string[];
  position: number;
}

const SIGNS = new Set(["=", "==", "!=", "!", "<", ">", "(", ")", ","]);
const SIGN_CHARACTERS = new Set("=!<>(),");
const SPACES = new Set(" \t\r\n");
const END = "";

const COMPARISONS: ReadonlyMap<string, LabelOperator> = new Map([
  ["=", "In"],
  ["==", "In"],
  ["!=", "NotIn"],
  [">", "Gt"],
  ["<", "Lt"],
  ["in", "In"],
  ["notin", "NotIn"],
]);

/** The requirements of a text, or an error message. */
export function parseRequirements(text: string): LabelRequirement[] | string {
  const cursor: Cursor = { tokens: tokensOf(text), position: 0 };
  const requirements: LabelRequirement[] = [];
  if (peek(cursor) === END) return requirements;
  for (;;) {
    const requirement = parseRequirement(cursor);
    if (typeof requirement === "string") return `unable to parse requirement: ${requirement}`;
    requirements.push(requirement);
    const separator = take(cursor);
    if (separator === END) return requirements;
    if (separator !== ",") return expected(separator, "',' or 'end of string'");
  }
}

function parseRequirement(cursor: Cursor): LabelRequirement | string {
  if (peek(cursor) === "!") {
    take(cursor);
    const key = take(cursor);
    return isWord(key)
      ? { key, operator: "DoesNotExist", values: [] }
      : expected(key, "a label key after '!'");
  }
  const key = take(cursor);
  if (!isWord(key)) return expected(key, "'!' or a label key");
  const next = peek(cursor);
  if (next === END || next === ",") return { key, operator: "Exists", values: [] };
  const operator = COMPARISONS.get(take(cursor));
  if (operator === undefined) return expected(next, "in, notin, =, ==, !=, gt, lt");
  const values = next === "in" || next === "notin" ? parseList(cursor) : parseValue(cursor);
  return typeof values === "string" ? values : { key, operator, values };
}

/** A single value; nothing before the next comma means the empty value. */
function parseValue(cursor: Cursor): string[] | string {
  const next = peek(cursor);
  if (next === END || next === ",") return [""];
  const value = take(cursor);
  return isWord(value) ? [value] : expected(value, "a label value");
}

/** Values in brackets; nothing between two commas means the empty value. */
function parseList(cursor: Cursor): string[] | string {
  const open = take(cursor);
  if (open !== "(") return expected(open, "'('");
  const values = new Set<string>();
  for (;;) {
    values.add(isWord(peek(cursor)) ? take(cursor) : "");
    const next = take(cursor);
    if (next === ")") return [...values];
    if (next !== ",") return expected(next, "',' or ')'");
  }
}

function tokensOf(text: string): string[] {
  const tokens: string[] = [];
  let position = 0;
  while (position < text.length) {
    const character = text.charAt(position);
    if (SPACES.has(character)) {
      position++;
      continue;
    }
    const end = SIGN_CHARACTERS.has(character) ? signEnd(text, position) : wordEnd(text, position);
    tokens.push(text.slice(position, end));
    position = end;
  }
  return tokens;
}

function signEnd(text: string, start: number): number {
  return SIGNS.has(text.slice(start, start + 2)) && start + 1 < text.length ? start + 2 : start + 1;
}

function wordEnd(text: string, start: number): number {
  let end = start;
  while (end < text.length && !SPACES.has(text.charAt(end)) && !SIGN_CHARACTERS.has(text.charAt(end))) end++;
  return end;
}

function peek(cursor: Cursor): string {
  return cursor.tokens[cursor.position] ?? END;
}

function take(cursor: Cursor): string {
  const token = peek(cursor);
  cursor.position++;
  return token;
}

function isWord(token: string): boolean {
  return token !== END && !SIGNS.has(token);
}

// A hostile text can be one long word; the message must stay readable.
const LONGEST_QUOTE = 80;

function expected(found: string, wanted: string): string {
  return `found '${found.slice(0, LONGEST_QUOTE)}', expected: ${wanted}`;
}
