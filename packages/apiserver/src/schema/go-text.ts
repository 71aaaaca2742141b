import { jsonText } from "../json.ts";
/** How Go prints values: messages of Kubernetes contain them, and clients compare messages. */

// Above this Go prints a number with an exponent, as JavaScript does; below a ten-thousandth only Go does.
const SMALLEST_PLAIN = 0.0001;

/** A number as `%v` prints it. */
export function goNumber(value: number): string {
  const isTiny = value !== 0 && Math.abs(value) < SMALLEST_PLAIN;
  const text = isTiny ? value.toExponential() : String(value);
  return text.replace(/e([+-])(\d)$/, "e$10$2");
}

const SHORT_ESCAPES: Readonly<Record<string, string>> = {
  "\u0007": String.raw`\a`,
  "\b": String.raw`\b`,
  "\f": String.raw`\f`,
  "\n": String.raw`\n`,
  "\r": String.raw`\r`,
  "\t": String.raw`\t`,
  "\v": String.raw`\v`,
  "\\": String.raw`\\`,
  '"': String.raw`\"`,
};

/** A text as `%q` prints it: quoted, with every invisible character escaped. */
export function goQuote(text: string): string {
  const escaped = text.replaceAll(/["\\\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs}/gu, (character) => {
    const short = SHORT_ESCAPES[character];
    if (short !== undefined) return short;
    const code = character.codePointAt(0) ?? 0;
    if (code < 0x80) return String.raw`\x${hex(code, 2)}`;
    return code < 0x1_0000 ? String.raw`\u${hex(code, 4)}` : String.raw`\U${hex(code, 8)}`;
  });
  return `"${escaped}"`;
}

/** A value as Go's JSON prints it: with sorted keys, and with HTML characters escaped. */
export function goJson(value: unknown): string {
  const text = jsonText(sorted(value)) ?? "null";
  return text.replaceAll(
    /[<>&\u2028\u2029]/g,
    (character) => String.raw`\u${hex(character.charCodeAt(0), 4)}`,
  );
}

/** A value as `%v` prints it. */
export function goValue(value: unknown): string {
  if (value === null || value === undefined) return "<nil>";
  if (typeof value === "number") return goNumber(value);
  if (Array.isArray(value)) return `[${value.map(goValue).join(" ")}]`;
  if (typeof value === "string" || typeof value === "boolean" || typeof value === "bigint")
    return String(value);
  const fields = Object.entries(value).sort(byKey);
  return `map[${fields.map(([key, field]) => `${key}:${goValue(field)}`).join(" ")}]`;
}

function sorted(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(sorted);
  // From entries, because a key such as `__proto__` is data like any other.
  return Object.fromEntries(
    Object.entries(value)
      .sort(byKey)
      .map(([key, field]) => [key, sorted(field)]),
  );
}

function byKey([a]: [string, unknown], [b]: [string, unknown]): number {
  return a < b ? -1 : 1;
}

function hex(code: number, digits: number): string {
  return code.toString(16).padStart(digits, "0");
}
