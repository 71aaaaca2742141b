import { deepEqual, isJsonObject } from "@capstan/api";

// A condition names some of them; a plan of more changes than this is not one that a person can check.
const MOST_CHANGES = 256;

/**
 * The paths of the fields that differ, such as `infraMachine.spec.memoryMiB`. Objects are compared field by field. A list
 * is one field: its items have no names that would mean the same before and after.
 */
export function changedPaths(path: string, before: unknown, after: unknown): readonly string[] {
  const found: string[] = [];
  collect({ path, before, after }, found);
  return found.slice(0, MOST_CHANGES);
}

interface Difference {
  readonly path: string;
  readonly before: unknown;
  readonly after: unknown;
}

function collect({ path, before, after }: Difference, found: string[]): void {
  if (found.length > MOST_CHANGES || deepEqual(before, after)) return;
  // An absent object and an empty one are the same to every provider.
  const [left, right] = [before ?? {}, after ?? {}];
  if (!isJsonObject(left) || !isJsonObject(right)) {
    found.push(path);
    return;
  }
  const fields = new Set([...Object.keys(left), ...Object.keys(right)]);
  if (before === undefined && fields.size === 0) return;
  for (const field of [...fields].toSorted()) {
    collect({ path: `${path}.${field}`, before: left[field], after: right[field] }, found);
  }
}
