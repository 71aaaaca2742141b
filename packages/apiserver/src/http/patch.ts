import { applyMergePatch, assignOwn, deepCopy, JsonPatchError, jsonPatch } from "@capstan/api";
import type { HttpRequest } from "@capstan/env";
import { duplicateFields } from "../json.ts";
import { StrategicMergeError } from "../patch/strategic-error.ts";
import { strategicMergePatch } from "../patch/strategic-merge.ts";
import { mergeSchemaOf } from "../patch/strategic-schema.ts";
import type { Resource } from "../registry/registry.ts";
import { isTooDeep, NESTING_LIMIT } from "../schema/nesting.ts";
import { mediaType, parseBody } from "./body.ts";
import { ApiError, badRequest, unsupportedMediaType } from "./status.ts";

type Fields = Record<string, unknown>;

/** A decoded patch. */
export interface Patch {
  /** The patched value, which may share frozen parts of the old one; the function may be applied more than once. */
  readonly change: (old: unknown) => unknown;
  /** The fields that the patch names more than once. */
  readonly duplicates: readonly string[];
}

/** Reads a patch, by its media type. */
export function readPatch(resource: Resource, request: HttpRequest): Patch {
  const { body } = request;
  const duplicates = typeof body === "string" ? () => duplicateFields(body) : () => [];
  const type = mediaType(request);
  if (type === "application/json-patch+json") {
    const operations = decode(request);
    if (!Array.isArray(operations))
      throw badRequest("error decoding patch: a JSON patch must be a list of operations");
    const change = (old: unknown): unknown => notTooDeep(applyOperations(old, operations as unknown[]));
    return { change, duplicates: [] };
  }
  if (type === "application/merge-patch+json") {
    const patch = decodeMap(request, "merge patch");
    const apply = resource.strategy.sharesParts ? patchParts : patchAll;
    return { change: (old) => apply(old, patch), duplicates: duplicates() };
  }
  const schema = resource.custom ? undefined : mergeSchemaOf(resource.kind);
  if (type === "application/strategic-merge-patch+json" && schema) {
    const patch = decodeMap(request, "strategic merge patch");
    return {
      change: (old) => notTooDeep(applyStrategic(() => strategicMergePatch(old, patch, schema))),
      duplicates: duplicates(),
    };
  }
  throw unsupportedPatch(resource, type);
}

function patchAll(old: unknown, patch: object): unknown {
  return deepCopy(applyMergePatch(old, patch));
}

/** The parts that the patch does not name stay those of the old object, and frozen; all others are new. */
function patchParts(old: unknown, patch: object): unknown {
  const patched: Fields = { ...(old as Fields) };
  for (const [name, change] of Object.entries(patch)) {
    if (change === null) delete patched[name];
    else assignOwn(patched, name, patchAll(patched[name], change as object));
  }
  return patched;
}

/**
 * No patch is deep itself, but a JSON patch can move values and make an object deeper. A merge patch cannot: each of
 * its values has the same position in the object.
 */
function notTooDeep(patched: unknown): unknown {
  if (!isTooDeep(patched)) return patched;
  throw badRequest(`the patched object is nested deeper than ${NESTING_LIMIT} levels`);
}

function decode(request: HttpRequest): unknown {
  return parseBody(request.body, (problem) => badRequest(`error decoding patch: ${problem}`));
}

function decodeMap(request: HttpRequest, what: string): object {
  const patch = decode(request);
  if (typeof patch !== "object" || patch === null || Array.isArray(patch))
    throw badRequest(`error decoding patch: a ${what} must be a JSON object`);
  return patch;
}

function applyOperations(old: unknown, operations: readonly unknown[]): unknown {
  const copy = deepCopy(old) as object;
  try {
    jsonPatch(copy, operations);
  } catch (error) {
    if (!(error instanceof JsonPatchError)) throw error;
    // kube-apiserver sends only the first half; the reason is useful to users.
    throw new ApiError({
      code: 422,
      reason: "Invalid",
      message: "the server rejected our request due to an error in our request",
      details: { causes: [{ message: error.message, field: "patch" }] },
    });
  }
  return copy;
}

const REASONS: Readonly<Record<number, string>> = { 400: "BadRequest", 422: "Invalid" };

function applyStrategic(apply: () => unknown): unknown {
  try {
    return apply();
  } catch (error) {
    if (!(error instanceof StrategicMergeError)) throw error;
    const reason = REASONS[error.code];
    throw new ApiError({ code: error.code, message: error.message, ...(reason !== undefined && { reason }) });
  }
}

// The patch types of kube-apiserver; it refuses others before it looks at the kind.
const PATCH_TYPES =
  /^application\/(?:(?:json|merge|strategic-merge)-patch\+json|apply-patch\+(?:yaml|cbor))$/;

function unsupportedPatch({ custom }: Resource, type: string): ApiError {
  if (!custom && !PATCH_TYPES.test(type))
    return new ApiError({
      code: 415,
      reason: "UnsupportedMediaType",
      message: "415: Unsupported Media Type",
      details: {},
    });
  const types = ["application/json-patch+json", "application/merge-patch+json"];
  if (!custom) types.push("application/strategic-merge-patch+json");
  types.push("application/apply-patch+yaml");
  return unsupportedMediaType(
    `the body of the request was in an unknown format - accepted media types include: ${types.join(", ")}`,
  );
}
