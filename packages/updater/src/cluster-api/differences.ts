import { isDeepStrictEqual } from "node:util";
import { isObject, type JsonObject } from "../request-body.ts";

/** The fields of an object that differ: by their paths, and as a patch. */
export interface Difference {
  /** Such as `infraMachine.spec.vmSize`; a list is one field. */
  readonly paths: readonly string[];
  /** The JSON merge patch that makes these of the changes, and no others; undefined if it would be empty. */
  readonly patchFor: (accepted: ReadonlySet<string>) => JsonObject | undefined;
}

/** Compares the fields of an object before and after an update. */
export function differenceOf(path: string, before: JsonObject, after: JsonObject): Difference {
  const paths = changedPaths(path, before, after);
  return {
    paths,
    patchFor: (accepted) => {
      const refused = paths.filter((one) => !accepted.has(one));
      const patch = patched({ path, before, after }, refused);
      return Object.keys(patch).length === 0 ? undefined : patch;
    },
  };
}

function changedPaths(path: string, before: unknown, after: unknown): readonly string[] {
  if (isDeepStrictEqual(before, after)) return [];
  const [left, right] = [before ?? {}, after ?? {}];
  if (!isObject(left) || !isObject(right)) return [path];
  return fieldsOf(left, right).flatMap((field) =>
    changedPaths(`${path}.${field}`, left[field], right[field]),
  );
}

interface Compared {
  readonly path: string;
  readonly before: JsonObject;
  readonly after: JsonObject;
}

/** Takes over each field, and of a field with a refused change below it only what is not refused. */
function patched({ path, before, after }: Compared, refused: readonly string[]): JsonObject {
  const patch: Record<string, unknown> = {};
  for (const field of fieldsOf(before, after)) {
    const at = `${path}.${field}`;
    const [left, right] = [before[field], after[field]];
    if (isDeepStrictEqual(left, right) || refused.includes(at)) continue;
    const isPartly = refused.some((one) => one.startsWith(`${at}.`));
    if (isPartly || (isObject(left) && isObject(right))) {
      const below = patched({ path: at, before: objectOr(left), after: objectOr(right) }, refused);
      if (Object.keys(below).length > 0) patch[field] = below;
      // In a merge patch null removes a field.
    } else patch[field] = right ?? null;
  }
  return patch;
}

function objectOr(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

function fieldsOf(before: JsonObject, after: JsonObject): readonly string[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].toSorted();
}
