import { assignOwn, type Frozen } from "@capstan/api";

/** An object whose fields can be set, while its lists are read-only. */
export type Editable<T> = T extends readonly unknown[]
  ? Frozen<T>
  : T extends object
    ? { [K in keyof T]: Editable<T[K]> }
    : T;

/**
 * A copy whose fields can be set at any depth, while its lists are the frozen lists of the original: to change a list, a
 * reconciler replaces it. A pool has a list of a thousand machines, and hardly any pass changes it.
 */
export function editableCopy<T>(value: T | Frozen<T>): Editable<T> {
  return copyOf(value) as Editable<T>;
}

function copyOf(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const copy: Record<string, unknown> = {};
  for (const key in value) assignOwn(copy, key, copyOf((value as Record<string, unknown>)[key]));
  return copy;
}
