import { parseJson } from "../json.ts";
import type { Scalar } from "./messages.ts";
import { ProtobufError } from "./protobuf-error.ts";
import { readFields, type WireField } from "./wire.ts";

/** The zero values of the types, for example for a missing value of a map entry. */
export const ZEROS: Readonly<Record<Scalar, unknown>> = {
  string: "",
  boolean: false,
  int32: 0,
  int64: 0,
  bytes: "",
  time: undefined,
  microTime: undefined,
  quantity: "0",
  intOrString: 0,
  json: undefined,
};

type WireValue = WireField["value"];

const READERS: Readonly<Record<Scalar, (value: WireValue, path: string) => unknown>> = {
  string: (value, path) => text(bytesOf(value, path), path),
  boolean: (value, path) => numberOf(value, path) !== 0n,
  int32: (value, path) => Number(BigInt.asIntN(32, numberOf(value, path))),
  int64: (value, path) => integer(numberOf(value, path)),
  bytes: (value, path) => Buffer.from(bytesOf(value, path)).toString("base64"),
  time: (value, path) => time(bytesOf(value, path), { path, digits: 0 }),
  microTime: (value, path) => time(bytesOf(value, path), { path, digits: 6 }),
  quantity: (value, path) => quantity(bytesOf(value, path), path),
  intOrString: (value, path) => intOrString(bytesOf(value, path), path),
  json: (value, path) => json(bytesOf(value, path), path),
};

/** Decodes a value; undefined if it counts as missing, such as a time that was never set. */
export function readScalar(scalar: Scalar, value: WireValue, path: string): unknown {
  return READERS[scalar](value, path);
}

/** The bytes of a length-delimited field. */
export function bytesOf(value: WireValue, path: string): Uint8Array {
  if (typeof value !== "bigint") return value;
  throw new ProtobufError(`${path} is the number ${value}; it must be a text or a message`);
}

function numberOf(value: WireValue, path: string): bigint {
  if (typeof value === "bigint") return value;
  throw new ProtobufError(`${path} has ${value.length} bytes; it must be a number`);
}

const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function text(bytes: Uint8Array, path: string): string {
  try {
    return UTF8.decode(bytes);
  } catch (cause) {
    throw new ProtobufError(`${path} is not a text in UTF-8`, { cause });
  }
}

/** An integer as our JSON has it: a bigint if a number would lose digits. */
function integer(value: bigint): number | bigint {
  const signed = BigInt.asIntN(64, value);
  const number = Number(signed);
  return Number.isSafeInteger(number) ? number : signed;
}

/** The fields of a small message; the last occurrence of each counts. */
function fieldsOf(bytes: Uint8Array, path: string): ReadonlyMap<number, WireValue> {
  return new Map(readFields(bytes, path).map(({ number, value }) => [number, value]));
}

const YEAR_1 = -62_135_596_800;
const YEAR_10000 = 253_402_300_800;
const NANOS_PER_SECOND = 1_000_000_000;

/** Seconds and nanoseconds in RFC 3339; no bytes at all are a time that was never set. */
function time(bytes: Uint8Array, { path, digits }: { path: string; digits: 0 | 6 }): string | undefined {
  if (bytes.length === 0) return undefined;
  const fields = fieldsOf(bytes, path);
  const seconds = Number(BigInt.asIntN(64, numberOf(fields.get(1) ?? 0n, path)));
  const nanos = Number(BigInt.asIntN(32, numberOf(fields.get(2) ?? 0n, path)));
  if (seconds < YEAR_1 || seconds >= YEAR_10000 || nanos < 0 || nanos >= NANOS_PER_SECOND)
    throw new ProtobufError(
      `${path} is ${seconds} s and ${nanos} ns after 1970; it must be in the years 1 to 9999`,
    );
  const fraction = String(nanos).padStart(9, "0").slice(0, digits);
  return new Date(seconds * 1000).toISOString().replace(/\.\d+Z$/, digits === 0 ? "Z" : `.${fraction}Z`);
}

function quantity(bytes: Uint8Array, path: string): string {
  const value = fieldsOf(bytes, path).get(1);
  return value === undefined ? "0" : text(bytesOf(value, path), path);
}

const IS_TEXT = 1n;

function intOrString(bytes: Uint8Array, path: string): number | string {
  const fields = fieldsOf(bytes, path);
  if (fields.get(1) === IS_TEXT) return text(bytesOf(fields.get(3) ?? new Uint8Array(), path), path);
  return Number(BigInt.asIntN(32, numberOf(fields.get(2) ?? 0n, path)));
}

/** JSON inside of protocol buffers, as in managedFields. */
function json(bytes: Uint8Array, path: string): unknown {
  const raw = fieldsOf(bytes, path).get(1);
  if (raw === undefined) return undefined;
  try {
    return parseJson(text(bytesOf(raw, path), path));
  } catch (cause) {
    throw new ProtobufError(`${path} is not JSON`, { cause });
  }
}
