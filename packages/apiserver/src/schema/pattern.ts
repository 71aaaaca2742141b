/**
 * Patterns of schemas. Kubernetes reads them as Go does (RE2); here they become regular expressions of
 * JavaScript that accept the same texts. What Go refuses, such as looking ahead or behind, is refused.
 */

/** A pattern that Go would not read; the message is Go's. */
export class PatternError extends Error {
  override readonly name = "PatternError";
  constructor(problem: string, where: string) {
    super(`error parsing regexp: ${problem}: \`${where}\``);
  }
}

/** Turns a pattern into an expression for `test`: groups capture nothing, and greed makes no difference. */
export function compilePattern(source: string): RegExp {
  const folded = /^\(\?[msU]*i[msU]*\)/.test(source);
  const reader: Reader = { source, at: 0, folded, flags: { i: folded, m: false, s: false } };
  const text = alternatives(reader);
  if (reader.at < source.length) throw new PatternError("unexpected )", source);
  try {
    return new RegExp(text, folded ? "iv" : "v");
  } catch (error) {
    // Only older engines come here, which cannot ignore case in a part of an expression.
    throw new PatternError(`not supported by this server (${(error as Error).message})`, source);
  }
}

interface Flags {
  readonly i: boolean;
  readonly m: boolean;
  readonly s: boolean;
}

interface Reader {
  readonly source: string;
  /** Whether the whole expression ignores case. */
  readonly folded: boolean;
  at: number;
  flags: Flags;
}

// Go's own limit, against expressions that grow out of proportion.
const LARGEST_REPEAT = 1000;

function alternatives(reader: Reader): string {
  const branches = [sequence(reader)];
  while (reader.source[reader.at] === "|") {
    reader.at++;
    branches.push(sequence(reader));
  }
  return branches.join("|");
}

function sequence(reader: Reader): string {
  const { source } = reader;
  let text = "";
  while (reader.at < source.length && source[reader.at] !== "|" && source[reader.at] !== ")") {
    const operator = repeatAt(reader);
    if (operator !== undefined) throw new PatternError("missing argument to repetition operator", operator);
    text += repeated(reader, atom(reader));
  }
  return text;
}

/** The atom with the repetition that may stand behind it; two in a row are an error in Go. */
function repeated(reader: Reader, text: string): string {
  const { source } = reader;
  const start = reader.at;
  const operator = repeatAt(reader);
  if (operator === undefined) return text;
  reader.at += operator.length;
  if (source[reader.at] === "?") reader.at++;
  checkRepeat(operator);
  const next = repeatAt(reader);
  if (next !== undefined)
    throw new PatternError(
      "invalid nested repetition operator",
      source.slice(start, reader.at + next.length),
    );
  return `(?:${text})${operator}`;
}

/** The repetition that begins here; a brace that counts nothing is a character like others. */
function repeatAt({ source, at }: Reader): string | undefined {
  return /^(?:[*+?]|\{\d+(?:,\d*)?\})/.exec(source.slice(at, at + 16))?.[0];
}

function checkRepeat(operator: string): void {
  if (!operator.startsWith("{")) return;
  const [low = 0, high = low] = operator
    .slice(1, -1)
    .split(",")
    .filter((part) => part !== "")
    .map(Number);
  if (low > LARGEST_REPEAT || high > LARGEST_REPEAT || low > high)
    throw new PatternError("invalid repeat count", operator);
}

function atom(reader: Reader): string {
  const character = characterAt(reader);
  const mark = MARKS[character]?.(reader.flags);
  if (mark !== undefined) {
    reader.at++;
    return mark;
  }
  if (character === "(") return group(reader);
  if (character === "[") return inCase(reader, characterClass(reader));
  if (character === "\\") return inCase(reader, escape(reader));
  reader.at += character.length;
  return inCase(reader, literal(character.codePointAt(0) ?? 0));
}

const MARKS: Readonly<Record<string, (flags: Flags) => string>> = {
  ".": ({ s }) => (s ? "[^]" : String.raw`[^\n]`),
  "^": ({ m }) => (m ? String.raw`(?<![^\n])` : "^"),
  $: ({ m }) => (m ? String.raw`(?![^\n])` : "$"),
};

function inCase({ flags, folded }: Reader, text: string): string {
  if (flags.i === folded) return text;
  return flags.i ? `(?i:${text})` : `(?-i:${text})`;
}

function characterAt({ source, at }: Reader): string {
  return String.fromCodePoint(source.codePointAt(at) ?? 0);
}

/** Written by its number, a character means itself everywhere. */
function literal(code: number): string {
  return /[a-zA-Z0-9]/.test(String.fromCodePoint(code))
    ? String.fromCodePoint(code)
    : `\\u{${code.toString(16)}}`;
}

const GROUP = /^\((?:\?(?:P?<\w+>|(?<on>[imsU]*)(?:-(?<off>[imsU]+))?(?<end>[:)])))?/;

function group(reader: Reader): string {
  const { source, flags } = reader;
  const opening = GROUP.exec(source.slice(reader.at));
  if (!opening || (opening[0] === "(" && source[reader.at + 1] === "?")) throw unsupportedGroup(reader);
  reader.at += opening[0].length;
  const { on = "", off = "", end } = opening.groups ?? {};
  reader.flags = switched(flags, on, off);
  // Flags alone are no group: they hold up to the end of the one that they stand in.
  if (end === ")") return "";
  const text = alternatives(reader);
  if (source[reader.at] !== ")") throw new PatternError("missing closing )", source);
  reader.at++;
  reader.flags = flags;
  return `(?:${text})`;
}

function switched(flags: Flags, on: string, off: string): Flags {
  const state = (flag: keyof Flags): boolean => (flags[flag] || on.includes(flag)) && !off.includes(flag);
  return { i: state("i"), m: state("m"), s: state("s") };
}

function unsupportedGroup({ source, at }: Reader): PatternError {
  const rest = source.slice(at);
  if (/^\(\?P?</.test(rest))
    return new PatternError("invalid named capture", /^[^>]*>?/.exec(rest)?.[0] ?? rest);
  const shown = /^\(\?P?[^imsU:)]?/.exec(rest)?.[0] ?? rest;
  return new PatternError("invalid or unsupported Perl syntax", shown);
}

const SPACES = String.raw`\t\n\f\r `;
const CONTROLS: Readonly<Record<string, number>> = { a: 7, f: 12, n: 10, r: 13, t: 9, v: 11 };
const CLASSES: Readonly<Record<string, string>> = {
  d: "[0-9]",
  D: "[^0-9]",
  w: "[0-9A-Za-z_]",
  W: "[^0-9A-Za-z_]",
  s: `[${SPACES}]`,
  S: `[^${SPACES}]`,
};
const ASSERTIONS: Readonly<Record<string, string>> = { A: "^", z: "$", b: String.raw`\b`, B: String.raw`\B` };

/** What stands behind a backslash, outside of a class. */
function escape(reader: Reader): string {
  const name = reader.source[reader.at + 1] ?? "";
  const assertion = ASSERTIONS[name];
  if (assertion !== undefined) {
    reader.at += 2;
    return assertion;
  }
  return name === "Q" ? quoted(reader) : (classEscape(reader) ?? literal(escapedCode(reader)));
}

function quoted(reader: Reader): string {
  const { source, at } = reader;
  const end = source.indexOf(String.raw`\E`, at);
  const text = source.slice(at + 2, end < 0 ? undefined : end);
  reader.at = end < 0 ? source.length : end + 2;
  return Array.from(text, (character) => literal(character.codePointAt(0) ?? 0)).join("");
}

/** A whole set of characters behind a backslash, as a class of its own. */
function classEscape(reader: Reader): string | undefined {
  const { source, at } = reader;
  const known = CLASSES[source[at + 1] ?? ""];
  if (known !== undefined) {
    reader.at += 2;
    return known;
  }
  const property = /^\\([pP])(?:\{(\^?)([^}]*)\}|([A-Z]))/.exec(source.slice(at, at + 64));
  if (!property) return undefined;
  reader.at += property[0].length;
  const [whole, sign, caret, long, short] = property;
  return unicodeClass(long ?? short ?? "", (sign === "P") !== (caret === "^"), whole);
}

function unicodeClass(name: string, negated: boolean, shown: string): string {
  const letter = negated ? "P" : "p";
  if (name === "Any") return negated ? "[]" : "[^]";
  for (const property of [name, `Script=${name}`]) {
    const text = `\\${letter}{${property}}`;
    if (isExpression(text)) return text;
  }
  throw new PatternError("invalid character class range", shown);
}

function isExpression(text: string): boolean {
  try {
    return new RegExp(text, "v").unicodeSets;
  } catch {
    return false;
  }
}

/** The character that an escape stands for. */
function escapedCode(reader: Reader): number {
  const rest = reader.source.slice(reader.at + 1, reader.at + 12);
  if (rest === "") throw new PatternError("trailing backslash at end of expression", "");
  const numbered = numberedCode(rest);
  if (numbered) return taken(reader, numbered.text, numbered.code);
  const character = characterAt({ ...reader, at: reader.at + 1 });
  const code = CONTROLS[character] ?? character.codePointAt(0) ?? 0;
  // Any mark may be escaped, so that nobody has to know which ones mean something.
  if (!(character in CONTROLS) && (code > 0x7f || /[a-zA-Z0-9]/.test(character)))
    throw new PatternError("invalid escape sequence", `\\${character}`);
  return taken(reader, character, code);
}

/** A character by its number, hexadecimal or octal. */
function numberedCode(rest: string): { readonly text: string; readonly code: number } | undefined {
  for (const [form, base] of NUMBERS) {
    const [text, digits] = form.exec(rest) ?? [];
    const code = Number.parseInt(digits ?? "", base);
    if (text !== undefined && code <= LAST_CODE) return { text, code };
  }
  return undefined;
}

const LAST_CODE = 0x10_ff_ff;
const NUMBERS: readonly (readonly [RegExp, number])[] = [
  [/^x\{([0-9a-fA-F]{1,8})\}/, 16],
  [/^x([0-9a-fA-F]{2})/, 16],
  [/^(0[0-7]{0,2}|[1-7][0-7]{1,2})/, 8],
];

function taken(reader: Reader, text: string, code: number): number {
  reader.at += 1 + text.length;
  return code;
}

const POSIX: ReadonlyMap<string, string> = new Map(
  Object.entries({
    alnum: "0-9A-Za-z",
    alpha: "A-Za-z",
    ascii: String.raw`\u{0}-\u{7f}`,
    blank: String.raw`\t `,
    cntrl: String.raw`\u{0}-\u{1f}\u{7f}`,
    digit: "0-9",
    graph: String.raw`\u{21}-\u{7e}`,
    lower: "a-z",
    print: String.raw`\u{20}-\u{7e}`,
    punct: String.raw`\u{21}-\u{2f}\u{3a}-\u{40}\u{5b}-\u{60}\u{7b}-\u{7e}`,
    space: String.raw`\t\n\v\f\r `,
    upper: "A-Z",
    word: "0-9A-Za-z_",
    xdigit: "0-9A-Fa-f",
  }),
);

function characterClass(reader: Reader): string {
  const { source } = reader;
  const start = reader.at++;
  const negated = source[reader.at] === "^";
  if (negated) reader.at++;
  let members = "";
  let isFirst = true;
  // A closing bracket that comes first is a member.
  while (isFirst || source[reader.at] !== "]") {
    if (reader.at >= source.length) throw new PatternError("missing closing ]", source.slice(start));
    members += posixClass(reader) ?? classEscape(reader) ?? range(reader);
    isFirst = false;
  }
  reader.at++;
  return `[${negated ? "^" : ""}${members}]`;
}

function posixClass(reader: Reader): string | undefined {
  const found = /^\[:(\^?)(\w+):\]/.exec(reader.source.slice(reader.at, reader.at + 16));
  if (!found) return undefined;
  const [whole, caret, name = ""] = found;
  const members = POSIX.get(name);
  if (members === undefined) throw new PatternError("invalid character class range", whole);
  reader.at += whole.length;
  return `[${caret}${members}]`;
}

function range(reader: Reader): string {
  const { source, at } = reader;
  const low = member(reader);
  if (source[reader.at] !== "-" || (source[reader.at + 1] ?? "]") === "]") return literal(low);
  reader.at++;
  const high = member(reader);
  if (high < low) throw new PatternError("invalid character class range", source.slice(at, reader.at));
  return `${literal(low)}-${literal(high)}`;
}

function member(reader: Reader): number {
  if (reader.source[reader.at] === "\\") return escapedCode(reader);
  const character = characterAt(reader);
  reader.at += character.length;
  return character.codePointAt(0) ?? 0;
}
