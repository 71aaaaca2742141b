import { formatQuantity, parseQuantity, QuantityError } from "@capstan/api";
import { goNumber } from "../../schema/go-text.ts";
import { base64ErrorIndex } from "./base64.ts";
import { GoTimeError, readMicroTime, readTime } from "./go-time.ts";
import type { Scalar } from "./types.ts";

/** The result of decoding a single value. */
export type ScalarRead =
  | { readonly value: unknown }
  /** A value of another type, by Go's name for it; the error adds the path. */
  | { readonly was: string; readonly isFinal?: boolean }
  /** A text that cannot be parsed; this is the whole error. */
  | { readonly problem: string; readonly isFinal: boolean };

const READERS: Readonly<Record<Scalar, (value: unknown) => ScalarRead>> = {
  string: (value) => ({ was: jsonWord(value) }),
  boolean: (value) => ({ was: jsonWord(value) }),
  int32: (value) => readWhole(value, 31n),
  int64: (value) => readWhole(value, 63n),
  bytes: (value) => (typeof value === "string" ? readBytes(value) : { was: jsonWord(value) }),
  time: (value) => readMoment(value, readTime),
  microTime: (value) => readMoment(value, readMicroTime),
  quantity: readQuantity,
  intOrString: (value) =>
    typeof value === "string" ? { value } : { ...readWhole(value, 31n), isFinal: true },
};

/** Decodes a value that is not null. Some types decode themselves, and their errors are final: decoding stops there. */
export function readScalar(scalar: Scalar, value: unknown): ScalarRead {
  return READERS[scalar](value);
}

/** Whether a value is already in canonical form, as nearly all are, so that it needs no conversion. */
export function isPlain(scalar: Scalar, value: unknown): boolean {
  if (scalar === "string" || scalar === "boolean") return typeof value === scalar;
  return (scalar === "int32" || scalar === "int64") && Number.isInteger(value) && isSmall(value as number);
}

function isSmall(value: number): boolean {
  return value <= 2_147_483_647 && value >= -2_147_483_648;
}

/** Go's name for the type of a JSON value. */
export function jsonWord(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value === "boolean") return "bool";
  return typeof value === "bigint" ? "number" : typeof value;
}

function readWhole(value: unknown, bits: bigint): { value: unknown } | { was: string } {
  if (typeof value !== "number" && typeof value !== "bigint") return { was: jsonWord(value) };
  const isWhole = typeof value === "bigint" || Number.isInteger(value);
  if (isWhole && isWithin(BigInt(value), bits)) return { value };
  return { was: `number ${typeof value === "number" ? goNumber(value) : value}` };
}

function isWithin(value: bigint, bits: bigint): boolean {
  return value < 1n << bits && value >= -(1n << bits);
}

/** Bytes stay in base64, in canonical form. */
function readBytes(text: string): ScalarRead {
  const proper = Buffer.from(text, "base64").toString("base64");
  if (proper === text) return { value: text };
  const errorIndex = base64ErrorIndex(text);
  if (errorIndex === undefined) return { value: proper };
  return { problem: `illegal base64 data at input byte ${errorIndex}`, isFinal: false };
}

function readMoment(value: unknown, read: (text: string) => string): ScalarRead {
  if (typeof value !== "string") return { was: jsonWord(value), isFinal: true };
  try {
    return { value: read(value) };
  } catch (error) {
    if (!(error instanceof GoTimeError)) throw error;
    return { problem: error.message, isFinal: true };
  }
}

const QUANTITY_FORM = "^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$";
const quantityForm = new RegExp(QUANTITY_FORM);
// Up to three digits with any suffix are canonical, and nearly all quantities look like that.
const PROPER_QUANTITY = /^[1-9]\d{0,2}(?:[munkMGTPE]|[KMGTPE]i)?$/;
// Mostly the memory of machines: canonical unless it is a multiple of the next suffix, and far from the largest amount.
const PROPER_BINARY = /^([1-9]\d{3,8})[KMG]i$/;

function isProperQuantity(text: string): boolean {
  return PROPER_QUANTITY.test(text) || Number(PROPER_BINARY.exec(text)?.[1] ?? 0) % 1024 > 0;
}

/** A quantity in canonical form. */
function readQuantity(value: unknown): ScalarRead {
  const text = typeof value === "string" ? value.trim() : JSON.stringify(value);
  if (text === "") return { value: "0" };
  if (isProperQuantity(text)) return { value: text };
  try {
    return { value: formatQuantity(parseQuantity(text)) };
  } catch (error) {
    if (!(error instanceof QuantityError)) throw error;
    const problem = quantityForm.test(text)
      ? "unable to parse quantity's suffix"
      : `quantities must match the regular expression '${QUANTITY_FORM}'`;
    return { problem, isFinal: true };
  }
}
