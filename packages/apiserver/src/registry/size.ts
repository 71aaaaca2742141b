import { failed } from "../http/status.ts";
import type { Draft } from "../storage/storage.ts";

// etcd refuses requests above 1.5 MiB: this server refuses what a real cluster cannot store.
const OBJECT_LIMIT_BYTES = 1.5 * 1024 * 1024;

type Fields = Readonly<Record<string, unknown>>;

/**
 * Refuses an object that a real cluster could not store, with etcd's message. As in kube-apiserver, an object that is
 * too large because of its managers is stored without them, unless it was applied.
 */
export function checkSize(draft: Draft, { isApply = false }: { readonly isApply?: boolean }): void {
  if (isStorable(draft)) return;
  const { managedFields: _, ...metadata } = draft.metadata;
  if (!isApply) draft.metadata = metadata;
  if (isApply || !isStorable(draft)) throw failed("etcdserver: request is too large");
}

/** Refuses an apply whose result would be too large, before the work that it would cause. */
export function checkLeastBytes(bytes: number): void {
  if (bytes > OBJECT_LIMIT_BYTES) throw failed("etcdserver: request is too large");
}

function isStorable(draft: Draft): boolean {
  // Counting bytes is slow, and nearly all objects are below the limit even with the largest estimate.
  return jsonBytes(draft, AT_MOST) <= OBJECT_LIMIT_BYTES || jsonBytes(draft, EXACTLY) <= OBJECT_LIMIT_BYTES;
}

/** A way to count bytes. */
interface Measure {
  bytesOf(text: string): number;
  /** Cached lengths of long immutable lists, such as the machines of a pool. */
  readonly lists: WeakMap<readonly unknown[], number>;
}

// A UTF-16 code unit takes at most three bytes in UTF-8; characters of four bytes are two code units.
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

// For shorter ones, counting is faster than the lookup.
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
  // The longest lists contain texts; an iterator over a frozen list would create an object for each.
  for (let index = 0; index < list.length; index++) {
    const item: unknown = list[index];
    sum += 1 + (typeof item === "string" ? measure.bytesOf(item) + 2 : jsonBytes(item, measure));
  }
  return sum;
}
