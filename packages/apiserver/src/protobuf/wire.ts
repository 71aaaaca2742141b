import { ProtobufError } from "./protobuf-error.ts";

/** Reads the wire format of protocol buffers: fields with a number and a value, without their meaning. */

/** A field on the wire. */
export interface WireField {
  readonly number: number;
  /** A number, or the bytes of a length-delimited value: a text, a message or a packed list. */
  readonly value: bigint | Uint8Array;
}

const VARINT = 0;
const FIXED64 = 1;
const LENGTH_DELIMITED = 2;
const FIXED32 = 5;

const NUMBER_MAX = 2 ** 29 - 1;

// A 64-bit number has at most this many bytes of 7 bits each.
const VARINT_LENGTH_MAX = 10;

/** Reads the fields of a message. Fixed-width fields are skipped, because no type of Kubernetes has one. */
export function readFields(bytes: Uint8Array, path: string): WireField[] {
  const fields: WireField[] = [];
  const reader = new WireReader(bytes, path);
  while (!reader.isAtEnd()) {
    const tag = Number(reader.varint());
    const number = Math.floor(tag / 8);
    if (number < 1 || number > NUMBER_MAX)
      throw new ProtobufError(
        `${path} has a field with the number ${number}; numbers go from 1 to ${NUMBER_MAX}`,
      );
    const value = readValue(reader, { wireType: tag % 8, number, path });
    if (value !== undefined) fields.push({ number, value });
  }
  return fields;
}

/** Reads a packed list of numbers. */
export function readPacked(bytes: Uint8Array, path: string): bigint[] {
  const numbers: bigint[] = [];
  const reader = new WireReader(bytes, path);
  while (!reader.isAtEnd()) numbers.push(reader.varint());
  return numbers;
}

interface Place {
  readonly wireType: number;
  readonly number: number;
  readonly path: string;
}

function readValue(reader: WireReader, { wireType, number, path }: Place): bigint | Uint8Array | undefined {
  switch (wireType) {
    case VARINT:
      return reader.varint();
    case LENGTH_DELIMITED:
      return reader.take(Number(reader.varint()));
    case FIXED64:
      reader.take(8);
      return undefined;
    case FIXED32:
      reader.take(4);
      return undefined;
    default:
      throw new ProtobufError(
        `${path} has field ${number} with the wire type ${wireType}; Kubernetes uses 0 for numbers and 2 for everything else`,
      );
  }
}

class WireReader {
  readonly #bytes: Uint8Array;
  readonly #path: string;
  #offset = 0;

  constructor(bytes: Uint8Array, path: string) {
    this.#bytes = bytes;
    this.#path = path;
  }

  isAtEnd(): boolean {
    return this.#offset >= this.#bytes.length;
  }

  /** A varint: 7 bits per byte, lowest first, and the eighth bit says that more follow. */
  varint(): bigint {
    let value = 0n;
    for (let index = 0; index < VARINT_LENGTH_MAX; index += 1) {
      const byte = this.#bytes[this.#offset];
      if (byte === undefined) throw new ProtobufError(`${this.#path} ends in the middle of a number`);
      this.#offset += 1;
      value |= BigInt(byte & 0x7f) << BigInt(7 * index);
      if (byte < 0x80) return BigInt.asUintN(64, value);
    }
    throw new ProtobufError(`${this.#path} has a number of more than ${VARINT_LENGTH_MAX} bytes`);
  }

  /** The next bytes; not a copy. */
  take(length: number): Uint8Array {
    const left = this.#bytes.length - this.#offset;
    if (length > left)
      throw new ProtobufError(`${this.#path} has a field of ${length} bytes where only ${left} are left`);
    const start = this.#offset;
    this.#offset += length;
    return this.#bytes.subarray(start, this.#offset);
  }
}
