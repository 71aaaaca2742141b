/**
 * Durations in Go's format (`1h30m`, `-1.5h`, `.5s`), as in all manifests.
 *
 * The grammar is that of Go's `time.ParseDuration`, including its rounding: both accept and refuse the same texts.
 */
import { problemOf } from "./problem-of.ts";

/** A text that is not a duration; the message says what is expected. */
export class DurationError extends Error {
  override readonly name = "DurationError";
}

const UNIT_NANOSECONDS: ReadonlyMap<string, bigint> = new Map([
  ["ns", 1n],
  ["us", 1_000n],
  ["µs", 1_000n], // U+00B5, the micro sign
  ["μs", 1_000n], // U+03BC, the Greek letter
  ["ms", 1_000_000n],
  ["s", 1_000_000_000n],
  ["m", 60_000_000_000n],
  ["h", 3_600_000_000_000n],
]);

// The magnitude of the smallest int64; the largest one is one less, which only the positive side notices.
const LIMIT = 1n << 63n;
const MILLISECOND = 1_000_000n;
const MILLISECOND_DIGITS = 6;
const ACCEPTED = "use numbers with a unit of ns, us, ms, s, m or h, such as 1h30m";

/**
 * Parses a duration in Go's grammar as milliseconds. Throws a DurationError for anything else.
 *
 * The number is the one nearest to the exact duration: it distinguishes nanoseconds up to 99 days, and microseconds in
 * the whole range of 292 years.
 */
export function parseDuration(text: string): number {
  const nanoseconds = parseNanoseconds(text);
  // Reading decimals rounds once; a division of a rounded number would round twice.
  const milliseconds = Number(decimal(magnitude(nanoseconds), MILLISECOND));
  return nanoseconds < 0n ? -milliseconds : milliseconds;
}

/** The problem of a duration, or undefined if it is valid. */
export function durationProblem(text: string): string | undefined {
  return problemOf(DurationError, () => parseNanoseconds(text));
}

/** Prints milliseconds, to the nearest nanosecond, as Kubernetes prints a duration: `1h30m0s`, `1.5s`, `0s`. */
export function formatDuration(milliseconds: number): string {
  // The decimals are exact; a multiplication would round, and for months of milliseconds lose the nanosecond.
  const nanoseconds = BigInt(milliseconds.toFixed(MILLISECOND_DIGITS).replace(".", ""));
  return `${nanoseconds < 0n ? "-" : ""}${formatNanoseconds(magnitude(nanoseconds))}`;
}

function magnitude(nanoseconds: bigint): bigint {
  return nanoseconds < 0n ? -nanoseconds : nanoseconds;
}

interface Term {
  readonly nanoseconds: bigint;
  readonly end: number;
}

function parseNanoseconds(text: string): bigint {
  const signed = text.startsWith("-") || text.startsWith("+");
  const negative = text.startsWith("-");
  let position = signed ? 1 : 0;
  if (text.length === position + 1 && text[position] === "0") return 0n;
  if (text.length === position) throw invalid(text);
  let total = 0n;
  while (position < text.length) {
    const term = scanTerm(text, position);
    total += term.nanoseconds;
    if (total > LIMIT) throw invalid(text);
    position = term.end;
  }
  if (negative) return -total;
  if (total === LIMIT) throw invalid(text);
  return total;
}

/** Scans one number with its unit, such as `1.5h`. */
function scanTerm(text: string, start: number): Term {
  const whole = scanWhole(text, start);
  const hasPoint = text[whole.end] === ".";
  const fraction = hasPoint ? scanFraction(text, whole.end + 1) : { value: 0n, scale: 1, end: whole.end };
  const digits = whole.end - start + (hasPoint ? fraction.end - whole.end - 1 : 0);
  if (digits === 0) throw invalid(text);

  const end = unitEnd(text, fraction.end);
  if (end === fraction.end)
    throw new DurationError(`time: missing unit in duration ${quoted(text)}; ${ACCEPTED}`);
  const unitName = text.slice(fraction.end, end);
  const unit = UNIT_NANOSECONDS.get(unitName);
  if (unit === undefined) {
    throw new DurationError(
      `time: unknown unit ${quoted(unitName)} in duration ${quoted(text)}; ${ACCEPTED}`,
    );
  }
  if (whole.value > LIMIT / unit) throw invalid(text);
  // Go computes the fraction in float64, and so do we; otherwise the last nanosecond would differ.
  const part = BigInt(Math.trunc(Number(fraction.value) * (Number(unit) / fraction.scale)));
  return { nanoseconds: whole.value * unit + part, end };
}

function scanWhole(text: string, start: number): { value: bigint; end: number } {
  let value = 0n;
  let end = start;
  for (let digit = digitAt(text, end); digit >= 0; digit = digitAt(text, ++end)) {
    value = value * 10n + BigInt(digit);
    if (value > LIMIT) throw invalid(text);
  }
  return { value, end };
}

/** Digits that no longer fit in 63 bits are skipped: they are below a nanosecond. */
function scanFraction(text: string, start: number): { value: bigint; scale: number; end: number } {
  let value = 0n;
  let scale = 1;
  let full = false;
  let end = start;
  for (let digit = digitAt(text, end); digit >= 0; digit = digitAt(text, ++end)) {
    const next = value * 10n + BigInt(digit);
    full ||= next > LIMIT;
    if (full) continue;
    value = next;
    scale *= 10;
  }
  return { value, scale, end };
}

function unitEnd(text: string, start: number): number {
  let end = start;
  while (end < text.length && text[end] !== "." && digitAt(text, end) < 0) end++;
  return end;
}

/** The digit at a position, or -1. */
function digitAt(text: string, position: number): number {
  const digit = text.charCodeAt(position) - 48;
  return digit >= 0 && digit <= 9 ? digit : -1;
}

function invalid(text: string): DurationError {
  return new DurationError(`time: invalid duration ${quoted(text)}; ${ACCEPTED}`);
}

// A hostile text can be long; the message must stay readable.
const LONGEST_QUOTE = 80;

function quoted(text: string): string {
  return JSON.stringify(text.length > LONGEST_QUOTE ? `${text.slice(0, LONGEST_QUOTE)}…` : text);
}

const SECOND = 1_000_000_000n;
const SMALL_UNITS = [
  { name: "ms", nanoseconds: 1_000_000n },
  { name: "µs", nanoseconds: 1_000n },
] as const;

function formatNanoseconds(nanoseconds: bigint): string {
  if (nanoseconds === 0n) return "0s";
  if (nanoseconds >= SECOND) return formatClock(nanoseconds);
  const unit = SMALL_UNITS.find((candidate) => nanoseconds >= candidate.nanoseconds);
  return unit ? `${decimal(nanoseconds, unit.nanoseconds)}${unit.name}` : `${nanoseconds}ns`;
}

function formatClock(nanoseconds: bigint): string {
  const seconds = `${decimal(nanoseconds % (60n * SECOND), SECOND)}s`;
  const minutes = nanoseconds / (60n * SECOND);
  if (minutes === 0n) return seconds;
  const hours = minutes / 60n;
  return hours === 0n ? `${minutes}m${seconds}` : `${hours}h${minutes % 60n}m${seconds}`;
}

/** `value / unit` with all its decimals and no trailing zeros. */
function decimal(value: bigint, unit: bigint): string {
  const places = unit.toString().length - 1;
  const fraction = (value % unit).toString().padStart(places, "0");
  let length = places;
  while (length > 0 && fraction[length - 1] === "0") length--;
  return length === 0 ? `${value / unit}` : `${value / unit}.${fraction.slice(0, length)}`;
}
