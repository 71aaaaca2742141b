import { failed } from "../http/status.ts";

// etcd refuses requests above 1.5 MiB: what cannot be stored in a real cluster is not stored here either.
const OBJECT_LIMIT_BYTES = 1.5 * 1024 * 1024;

type Fields = Readonly<Record<string, unknown>>;

/** Refuses an object that a real cluster could not store, in the words that etcd's refusal is passed on with. */
export function checkSize(object: unknown): void {
  // Counting bytes is slow, and nearly all objects are far below the limit however many bytes their letters take.
  if (jsonBytes(object, AT_MOST) <= OBJECT_LIMIT_BYTES) return;
  if (jsonBytes(object, EXACTLY) > OBJECT_LIMIT_BYTES) throw failed("etcdserver: request is too large");
}

/** A way to measure. */
interface Measure {
  bytesOf(text: string): number;
  /** The long lists that have been measured and never change, such as the machines of a pool. */
  readonly lists: WeakMap<readonly unknown[], number>;
}

// A letter of a text takes at most three bytes in UTF-8; those that take four are two letters of the text.
const AT_MOST: Measure = { bytesOf: (text) => 3 * text.length, lists: new WeakMap() };
const EXACTLY: Measure = { bytesOf: (text) => Buffer.byteLength(text), lists: new WeakMap() };

/** The length of a value as JSON in UTF-8, without printing it; escapes inside texts are not counted. */
function jsonBytes(value: unknown, measure: Measure): number {
  if (typeof value === "string") return measure.bytesOf(value) + 2;
  if (typeof value === "number" || typeof value === "bigint") return String(value).length;
  if (value === null || typeof value !== "object") return 4;
  if (Array.isArray(value)) return listBytes(value, measure);
  let sum = 2;
  for (const key in value) sum += key.length + 4 + jsonBytes((value as Fields)[key], measure);
  return sum;
}

// Shorter ones are measured sooner than looked up.
const LONG = 32;

function listBytes(list: readonly unknown[], measure: Measure): number {
  if (list.length < LONG || !Object.isFrozen(list)) return itemBytes(list, measure);
  const known = measure.lists.get(list);
  if (known !== undefined) return known;
  const bytes = itemBytes(list, measure);
  measure.lists.set(list, bytes);
  return bytes;
}

function itemBytes(list: readonly unknown[], measure: Measure): number {
  let sum = 2;
  // The longest lists are of texts; an iterator over one that is frozen would make an object for each.
  for (let index = 0; index < list.length; index++) {
    const item: unknown = list[index];
    sum += 1 + (typeof item === "string" ? measure.bytesOf(item) + 2 : jsonBytes(item, measure));
  }
  return sum;
}
