import { type Message, type MessageField, messageOf, type Scalar, type ValueType } from "./messages.ts";
import { ProtobufError } from "./protobuf-error.ts";
import { bytesOf, readScalar, ZEROS } from "./scalars.ts";
import { readFields, readPacked, type WireField } from "./wire.ts";

type Fields = Readonly<Record<string, unknown>>;

// The prefix of Kubernetes' protobuf messages, which distinguishes them from other formats.
const MAGIC = Buffer.from("k8s\0");

/**
 * Decodes an object that a client has sent as `application/vnd.kubernetes.protobuf` into the equivalent JSON. Unknown
 * fields are skipped, as usual in protocol buffers.
 */
export function decodeKubernetesProtobuf(bytes: Uint8Array): unknown {
  if (!MAGIC.equals(bytes.subarray(0, MAGIC.length)))
    throw new ProtobufError('the body does not begin with "k8s" and a zero, as objects in protobuf do');
  const { typeMeta = {}, raw, contentEncoding } = readEnvelope(bytes.subarray(MAGIC.length));
  if (contentEncoding)
    throw new ProtobufError(`the body is encoded as ${contentEncoding}; it must not be encoded`);
  const { apiVersion = "", kind = "" } = typeMeta;
  const message = messageOf(apiVersion, kind);
  if (!message)
    throw new ProtobufError(
      `the kind ${JSON.stringify(kind)} of ${JSON.stringify(apiVersion)} is not known in protobuf here; send it as application/json`,
    );
  return { apiVersion, kind, ...decodeMessage(raw ?? new Uint8Array(), message, "") };
}

const TEXT: ValueType = { form: "scalar", scalar: "string" };

const text = (name: string): MessageField => ({ name, type: TEXT, keepsZero: false });

const TYPE_META: Message = new Map([
  [1, text("apiVersion")],
  [2, text("kind")],
]);

const RAW = 2;

/** The envelope of every object. */
const ENVELOPE: Message = new Map([
  [1, { name: "typeMeta", type: { form: "message", message: () => TYPE_META }, keepsZero: false }],
  [3, text("contentEncoding")],
]);

interface Envelope {
  readonly typeMeta?: { readonly apiVersion?: string; readonly kind?: string };
  readonly contentEncoding?: string;
  readonly raw?: Uint8Array | undefined;
}

function readEnvelope(bytes: Uint8Array): Envelope {
  const path = "the envelope of the object";
  const raw = readFields(bytes, path).findLast(({ number }) => number === RAW);
  return { ...decodeMessage(bytes, ENVELOPE, path), raw: raw && bytesOf(raw.value, path) };
}

/** No type contains itself, so the types bound the depth of the recursion. */
function decodeMessage(bytes: Uint8Array, message: Message, path: string): Fields {
  const occurrences = Map.groupBy(
    readFields(bytes, path === "" ? "the object" : path),
    ({ number }) => number,
  );
  const fields: (readonly [string, unknown])[] = [];
  for (const [number, found] of occurrences) {
    const field = message.get(number);
    if (!field) continue;
    const value = decodeField(found, field, pathTo(path, field.name));
    if (field.name === "") fields.push(...Object.entries(value as Fields));
    else if (value !== undefined) fields.push([field.name, value]);
  }
  return Object.fromEntries(fields);
}

function pathTo(path: string, name: string): string {
  return path === "" || name === "" ? path + name : `${path}.${name}`;
}

/** Decodes all occurrences of a field: of a single value the last one counts, messages and lists are merged. */
function decodeField(found: readonly WireField[], { type, keepsZero }: MessageField, path: string): unknown {
  switch (type.form) {
    case "list":
      return decodeList(found, type.item, path);
    case "map":
      return Object.fromEntries(
        found.map(({ value }) => decodeEntry(bytesOf(value, path), type.value, path)),
      );
    case "message":
      return decodeMessage(concatenated(found, path), type.message(), path);
    case "scalar": {
      const last = found.at(-1);
      const value = last && readScalar(type.scalar, last.value, path);
      return !keepsZero && isNothing(value, type.scalar) ? undefined : value;
    }
  }
}

const PLAIN: ReadonlySet<Scalar> = new Set(["string", "boolean", "int32", "int64", "bytes"]);

/** Whether a value is what Go writes for a field that was never set; Go omits such messages. */
function isNothing(value: unknown, scalar: Scalar): boolean {
  return PLAIN.has(scalar) && value === ZEROS[scalar];
}

function concatenated(found: readonly WireField[], path: string): Uint8Array {
  const [first] = found;
  if (first && found.length === 1) return bytesOf(first.value, path);
  return Buffer.concat(found.map(({ value }) => bytesOf(value, path)));
}

function decodeList(found: readonly WireField[], item: ValueType, path: string): unknown[] {
  const isNumber = item.form === "scalar" && ["int32", "int64", "boolean"].includes(item.scalar);
  const values = isNumber
    ? found.flatMap(({ value }) => (typeof value === "bigint" ? value : readPacked(value, path)))
    : found.map(({ value }) => value);
  return values.map((value, index) => decodeValue(value, item, `${path}[${index}]`));
}

function decodeValue(value: bigint | Uint8Array, type: ValueType, path: string): unknown {
  return decodeField([{ number: 0, value }], { name: "", type, keepsZero: true }, path);
}

const KEY = 1;
const VALUE = 2;

function decodeEntry(bytes: Uint8Array, type: ValueType, path: string): [string, unknown] {
  const entry = new Map(readFields(bytes, path).map(({ number, value }) => [number, value]));
  const key = String(readScalar("string", entry.get(KEY) ?? new Uint8Array(), path));
  const value = entry.get(VALUE);
  const place = `${path}[${JSON.stringify(key)}]`;
  if (type.form === "list") return [key, decodeItems(value ?? new Uint8Array(), type.item, place)];
  if (value === undefined) return [key, type.form === "scalar" ? ZEROS[type.scalar] : {}];
  return [key, decodeValue(value, type, place)];
}

/** A list as the value of a map: protocol buffers wrap it in a message with one field. */
function decodeItems(value: bigint | Uint8Array, item: ValueType, path: string): unknown[] {
  const items = readFields(bytesOf(value, path), path).filter(({ number }) => number === 1);
  return decodeList(items, item, path);
}
