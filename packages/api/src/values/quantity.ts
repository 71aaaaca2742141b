/** Amounts of a resource as Kubernetes writes them: `500m`, `2Gi`, `1e3`. Exact for any size. */
import { problemOf } from "./problem-of.ts";

/** The format of a quantity; it is printed with the same family of suffixes. */
export type QuantityFormat = "DecimalSI" | "BinarySI" | "DecimalExponent";

/** An amount, in billionths: the finest unit of Kubernetes. */
export interface Quantity {
  readonly nano: bigint;
  readonly format: QuantityFormat;
}

/** A text that is not a quantity; the message says what is expected. */
export class QuantityError extends Error {
  override readonly name = "QuantityError";
}

// No suffix, 1000 and 1024 are the bases; the numbers are the exponents of 10 and of 2.
const DECIMAL_SUFFIXES: ReadonlyMap<string, number> = new Map([
  ["n", -9],
  ["u", -6],
  ["m", -3],
  ["", 0],
  ["k", 3],
  ["M", 6],
  ["G", 9],
  ["T", 12],
  ["P", 15],
  ["E", 18],
]);
const BINARY_SUFFIXES: ReadonlyMap<string, number> = new Map([
  ["Ki", 10],
  ["Mi", 20],
  ["Gi", 30],
  ["Ti", 40],
  ["Pi", 50],
  ["Ei", 60],
]);
const NANO = 1_000_000_000n;
const NANO_DIGITS = 9;
const LARGEST_BINARY = ((1n << 63n) - 1n) * NANO;

// Both limits keep the arithmetic small for hostile input and are far beyond any real resource.
const LONGEST_QUANTITY = 128;
const LARGEST_EXPONENT = 64;
const QUANTITY = /^([+-]?)([0-9]*)(?:\.([0-9]*))?([A-Za-z]*)([+-]?[0-9]+)?$/;
const ACCEPTED = "use a number with an optional suffix, such as 500m, 2 or 1.5Gi";

/** Parses a quantity. Throws a QuantityError for anything else. */
export function parseQuantity(value: number | string): Quantity {
  const text = String(value);
  if (text.length > LONGEST_QUANTITY) throw invalid(`${text.slice(0, LONGEST_QUANTITY)}…`);
  const [match, sign, whole = "", fraction = "", letters = "", exponent] = QUANTITY.exec(text) ?? [];
  if (match === undefined || whole.length + fraction.length === 0) throw invalid(text);
  const suffix = suffixOf(text, letters, exponent);
  const { nano, format } = scaled(BigInt(whole + fraction), fraction.length, suffix);
  return { nano: sign === "-" ? -nano : nano, format };
}

/** The problem of a quantity, or undefined if it is valid. */
export function quantityProblem(value: number | string): string | undefined {
  return problemOf(QuantityError, () => parseQuantity(value));
}

/** Negative when `a` is less, positive when it is more, 0 when both are the same amount. */
export function compareQuantities(a: Quantity, b: Quantity): number {
  if (a.nano === b.nano) return 0;
  return a.nano < b.nano ? -1 : 1;
}

/** Prints a quantity in canonical form: no fraction, the largest suffix that loses nothing. */
export function formatQuantity(quantity: Quantity): string {
  const { nano, format } = quantity;
  if (nano === 0n) return "0";
  const small = nano > -1024n * NANO && nano < 1024n * NANO;
  if (format === "BinarySI" && !small) return formatBinary(nano);
  return formatDecimal(nano, format === "DecimalExponent");
}

interface Suffix {
  readonly base: 2 | 10;
  readonly power: number;
  readonly format: QuantityFormat;
}

function suffixOf(text: string, letters: string, exponent: string | undefined): Suffix {
  if (exponent !== undefined) {
    const power = Number(exponent);
    const known = letters === "e" || letters === "E";
    if (!known || power > LARGEST_EXPONENT || power < -LARGEST_EXPONENT) throw invalid(text);
    return { base: 10, power, format: "DecimalExponent" };
  }
  const binary = BINARY_SUFFIXES.get(letters);
  if (binary !== undefined) return { base: 2, power: binary, format: "BinarySI" };
  const decimal = DECIMAL_SUFFIXES.get(letters);
  if (decimal !== undefined) return { base: 10, power: decimal, format: "DecimalSI" };
  throw invalid(text);
}

/** The amount of digits, some of which are decimals, with a suffix. */
function scaled(digits: bigint, decimals: number, { base, power, format }: Suffix): Quantity {
  if (base === 10) return { nano: roundedUp(digits, decimals - NANO_DIGITS - power), format };
  const exact = roundedUp(digits << BigInt(power), decimals - NANO_DIGITS);
  const nano = exact > LARGEST_BINARY ? LARGEST_BINARY : exact;
  // A binary suffix cannot express less than one, so such an amount becomes decimal.
  return { nano, format: nano > 0n && nano < NANO ? "DecimalSI" : format };
}

/** `value / 10^places`, rounded away from zero: a small request must not become zero. */
function roundedUp(value: bigint, places: number): bigint {
  if (places <= 0) return value * 10n ** BigInt(-places);
  const divisor = 10n ** BigInt(places);
  return (value + divisor - 1n) / divisor;
}

function formatDecimal(nano: bigint, asExponent: boolean): string {
  let number = nano;
  let power = -9;
  while (number % 1000n === 0n && power < 18) {
    number /= 1000n;
    power += 3;
  }
  if (asExponent) return power === 0 ? `${number}` : `${number}e${power}`;
  return `${number}${suffixFor(DECIMAL_SUFFIXES, power)}`;
}

function formatBinary(nano: bigint): string {
  const magnitude = nano < 0n ? -nano : nano;
  let number = (magnitude + NANO - 1n) / NANO;
  let power = 0;
  while (number % 1024n === 0n && power < 60) {
    number /= 1024n;
    power += 10;
  }
  return `${nano < 0n ? "-" : ""}${number}${power === 0 ? "" : suffixFor(BINARY_SUFFIXES, power)}`;
}

function suffixFor(suffixes: ReadonlyMap<string, number>, power: number): string {
  return suffixes.entries().find(([, candidate]) => candidate === power)?.[0] ?? "";
}

function invalid(text: string): QuantityError {
  return new QuantityError(`${JSON.stringify(text)} is not a quantity; ${ACCEPTED}`);
}
