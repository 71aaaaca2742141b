/** Writes the wire format of protocol buffers, for length-delimited fields: texts, bytes and messages. */

const LENGTH_DELIMITED = 2;

/** A field with a text, bytes, or a serialized message. */
export function bytesField(number: number, value: string | Uint8Array): Uint8Array {
  const bytes = typeof value === "string" ? Buffer.from(value) : value;
  return Buffer.concat([varint((number << 3) | LENGTH_DELIMITED), varint(bytes.length), bytes]);
}

/** A message of the fields; undefined ones are omitted. */
export function message(...fields: readonly (Uint8Array | readonly Uint8Array[] | undefined)[]): Uint8Array {
  return Buffer.concat(fields.flatMap((field) => field ?? []));
}

function varint(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 0x7f; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) | 0x80);
  return Uint8Array.from([...bytes, rest]);
}
