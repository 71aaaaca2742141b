/** JSON Merge Patch (RFC 7386): applying one, and computing the difference of two values. */
import { assignOwn } from "./deep-copy.ts";
import { deepEqual } from "./deep-equal.ts";
import { isJsonObject } from "./json-object.ts";

type Json = Readonly<Record<string, unknown>>;

/**
 * The target after the patch. Neither argument is changed, except for objects in `owned`: those are changed in place. New
 * objects are added to it, so that a row of patches copies each object once.
 */
export function applyMergePatch(target: unknown, patch: unknown, owned?: Set<object>): unknown {
  if (!isJsonObject(patch)) return patch;
  const result = writableOf(target, owned);
  for (const name in patch) {
    const value = patch[name];
    if (value === null) delete result[name];
    else assignOwn(result, name, applyMergePatch(result[name], value, owned));
  }
  return result;
}

function writableOf(target: unknown, owned: Set<object> | undefined): Record<string, unknown> {
  if (isJsonObject(target) && owned?.has(target) === true) return target;
  const copy: Record<string, unknown> = isJsonObject(target) ? { ...target } : {};
  owned?.add(copy);
  return copy;
}

/**
 * The smallest merge patch from `before` to `after`, or undefined if they are equal. Lists are replaced as a whole. A
 * null inside `after` cannot be expressed in a merge patch and counts as absent.
 */
export function diffMergePatch(before: Json, after: Json): Record<string, unknown> | undefined {
  if (before === after) return undefined;
  let patch: Record<string, unknown> | undefined;
  for (const name in before) {
    const change = changeOf(before[name], Object.hasOwn(after, name) ? after[name] : undefined);
    if (change !== undefined) assignOwn((patch ??= {}), name, change);
  }
  for (const name in after) {
    const change = Object.hasOwn(before, name) ? undefined : changeOf(undefined, after[name]);
    if (change !== undefined) assignOwn((patch ??= {}), name, change);
  }
  return patch;
}

/** The entry of a merge patch for one field: null to remove it, undefined for no change. */
function changeOf(before: unknown, after: unknown): unknown {
  if (before === after) return undefined;
  if (isAbsent(after)) return isAbsent(before) ? undefined : null;
  if (isJsonObject(before) && isJsonObject(after)) return diffMergePatch(before, after);
  return deepEqual(before, after) ? undefined : after;
}

/** Null and undefined both mean a missing field. */
function isAbsent(value: unknown): boolean {
  return value === null || value === undefined;
}
