/**
 * The fields of an ASO resource that patches may not change.
 *
 * A patch may set anything except what makes the resource ours: its identity, its owner, its credentials, its pools, and the
 * labels and annotations by which controllers and tools decide about it. Such a patch would break the cluster later and
 * elsewhere, so it is refused here, with the field.
 */
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

/**
 * Labels and annotations of controllers: Azure Service Operator's decide what it does with the resource, Cluster API's, CAPZ's
 * and ours whose it is, kubectl's what an apply removes.
 */
const PROTECTED_NAMES: readonly string[] = [
  "*.azure.com/*",
  "*cluster.x-k8s.io/*",
  "sigs.k8s.io/cluster-api-provider-azure-*",
  "kubectl.kubernetes.io/*",
  "*capstan.dev/*",
];

/** A star at either end of a segment stands for any text. */
const PROTECTED: readonly Path[] = [
  ["apiVersion"],
  ["kind"],
  ["metadata", "name"],
  ["metadata", "namespace"],
  ["metadata", "ownerReferences"],
  ["metadata", "finalizers"],
  ...PROTECTED_NAMES.map((name) => ["metadata", "labels", name]),
  ...PROTECTED_NAMES.map((name) => ["metadata", "annotations", name]),
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
  const pointers = patch.type === "json" ? changedPointers(patch.body) : [];
  const touched = (path: Path): Path | undefined =>
    patch.type === "merge" ? touchedByMerge(patch.body, path) : touchedByPointers(pointers, path);
  return PROTECTED.flatMap((path) => {
    const found = touched(path);
    return found ? [formatPointer(found)] : [];
  });
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

/** The field that a merge patch changes: it names the field, or replaces a parent by a value that is not an object. */
function touchedByMerge(patch: unknown, path: Path): Path | undefined {
  const [first, ...rest] = path;
  if (first === undefined || !isJsonObject(patch)) return path;
  for (const [key, value] of Object.entries(patch)) {
    const below = matches(first, key) ? touchedByMerge(value, rest) : undefined;
    if (below) return [key, ...below];
  }
  return undefined;
}

/** A test changes nothing. A copy from a protected field is refused like a write, so that no protected value leaks. */
function changedPointers(operations: readonly AsoPatchOperation[]): readonly Path[] {
  return operations
    .filter(({ op }) => op !== "test")
    .flatMap((operation) => ("from" in operation ? [operation.path, operation.from] : [operation.path]))
    .map((pointer) => parsePointer(pointer) ?? []);
}

function touchedByPointers(pointers: readonly Path[], path: Path): Path | undefined {
  const pointer = pointers.find((one) => overlaps(one, path));
  return pointer && path.map((pattern, index) => pointer[index] ?? pattern);
}

/** A pointer changes a field from above (it replaces a parent) and from below (it changes a part). */
function overlaps(pointer: Path, path: Path): boolean {
  const length = Math.min(pointer.length, path.length);
  return path.slice(0, length).every((pattern, index) => matches(pattern, pointer[index] ?? ""));
}

function matches(pattern: string, segment: string): boolean {
  const text = pattern.replace(/^\*|\*$/g, "");
  const [isOpenBefore, isOpenBehind] = [pattern.startsWith("*"), pattern.endsWith("*")];
  if (isOpenBefore && isOpenBehind) return segment.includes(text);
  if (isOpenBefore) return segment.endsWith(text);
  return isOpenBehind ? segment.startsWith(text) : segment === text;
}
