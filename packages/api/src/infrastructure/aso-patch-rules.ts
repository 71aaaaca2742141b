/**
 * The fields of an ASO resource that patches may not change.
 *
 * A patch may set anything except what makes the resource ours: its identity, its owner, its credentials and its pools.
 * Such a patch would break the cluster later and elsewhere, so it is refused here, with the field.
 */
import { CLUSTER_NAME_LABEL } from "../cluster/well-known.ts";
import { type FieldError, forbidden, invalid } from "../values/field-error.ts";
import { isJsonObject } from "../values/json-object.ts";
import {
  type AsoPatch,
  AsoPatchError,
  type AsoPatchOperation,
  formatPointer,
  parseAsoPatch,
  parsePointer,
} from "./aso-patch.ts";

type Path = readonly string[];

/** A segment that begins with a star matches all that end with the rest of it. */
const PROTECTED: readonly Path[] = [
  ["apiVersion"],
  ["kind"],
  ["metadata", "name"],
  ["metadata", "namespace"],
  ["metadata", "ownerReferences"],
  ["metadata", "finalizers"],
  ["metadata", "labels", CLUSTER_NAME_LABEL],
  ["metadata", "annotations", "serviceoperator.azure.com/reconcile-policy"],
  ["metadata", "annotations", "serviceoperator.azure.com/credential-from"],
  ["status"],
  ["spec", "owner"],
  ["spec", "azureName"],
  ["spec", "agentPoolProfiles"],
  ["spec", "operatorSpec", "secrets", "*Credentials"],
];

// No user writes so many; together they bound the work of a reconcile. The resource itself has at most 1.5 MB in etcd.
const MOST_PATCHES = 1000;
const LONGEST_PATCHES = 512 * 1024;

/** The protected fields that a patch changes, as JSON pointers. */
export function protectedPointers(patch: AsoPatch): readonly string[] {
  const touches =
    patch.type === "merge"
      ? (path: Path) => mergeTouches(patch.body, path)
      : (path: Path) => patch.body.some((operation) => operationTouches(operation, path));
  return PROTECTED.filter(touches).map(formatPointer);
}

/** Validates the patches of a user, each by its index. */
export function asoPatchErrors(path: string, patches: readonly string[] | undefined): readonly FieldError[] {
  if (patches === undefined) return [];
  if (patches.length > MOST_PATCHES)
    return [invalid(path, patches.length, `must have at most ${MOST_PATCHES} patches`)];
  const length = patches.reduce((sum, text) => sum + text.length, 0);
  if (length > LONGEST_PATCHES)
    return [invalid(path, length, `must have at most ${LONGEST_PATCHES} characters in all patches together`)];
  return patches.flatMap((text, index) => patchErrors(`${path}[${index}]`, text));
}

function patchErrors(at: string, text: string): readonly FieldError[] {
  try {
    return protectedPointers(parseAsoPatch(text)).map((pointer) =>
      forbidden(at, `${pointer} is not patchable: the controller sets it`),
    );
  } catch (error) {
    if (error instanceof AsoPatchError) return [invalid(at, text, error.message)];
    throw error;
  }
}

/** A merge patch changes a field if it names it, or if it replaces a parent by a value that is not an object. */
function mergeTouches(patch: unknown, [first, ...rest]: Path): boolean {
  if (first === undefined || !isJsonObject(patch)) return true;
  return Object.entries(patch).some(([key, value]) => matches(first, key) && mergeTouches(value, rest));
}

/** A test changes nothing. A copy from a protected field is refused like a write, so that no protected value leaks. */
function operationTouches(operation: AsoPatchOperation, path: Path): boolean {
  if (operation.op === "test") return false;
  const pointers = "from" in operation ? [operation.path, operation.from] : [operation.path];
  return pointers.some((pointer) => overlaps(parsePointer(pointer) ?? [], path));
}

/** A pointer changes a field from above (it replaces a parent) and from below (it changes a part). */
function overlaps(pointer: Path, path: Path): boolean {
  const length = Math.min(pointer.length, path.length);
  return path.slice(0, length).every((pattern, index) => matches(pattern, pointer[index] ?? ""));
}

function matches(pattern: string, segment: string): boolean {
  return pattern.startsWith("*") ? segment.endsWith(pattern.slice(1)) : segment === pattern;
}
