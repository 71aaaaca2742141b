import { deepEqual } from "../values/deep-equal.ts";
import { type FieldError, forbidden, shown } from "../values/field-error.ts";

/** An immutable field. */
export interface ImmutableField<T> {
  readonly path: string;
  readonly read: (object: T) => unknown;
  /** What to do instead. */
  readonly instead: string;
  /** A field that was not set may still be set once. */
  readonly maySetLater?: boolean;
}

/** Reports immutable fields that have changed. */
export function immutableFieldErrors<T>(
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
      : [forbidden(path, `cannot change from ${orUnset(before)} to ${orUnset(after)}: ${instead}`)];
  });
}

function isUnset(value: unknown): boolean {
  return value === undefined || value === "" || value === 0;
}

function orUnset(value: unknown): string {
  return value === undefined ? "unset" : shown(value);
}
