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

/** Scans JSON as Go's scanner does, and stops at the first character that does not fit. */
class SyntaxScan {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  whole(): void {
    this.#value();
    this.#skipSpace();
    if (this.#at < this.#text.length) this.#fail("after top-level value");
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

  #value(): void {
    this.#skipSpace();
    const first = this.#peek();
    if (first === "{") this.#object();
    else if (first === "[") this.#list();
    else if (first === '"') this.#string();
    else if (first === "-" || DIGIT.test(first)) this.#number();
    else this.#word(first);
  }

  #word(first: string): void {
    const word = ["true", "false", "null"].find((one) => one.startsWith(first));
    if (word === undefined) return this.#fail("looking for beginning of value");
    for (const letter of word) {
      if (this.#peekInWord() !== letter) this.#fail(`in literal ${word} (expecting '${letter}')`);
      this.#at++;
    }
  }

  #object(): void {
    this.#at++;
    this.#skipSpace();
    if (this.#peek() === "}") return this.#step();
    for (;;) {
      this.#skipSpace();
      if (this.#peek() !== '"') this.#fail("looking for beginning of object key string");
      this.#string();
      this.#skipSpace();
      if (this.#peek() !== ":") this.#fail("after object key");
      this.#at++;
      this.#value();
      if (this.#isEnd("}", "after object key:value pair")) return;
    }
  }

  #list(): void {
    this.#at++;
    this.#skipSpace();
    if (this.#peek() === "]") return this.#step();
    for (;;) {
      this.#value();
      if (this.#isEnd("]", "after array element")) return;
    }
  }

  #step(): void {
    this.#at++;
  }

  /** Whether the list or object ends here; otherwise a comma must follow. */
  #isEnd(bracket: string, context: string): boolean {
    this.#skipSpace();
    const next = this.#peek();
    if (next !== bracket && next !== ",") this.#fail(context);
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
