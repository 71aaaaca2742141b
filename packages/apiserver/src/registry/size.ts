import { failed } from "../http/status.ts";

// etcd refuses requests above 1.5 MiB: what cannot be stored in a real cluster is not stored here either.
const OBJECT_LIMIT_BYTES = 1.5 * 1024 * 1024;

/** Refuses an object that a real cluster could not store, in the words that etcd's refusal is passed on with. */
export function checkSize(object: unknown): void {
  if (jsonBytes(object) > OBJECT_LIMIT_BYTES) throw failed("etcdserver: request is too large");
}

/** The length of a value as JSON in UTF-8, without printing it; escapes inside texts are not counted. */
function jsonBytes(value: unknown): number {
  if (typeof value === "string") return Buffer.byteLength(value) + 2;
  if (typeof value === "number" || typeof value === "bigint") return String(value).length;
  if (value === null || typeof value !== "object") return 4;
  if (Array.isArray(value)) return value.reduce((sum: number, item) => sum + jsonBytes(item) + 1, 2);
  let sum = 2;
  for (const [key, field] of Object.entries(value)) sum += key.length + 4 + jsonBytes(field);
  return sum;
}
