/** Where Go reports an error in a text that should be base64; undefined if it is valid. */
export function base64ErrorIndex(text: string): number | undefined {
  let at = 0;
  for (;;) {
    const group = readGroup(text, at);
    if (group.errorIndex !== undefined) return group.errorIndex;
    if (group.next === undefined) return undefined;
    at = group.next;
  }
}

const DIGIT = /[A-Za-z0-9+/]/;

interface Group {
  /** Where the next group begins; undefined at the end. */
  readonly next?: number;
  readonly errorIndex?: number;
}

/** Reads four characters, between which lines may end. */
function readGroup(text: string, start: number): Group {
  let at = start;
  let digits = 0;
  while (digits < 4) {
    const character = text[at];
    if (character === undefined) return digits === 0 ? {} : { errorIndex: at - digits };
    at++;
    if (character === "=") return readPadding(text, at, digits);
    if (DIGIT.test(character)) digits++;
    else if (!isLineEnd(character)) return { errorIndex: at - 1 };
  }
  return { next: at };
}

/** Reads what may follow the first equals sign: another one if two are needed, and then nothing. */
function readPadding(text: string, behind: number, digits: number): Group {
  if (digits < 2) return { errorIndex: behind - 1 };
  let at = behind;
  if (digits === 2) {
    at = skipLineEnds(text, at);
    if (at === text.length) return { errorIndex: at };
    if (text[at] !== "=") return { errorIndex: at - 1 };
    at++;
  }
  at = skipLineEnds(text, at);
  return at < text.length ? { errorIndex: at } : {};
}

function skipLineEnds(text: string, from: number): number {
  let at = from;
  while (isLineEnd(text[at])) at++;
  return at;
}

function isLineEnd(character: string | undefined): boolean {
  return character === "\n" || character === "\r";
}
