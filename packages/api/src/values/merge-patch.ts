/** JSON Merge Patch (RFC 7386): applying one, and finding the one that leads from a value to another. */
import { assignOwn } from "./deep-copy.ts";
import { deepEqual } from "./deep-equal.ts";

type Json = Readonly<Record<string, unknown>>;

/** The target after the patch. Neither argument is changed. */
export function applyMergePatch(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const result: Record<string, unknown> = isObject(target) ? { ...target } : {};
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete result[name];
    else assignOwn(result, name, applyMergePatch(result[name], value));
  }
  return result;
}

/**
 * The smallest merge patch that makes `after` of `before`, or undefined when they are equal.
 * Lists are replaced as a whole. A null inside `after` cannot be said in a merge patch and counts as absent.
 */
export function diffMergePatch(before: Json, after: Json): Record<string, unknown> | undefined {
  const patch: Record<string, unknown> = {};
  for (const name of Object.keys(before)) {
    if (before[name] !== undefined && (after[name] === undefined || after[name] === null))
      assignOwn(patch, name, null);
  }
  for (const [name, value] of Object.entries(after)) {
    if (value === undefined || value === null) continue;
    const previous = Object.hasOwn(before, name) ? before[name] : undefined;
    const change =
      isObject(previous) && isObject(value) ? diffMergePatch(previous, value) : unequal(previous, value);
    if (change !== undefined) assignOwn(patch, name, change);
  }
  return Object.keys(patch).length === 0 ? undefined : patch;
}

function unequal(before: unknown, after: unknown): unknown {
  return deepEqual(before, after) ? undefined : after;
}

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
