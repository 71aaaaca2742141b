import { goQuote } from "../schema/go-text.ts";

/** Go's message for a text that is not JSON: clients show it to users. */
export function jsonSyntaxProblem(text: string): string {
  const scan = new SyntaxScan(text);
  try {
    scan.whole();
  } catch (error) {
    if (!(error instanceof SyntaxProblem)) throw error;
    return error.message;
  }
  // JavaScript's parser refused the text and this scanner did not; we know of no such text.
  return "invalid JSON";
}

class SyntaxProblem extends Error {}

const SPACE = /[ \t\r\n]/;
const DIGIT = /[0-9]/;
const HEX = /[0-9a-fA-F]/;
const ESCAPED = /["\\/bfnrt]/;

/** What closes a list or an object. */
type Bracket = "]" | "}";

const AFTER: Readonly<Record<Bracket, string>> = {
  "]": "after array element",
  "}": "after object key:value pair",
};

/** Scans JSON as Go's scanner does, and stops at the first character that does not fit. */
class SyntaxScan {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** Open lists and objects are on a stack of our own: a text may open a million of them. */
  whole(): void {
    const open: Bracket[] = [];
    do {
      const opened = this.#begin();
      if (opened) open.push(opened);
      else this.#end(open);
    } while (open.length > 0);
    this.#skipSpace();
    if (this.#at < this.#text.length) this.#fail("after top-level value");
  }

  /** Scans a value, or the beginning of a list or object with content, and returns what closes that. */
  #begin(): Bracket | undefined {
    this.#skipSpace();
    const first = this.#peek();
    if (first === "{") return this.#open("}");
    if (first === "[") return this.#open("]");
    if (first === '"') this.#string();
    else if (first === "-" || DIGIT.test(first)) this.#number();
    else this.#word(first);
    return undefined;
  }

  #open(bracket: Bracket): Bracket | undefined {
    this.#at++;
    this.#skipSpace();
    if (this.#peek() === bracket) {
      this.#at++;
      return undefined;
    }
    if (bracket === "}") this.#name();
    return bracket;
  }

  /** After a value: closes all lists and objects that end here, up to one that continues. */
  #end(open: Bracket[]): void {
    for (let bracket = open.at(-1); bracket !== undefined; bracket = open.at(-1)) {
      if (!this.#isEnd(bracket)) {
        if (bracket === "}") this.#name();
        return;
      }
      open.pop();
    }
  }

  #name(): void {
    this.#skipSpace();
    if (this.#peek() !== '"') this.#fail("looking for beginning of object key string");
    this.#string();
    this.#skipSpace();
    if (this.#peek() !== ":") this.#fail("after object key");
    this.#at++;
  }

  #peek(): string {
    const character = this.#text[this.#at];
    if (character === undefined) throw new SyntaxProblem("unexpected end of JSON input");
    return character;
  }

  /** The end of the text ends a word or a number as a space does. */
  #peekInWord(): string {
    return this.#text[this.#at] ?? " ";
  }

  #fail(context: string): never {
    throw new SyntaxProblem(`invalid character ${quoted(this.#text, this.#at)} ${context}`);
  }

  #skipSpace(): void {
    while (SPACE.test(this.#text[this.#at] ?? "")) this.#at++;
  }

  #word(first: string): void {
    const word = ["true", "false", "null"].find((one) => one.startsWith(first));
    if (word === undefined) return this.#fail("looking for beginning of value");
    for (const letter of word) {
      if (this.#peekInWord() !== letter) this.#fail(`in literal ${word} (expecting '${letter}')`);
      this.#at++;
    }
  }

  /** Whether the list or object ends here; otherwise a comma must follow. */
  #isEnd(bracket: Bracket): boolean {
    this.#skipSpace();
    const next = this.#peek();
    if (next !== bracket && next !== ",") this.#fail(AFTER[bracket]);
    this.#at++;
    return next === bracket;
  }

  #string(): void {
    this.#at++;
    for (;;) {
      const next = this.#peek();
      if (next < " ") this.#fail("in string literal");
      this.#at++;
      if (next === '"') return;
      if (next === "\\") this.#escape();
    }
  }

  #escape(): void {
    const next = this.#peekInWord();
    if (next !== "u" && !ESCAPED.test(next)) this.#fail("in string escape code");
    this.#at++;
    if (next !== "u") return;
    for (let digit = 0; digit < 4; digit++) {
      if (!HEX.test(this.#peekInWord())) this.#fail(String.raw`in \u hexadecimal character escape`);
      this.#at++;
    }
  }

  #number(): void {
    if (this.#peek() === "-") this.#at++;
    if (this.#peekInWord() === "0") this.#at++;
    else this.#digits("in numeric literal");
    if (this.#text[this.#at] === ".") {
      this.#at++;
      this.#digits("after decimal point in numeric literal");
    }
    if (this.#text[this.#at]?.toLowerCase() !== "e") return;
    this.#at++;
    if (this.#peekInWord() === "+" || this.#peekInWord() === "-") this.#at++;
    this.#digits("in exponent of numeric literal");
  }

  #digits(context: string): void {
    if (!DIGIT.test(this.#peekInWord())) this.#fail(context);
    while (DIGIT.test(this.#text[this.#at] ?? "")) this.#at++;
  }
}

/** Go shows a byte as a character literal. */
function quoted(text: string, at: number): string {
  const byte = Buffer.from(String.fromCodePoint(text.codePointAt(at) ?? SPACE_CODE))[0] ?? SPACE_CODE;
  if (byte === 39) return String.raw`'\''`;
  if (byte === 34) return `'"'`;
  return `'${goQuote(String.fromCharCode(byte)).slice(1, -1)}'`;
}

const SPACE_CODE = 32;
