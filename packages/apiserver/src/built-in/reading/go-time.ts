/** Parses times as Go does, with Go's error messages. */
import { goQuote } from "../../schema/go-text.ts";

interface Part {
  /** As Go's layout writes it. */
  readonly layout: string;
  readonly pattern: RegExp;
  /** What it counts; text in between counts nothing. */
  readonly counts?: string;
  readonly most?: number;
  readonly least?: number;
}

const text = (layout: string): Part => ({ layout, pattern: new RegExp(`^${layout}`) });
const HEAD: readonly Part[] = [
  { layout: "2006", pattern: /^\d{4}/ },
  text("-"),
  { layout: "01", pattern: /^\d\d/, counts: "month", least: 1, most: 12 },
  text("-"),
  { layout: "02", pattern: /^\d\d/, counts: "day", least: 1, most: 31 },
  text("T"),
  { layout: "15", pattern: /^\d\d?/, counts: "hour", most: 23 },
  text(":"),
  { layout: "04", pattern: /^\d\d/, counts: "minute", most: 59 },
  text(":"),
  { layout: "05", pattern: /^\d\d/, counts: "second", most: 59 },
];
// Go accepts a fraction after the seconds even if the layout has none.
const ANY_FRACTION: Part = { layout: "", pattern: /^(?:[.,]\d+)?/ };
const SIX_DIGITS: Part = { layout: ".000000", pattern: /^[.,]\d{6}/ };
const ZONE: Part = { layout: "Z07:00", pattern: /^(?:Z|[+-]\d\d:\d\d)/ };

const SECONDS: readonly Part[] = [...HEAD, ANY_FRACTION, ZONE];
const MICROSECONDS: readonly Part[] = [...HEAD, SIX_DIGITS, ZONE];

/** A text that is not a time; the message is Go's. */
export class GoTimeError extends Error {
  override readonly name = "GoTimeError";
}

// Nearly all times are already in canonical form: days that their month has in any year, and a valid time of the day.
const PROPER =
  /^\d{4}-(?:(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])|(?:0[13-9]|1[0-2])-(?:29|30)|(?:0[13578]|1[02])-31)T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\dZ$/;

/** A time to the second, as Kubernetes prints it. */
export function readTime(value: string): string {
  if (PROPER.test(value)) return value;
  return `${new Date(read(value, SECONDS).seconds).toISOString().slice(0, 19)}Z`;
}

/** A time to the microsecond, as Kubernetes prints it. */
export function readMicroTime(value: string): string {
  const { seconds, fraction } = read(value, MICROSECONDS);
  return `${new Date(seconds).toISOString().slice(0, 19)}.${fraction}Z`;
}

function read(value: string, parts: readonly Part[]): { seconds: number; fraction: string } {
  const found = split(value, parts);
  const [date, time] = [found.slice(0, 5).join(""), found.slice(6, 11).join("")];
  const [fraction = "", zone = ""] = found.slice(11);
  // JavaScript turns a day that its month lacks into one of the next month.
  if (new Date(Date.parse(`${date}T00:00:00Z`)).getUTCDate() !== Number(found[4]))
    throw outOfRange(value, "day");
  return { seconds: Date.parse(`${date}T${time.padStart(8, "0")}${zone}`), fraction: fraction.slice(1) };
}

/** The texts of the parts of a layout. */
function split(value: string, parts: readonly Part[]): string[] {
  const found: string[] = [];
  let rest = value;
  for (const part of parts) {
    const match = part.pattern.exec(rest)?.[0];
    if (match === undefined) throw mismatch(value, rest, { parts, part });
    checkRange(value, part, Number(match));
    found.push(match);
    rest = rest.slice(match.length);
  }
  if (rest !== "") throw new GoTimeError(`parsing time ${goQuote(value)}: extra text: ${goQuote(rest)}`);
  return found;
}

function mismatch(
  value: string,
  rest: string,
  { parts, part }: { readonly parts: readonly Part[]; readonly part: Part },
): GoTimeError {
  const layout = parts.map((one) => one.layout).join("");
  return new GoTimeError(
    `parsing time ${goQuote(value)} as ${goQuote(layout)}: cannot parse ${goQuote(rest)} as ${goQuote(part.layout)}`,
  );
}

function checkRange(value: string, { counts, least = 0, most = 0 }: Part, number: number): void {
  if (counts !== undefined && (number < least || number > most)) throw outOfRange(value, counts);
}

function outOfRange(value: string, what: string): GoTimeError {
  return new GoTimeError(`parsing time ${goQuote(value)}: ${what} out of range`);
}
