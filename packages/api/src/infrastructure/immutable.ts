import { deepEqual } from "../values/deep-equal.ts";
import { type FieldError, forbidden } from "../values/field-error.ts";

/** A field that keeps the value it was created with. */
export interface ImmutableField<T> {
  readonly path: string;
  readonly read: (object: T) => unknown;
  /** What to do instead. */
  readonly instead: string;
  /** A field that was not set may still be set once. */
  readonly maySetLater?: boolean;
}

/** Says which fields changed that may not. */
export function validateImmutable<T>(
  object: T,
  old: T | undefined,
  fields: readonly ImmutableField<T>[],
): readonly FieldError[] {
  if (old === undefined) {
    return [];
  }
  return fields.flatMap(({ path, read, instead, maySetLater = false }) => {
    const before = read(old);
    const after = read(object);
    const free = maySetLater && isUnset(before);
    return free || deepEqual(before, after)
      ? []
      : [forbidden(path, `cannot change from ${shown(before)} to ${shown(after)}: ${instead}`)];
  });
}

function isUnset(value: unknown): boolean {
  return value === undefined || value === "" || value === 0;
}

function shown(value: unknown): string {
  return value === undefined ? "unset" : JSON.stringify(value);
}
