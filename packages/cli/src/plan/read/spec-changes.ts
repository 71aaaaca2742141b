import { deepEqual, isJsonObject } from "@capstan/api";

/** A field with its values before and after; undefined means that it is not set. */
export interface FieldChange {
  readonly path: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** The fields in which two values differ, each by its path; lists are compared as a whole. */
export function changesBetween(before: unknown, after: unknown, path: string): readonly FieldChange[] {
  if (deepEqual(before, after)) return [];
  if (!isJsonObject(before) || !isJsonObject(after)) return [{ path, before, after }];
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  return keys.flatMap((key) => changesBetween(before[key], after[key], `${path}.${key}`));
}

/** A change in a line. */
export function changeLine({ path, before, after }: FieldChange): string {
  return `${path}: ${textOf(before)} to ${textOf(after)}`;
}

function textOf(value: unknown): string {
  return value === undefined ? "unset" : JSON.stringify(value);
}
