import { failed } from "../http/status.ts";

// etcd refuses requests above 1.5 MiB: what cannot be stored in a real cluster is not stored here either.
const OBJECT_LIMIT_BYTES = 1.5 * 1024 * 1024;

type Fields = Readonly<Record<string, unknown>>;

/** Refuses an object that a real cluster could not store, in the words that etcd's refusal is passed on with. */
export function checkSize(object: unknown): void {
  // Counting bytes is slow, and nearly all objects are far below the limit however many bytes their letters take.
  if (jsonBytes(object, mostBytes) <= OBJECT_LIMIT_BYTES) return;
  if (jsonBytes(object, (text) => Buffer.byteLength(text)) > OBJECT_LIMIT_BYTES)
    throw failed("etcdserver: request is too large");
}

// A letter of a text takes at most three bytes in UTF-8; those that take four are two letters of the text.
function mostBytes(text: string): number {
  return 3 * text.length;
}

/** The length of a value as JSON in UTF-8, without printing it; escapes inside texts are not counted. */
function jsonBytes(value: unknown, bytesOf: (text: string) => number): number {
  if (typeof value === "string") return bytesOf(value) + 2;
  if (typeof value === "number" || typeof value === "bigint") return String(value).length;
  if (value === null || typeof value !== "object") return 4;
  let sum = 2;
  if (Array.isArray(value)) {
    // The longest lists are of texts; an iterator over one that is frozen would make an object for each.
    for (let index = 0; index < value.length; index++) {
      const item: unknown = value[index];
      sum += 1 + (typeof item === "string" ? bytesOf(item) + 2 : jsonBytes(item, bytesOf));
    }
  } else for (const key in value) sum += key.length + 4 + jsonBytes((value as Fields)[key], bytesOf);
  return sum;
}
