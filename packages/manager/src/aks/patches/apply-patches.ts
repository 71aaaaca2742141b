/**
 * Applies the patches of a user to a computed resource: in order, all of them or none. Pure.
 *
 * An object is a JSON merge patch (RFC 7386), a list a JSON patch (RFC 6902). Admission has refused patches that cannot
 * be parsed or that touch protected fields; a patch of an object that was stored before that rule existed is refused here.
 */
import {
  applyMergePatch,
  type AsoPatch,
  AsoPatchError,
  deepCopy,
  deepFreeze,
  isJsonObject,
  jsonPatch,
  JsonPatchError,
  parseAsoPatch,
  protectedPointers,
} from "@capstan/api";
import type { DesiredObject } from "../desired-object.ts";

/** A patch that cannot be applied. */
interface PatchProblem {
  /** Which patch, by its index in the list. */
  readonly index: number;
  readonly message: string;
}

/** The resource after all patches, or the first problem. */
export type PatchResult = { readonly object: DesiredObject } | { readonly problem: PatchProblem };

/** The resource after each patch, for those who want to know which patch changed what. */
export interface PatchStep {
  readonly index: number;
  readonly object: DesiredObject;
}

/** Applies all patches, in order. */
export function applyPatches(
  object: DesiredObject,
  patches: readonly string[],
  onStep?: (step: PatchStep) => void,
): PatchResult {
  let current = object;
  for (const [index, text] of patches.entries()) {
    try {
      current = withPatch(current, parsed(text));
    } catch (error) {
      if (!(error instanceof AsoPatchError) && !(error instanceof JsonPatchError)) throw error;
      return { problem: { index, message: error.message } };
    }
    onStep?.({ index, object: current });
  }
  return { object: current };
}

// The same patches are applied on each pass, and parsing YAML is most of the work. The limit bounds the memory.
const MOST_PARSED = 256;
const known = new Map<string, AsoPatch>();

function parsed(text: string): AsoPatch {
  const before = known.get(text);
  if (before) return before;
  const patch = deepFreeze(parseAsoPatch(text));
  if (known.size >= MOST_PARSED) known.clear();
  known.set(text, patch);
  return patch;
}

function withPatch(object: DesiredObject, patch: AsoPatch): DesiredObject {
  const [forbidden] = protectedPointers(patch);
  if (forbidden !== undefined)
    throw new AsoPatchError(`${forbidden} is not patchable: the controller sets it`);
  const patched =
    patch.type === "merge" ? applyMergePatch(object, patch.body) : jsonPatched(object, patch.body);
  if (isDesiredObject(patched)) return patched;
  throw new AsoPatchError("the result is not a resource with metadata and spec");
}

function jsonPatched(object: DesiredObject, operations: readonly unknown[]): unknown {
  const copy = deepCopy(object) as object;
  // Operations put their values into the document, and later operations change them there.
  jsonPatch(copy, deepCopy(operations), { rules: "rfc" });
  return copy;
}

function isDesiredObject(value: unknown): value is DesiredObject {
  return isJsonObject(value) && isJsonObject(value["metadata"]) && isJsonObject(value["spec"]);
}
