/**
 * Checks the patches that users lay over the ASO resources we compute.
 *
 * A patch may set anything but what makes the resource ours: its identity, its owner, its credentials and its
 * pools. A patch that touches those would break the cluster later and elsewhere, so it is refused here, by name.
 */
import { CLUSTER_NAME_LABEL } from "../cluster/well-known.ts";
import { type FieldError, forbidden, invalid } from "../values/field-error.ts";

/** What is wrong with a patch: where it reaches, and why it may not. */
export interface PatchProblem {
  /** A JSON pointer into the resource; empty when the patch itself is malformed. */
  readonly pointer: string;
  readonly detail: string;
}

const PROTECTED: readonly (readonly string[])[] = [
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
  ["spec", "operatorSpec", "secrets", "adminCredentials"],
  ["spec", "operatorSpec", "secrets", "userCredentials"],
];

const OPERATIONS = ["add", "remove", "replace", "move", "copy", "test"];
const SHAPES = "must be an object (JSON merge patch) or a list of operations (JSON patch)";

/** Says what is wrong with a parsed patch: an object is a merge patch, a list is a JSON patch. */
export function asoPatchProblems(patch: unknown): readonly PatchProblem[] {
  if (Array.isArray(patch)) {
    return patch.flatMap((operation: unknown, index) => operationProblems(operation, index));
  }
  if (!isObject(patch)) {
    return [{ pointer: "", detail: SHAPES }];
  }
  return PROTECTED.filter((path) => mergeReaches(patch, path)).map(protectedProblem);
}

/** Says what is wrong with patches as users write them. A text that is not JSON may be YAML and is left to its reader. */
export function validateAsoPatches(
  patches: readonly string[] | undefined,
  path: string,
): readonly FieldError[] {
  return (patches ?? []).flatMap((text, index) => {
    const at = `${path}[${index}]`;
    const patch = parseJson(text);
    if (patch === NOT_JSON) {
      return text.trim() === "" ? [invalid(at, text, SHAPES)] : [];
    }
    return asoPatchProblems(patch).map(({ pointer, detail }) =>
      pointer === "" ? invalid(at, text, detail) : forbidden(at, `${pointer} ${detail}`),
    );
  });
}

/** Says which patches admission could not look into. */
export function warnAsoPatches(patches: readonly string[] | undefined, path: string): readonly string[] {
  return (patches ?? []).flatMap((text, index) =>
    parseJson(text) === NOT_JSON
      ? [`${path}[${index}] is not JSON: it is checked only when it is applied`]
      : [],
  );
}

const NOT_JSON = Symbol("not JSON");

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return NOT_JSON;
  }
}

function protectedProblem(path: readonly string[]): PatchProblem {
  return { pointer: printPointer(path), detail: "is not patchable: the controller sets it" };
}

/** A merge patch reaches a field when it names it, or when it replaces something around it by other than an object. */
function mergeReaches(patch: Record<string, unknown>, path: readonly string[]): boolean {
  let here: unknown = patch;
  for (const key of path) {
    if (!isObject(here)) {
      return true;
    }
    if (!Object.hasOwn(here, key)) {
      return false;
    }
    here = here[key];
  }
  return true;
}

function operationProblems(operation: unknown, index: number): readonly PatchProblem[] {
  const malformed = isObject(operation) ? operationFault(operation) : NO_OPERATION;
  if (!isObject(operation) || malformed !== undefined) {
    return [{ pointer: "", detail: `operation ${index} ${malformed}` }];
  }
  const { op, path, from } = operation;
  const written = [
    op === "test" ? undefined : parsePointer(path),
    op === "move" ? parsePointer(from) : undefined,
  ];
  return PROTECTED.filter((field) => written.some((pointer) => pointer && overlaps(pointer, field))).map(
    protectedProblem,
  );
}

const NO_OPERATION = `must be an object whose op is one of ${OPERATIONS.join(", ")}`;

function operationFault(operation: Record<string, unknown>): string | undefined {
  const { op, path, from } = operation;
  if (typeof op !== "string" || !OPERATIONS.includes(op)) {
    return NO_OPERATION;
  }
  const pointers = { path, ...((op === "move" || op === "copy") && { from }) };
  const bad = Object.entries(pointers).find(([, pointer]) => !parsePointer(pointer));
  if (bad) {
    return `(${op}) must have a JSON pointer such as /spec/field as ${bad[0]}`;
  }
  const needsValue = op === "add" || op === "replace" || op === "test";
  return needsValue && !Object.hasOwn(operation, "value") ? `(${op}) must have a value` : undefined;
}

/** A pointer reaches a field from above (it replaces all around it) and from below (it changes a part). */
function overlaps(pointer: readonly string[], field: readonly string[]): boolean {
  const length = Math.min(pointer.length, field.length);
  return pointer.slice(0, length).every((segment, index) => segment === field[index]);
}

function parsePointer(pointer: unknown): readonly string[] | undefined {
  if (pointer === "") {
    return [];
  }
  if (typeof pointer !== "string" || !pointer.startsWith("/") || /~(?![01])/.test(pointer)) {
    return undefined;
  }
  return pointer
    .slice(1)
    .split("/")
    .map((segment) => segment.replaceAll("~1", "/").replaceAll("~0", "~"));
}

function printPointer(path: readonly string[]): string {
  return path.map((segment) => `/${segment.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
