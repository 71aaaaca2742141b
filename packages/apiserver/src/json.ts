import { REPORTED_FIELDS_LIMIT } from "./schema/reported-fields.ts";

/**
 * JSON as Kubernetes reads and writes it. Two things differ from JavaScript's own: 64-bit integers keep all
 * their digits (as `bigint`, if a number would lose some), and duplicate names can be detected.
 */

const DIGITS = /\d{16}/;
const WHOLE = /^-?\d+$/;
const LARGEST = 2n ** 63n - 1n;
const SMALLEST = -(2n ** 63n);
// The sign and the 19 digits of the smallest one. Converting a number of a million digits would take seconds.
const LONGEST = 20;

/** Reads a JSON text. */
export function parseJson(text: string): unknown {
  // A reviver costs several times the parsing, and hardly any object has a number that needs it.
  return DIGITS.test(text) ? (JSON.parse(text, exactNumber) as unknown) : (JSON.parse(text) as unknown);
}

/** A number beyond 64 bits is a floating-point number to Kubernetes, as it is to JavaScript. */
function exactNumber(_name: string, value: unknown, { source }: { source?: string } = {}): unknown {
  if (typeof value !== "number" || Number.isSafeInteger(value)) return value;
  if (source === undefined || source.length > LONGEST || !WHOLE.test(source)) return value;
  const exact = BigInt(source);
  return exact > LARGEST || exact < SMALLEST ? value : exact;
}

/** Writes a JSON text. */
export function jsonText(value: unknown, indent?: number): string {
  try {
    return JSON.stringify(value, undefined, indent);
  } catch (error) {
    // JavaScript cannot print the `bigint`s of `parseJson`; nothing else here can fail.
    if (!(error instanceof TypeError)) throw error;
    const print = (_name: string, one: unknown): unknown => (typeof one === "bigint" ? rawNumber(one) : one);
    return JSON.stringify(value, print, indent);
  }
}

const texts = new WeakMap<object, string>();

/** The JSON text of an immutable object: serialized once for any number of readers and watchers. */
export function sharedText(frozen: object): string {
  const known = texts.get(frozen);
  if (known !== undefined) return known;
  const text = jsonText(frozen);
  texts.set(frozen, text);
  return text;
}

/** Caches a text that has been serialized already, such as the one that was written to disk. */
export function shareText(frozen: object, text: string): void {
  texts.set(frozen, text);
}

// From the same proposal as the reviver's third argument; TypeScript's library does not have it yet.
const { rawJSON } = JSON as unknown as { rawJSON(this: void, text: string): unknown };

function rawNumber(value: bigint): unknown {
  return rawJSON(String(value));
}

/** The first duplicate fields of a valid JSON text, as paths in the order of their second occurrence. */
export function duplicateFields(text: string): string[] {
  return new DuplicateScan(text).run();
}

const QUOTE = 34;
const COMMA = 44;
const COLON = 58;
const OPEN_LIST = 91;
const CLOSE_LIST = 93;
const OPEN_MAP = 123;
const CLOSE_MAP = 125;
const BACKSLASH = 92;

interface Level {
  /** The names so far; undefined in a list. */
  readonly names: Set<string> | undefined;
  name: string;
  index: number;
}

/** Scans a text that is known to be JSON once, for names and brackets only. */
class DuplicateScan {
  readonly #text: string;
  readonly #levels: Level[] = [];
  readonly #found = new Set<string>();
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  run(): string[] {
    const text = this.#text;
    for (; this.#at < text.length; this.#at++) this.#step(text.charCodeAt(this.#at));
    return [...this.#found];
  }

  #step(code: number): void {
    switch (code) {
      case QUOTE:
        return this.#string();
      case OPEN_MAP:
        this.#levels.push({ names: new Set(), name: "", index: 0 });
        return;
      case OPEN_LIST:
        this.#levels.push({ names: undefined, name: "", index: 0 });
        return;
      case CLOSE_MAP:
      case CLOSE_LIST:
        this.#levels.pop();
        return;
      case COMMA: {
        const level = this.#levels.at(-1);
        if (level) level.index++;
      }
    }
  }

  /** Skips to the end of a string; if a colon follows, it is a name. */
  #string(): void {
    const text = this.#text;
    const start = this.#at;
    let end = text.indexOf('"', start + 1);
    while (isEscaped(text, end)) end = text.indexOf('"', end + 1);
    this.#at = end;
    const level = this.#levels.at(-1);
    if (!level?.names || !this.#isName(end + 1)) return;
    const quoted = text.slice(start, end + 1);
    level.name = quoted.includes("\\") ? (JSON.parse(quoted) as string) : quoted.slice(1, -1);
    if (level.names.has(level.name) && this.#found.size < REPORTED_FIELDS_LIMIT)
      this.#found.add(this.#path());
    level.names.add(level.name);
  }

  #isName(at: number): boolean {
    let next = at;
    while (this.#text.charCodeAt(next) <= 32) next++;
    return this.#text.charCodeAt(next) === COLON;
  }

  #path(): string {
    let path = "";
    for (const { names, name, index } of this.#levels) {
      if (!names) path += `[${index}]`;
      else path += path === "" ? name : `.${name}`;
    }
    return path;
  }
}

function isEscaped(text: string, at: number): boolean {
  let backslashes = 0;
  while (text.charCodeAt(at - 1 - backslashes) === BACKSLASH) backslashes++;
  return backslashes % 2 === 1;
}
