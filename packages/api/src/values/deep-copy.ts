import type { Frozen } from "../kubernetes/meta.ts";

/**
 * A copy of a JSON value that shares nothing with it. Undefined fields are omitted, as in JSON. To copy a frozen value
 * into a mutable one, name its type: `deepCopy<Machine>(frozen)`.
 */
export function deepCopy<T>(value: T | Frozen<T>): T {
  return copyOf(value, ANY_DEPTH) as T;
}

// More levels than any stack can hold.
const ANY_DEPTH = 1_000_000;

/** A copy of a JSON value from outside; throws a NestingError if it is nested too deeply. */
export function deepCopyWithin(value: unknown, levels: number): unknown {
  return copyOf(value, levels);
}

/** A value is nested too deeply, or contains itself. */
export class NestingError extends Error {
  override readonly name = "NestingError";
}

/** Freezes a JSON value with everything in it, also in its type. */
export function deepFreeze<T>(value: T): Frozen<T> {
  if (typeof value === "object" && value !== null) freezeObject(value);
  return value as Frozen<T>;
}

// These avoid lists of fields: every object that is read or written passes here, so they are the hottest loops.

function copyOf(value: unknown, levels: number): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (levels === 0) throw new NestingError("the value has too many levels");
  if (Array.isArray(value)) return copyOfList(value, levels - 1);
  const copy: Record<string, unknown> = {};
  for (const key in value) {
    const field = (value as Record<string, unknown>)[key];
    if (field === undefined) continue;
    const own = typeof field === "object" ? copyOf(field, levels - 1) : field;
    if (key === "__proto__") assignOwn(copy, key, own);
    else copy[key] = own;
  }
  return copy;
}

/**
 * Spreads the list, which copies it as a block: item by item a long list of texts, frozen or not, takes five times as
 * long.
 */
function copyOfList(list: readonly unknown[], levels: number): unknown[] {
  const copy = [...list];
  for (let index = 0; index < copy.length; index++) {
    if (typeof copy[index] === "object") copy[index] = copyOf(copy[index], levels);
  }
  return copy;
}

function freezeObject(value: object): void {
  if (Array.isArray(value)) {
    for (const item of value) if (typeof item === "object" && item !== null) freezeObject(item as object);
  } else {
    for (const key in value) {
      const field = (value as Record<string, unknown>)[key];
      if (typeof field === "object" && field !== null) freezeObject(field);
    }
  }
  Object.freeze(value);
}

/** Sets a key as data: a plain assignment to `__proto__` would change the prototype of the target instead. */
export function assignOwn(target: Record<string, unknown>, key: string, value: unknown): void {
  if (key === "__proto__") {
    Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
  } else {
    target[key] = value;
  }
}
