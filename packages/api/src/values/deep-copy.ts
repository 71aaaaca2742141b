import type { Frozen } from "../kubernetes/meta.ts";

/**
 * A copy of a JSON value that shares nothing with it. Fields that are undefined are left out, as JSON would.
 * To copy a frozen value into one that can be changed, name its type: `deepCopy<Machine>(frozen)`.
 */
export function deepCopy<T>(value: T | Frozen<T>): T {
  return copyOf(value) as T;
}

/** Freezes a JSON value with everything in it, and says so in its type. */
export function deepFreeze<T>(value: T): Frozen<T> {
  if (typeof value === "object" && value !== null) {
    for (const field of Object.values(value)) deepFreeze(field);
    Object.freeze(value);
  }
  return value as Frozen<T>;
}

function copyOf(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(copyOf);
  const copy: Record<string, unknown> = {};
  for (const [key, field] of Object.entries(value)) {
    if (field !== undefined) assignOwn(copy, key, copyOf(field));
  }
  return copy;
}

/** Sets a key as data: a plain assignment to `__proto__` would change the prototype of the target instead. */
export function assignOwn(target: Record<string, unknown>, key: string, value: unknown): void {
  if (key === "__proto__") {
    Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
  } else {
    target[key] = value;
  }
}
