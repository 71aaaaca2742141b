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
  let draft: Draft = { object, owned: new Set(), isCopy: false };
  for (const [index, text] of patches.entries()) {
    try {
      draft = withPatch(draft, parsed(text));
    } catch (error) {
      if (!(error instanceof AsoPatchError) && !(error instanceof JsonPatchError)) throw error;
      return { problem: { index, message: error.message } };
    }
    if (!onStep) continue;
    onStep({ index, object: draft.object });
    // The listener may keep this object, so the next patch does not change it in place.
    draft = { object: draft.object, owned: new Set(), isCopy: false };
  }
  return { object: draft.object };
}

/** The resource between two patches. */
interface Draft {
  readonly object: DesiredObject;
  /** The objects in it that merge patches have created, and may change in place. */
  readonly owned: Set<object>;
  /** Whether all of it is a copy, which JSON patches may change in place. */
  readonly isCopy: boolean;
}

interface ParsedPatch {
  readonly patch: AsoPatch;
  readonly forbidden: string | undefined;
}

// The same patches are applied on each pass, and parsing YAML is most of the work. The limit bounds the memory.
const MOST_CHARACTERS = 8 * 1024 * 1024;
const known = new Map<string, ParsedPatch>();
let knownCharacters = 0;

function parsed(text: string): ParsedPatch {
  const before = known.get(text);
  if (before) return before;
  const patch = deepFreeze(parseAsoPatch(text));
  const [forbidden] = protectedPointers(patch);
  if (knownCharacters + text.length > MOST_CHARACTERS) {
    known.clear();
    knownCharacters = 0;
  }
  known.set(text, { patch, forbidden });
  knownCharacters += text.length;
  return { patch, forbidden };
}

function withPatch(draft: Draft, { patch, forbidden }: ParsedPatch): Draft {
  if (forbidden !== undefined)
    throw new AsoPatchError(`${forbidden} is not patchable: the controller sets it`);
  const { owned } = draft;
  const isMerge = patch.type === "merge";
  const patched = isMerge ? applyMergePatch(draft.object, patch.body, owned) : jsonPatched(draft, patch.body);
  if (!isDesiredObject(patched))
    throw new AsoPatchError("the result is not a resource with metadata and spec");
  return { object: patched, owned: isMerge ? owned : new Set(), isCopy: !isMerge };
}

function jsonPatched({ object, isCopy }: Draft, operations: readonly unknown[]): unknown {
  const copy = isCopy ? object : deepCopy(object);
  // Operations put their values into the document, and later operations change them there.
  jsonPatch(copy, deepCopy(operations), { rules: "rfc" });
  return copy;
}

function isDesiredObject(value: unknown): value is DesiredObject {
  return isJsonObject(value) && isJsonObject(value["metadata"]) && isJsonObject(value["spec"]);
}
