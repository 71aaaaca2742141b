/** Writes in a version of a kind that is not the stored one. */
import { deepCopy, deepEqual } from "@capstan/api";
import { applyDefaults } from "../schema/defaults.ts";
import { prune } from "../schema/prune.ts";
import type { Draft, StoredObject } from "../storage/storage.ts";
import { type Admission, type AdmissionReview, mutate } from "./admission.ts";
import { keepUnseen } from "./kept-fields.ts";
import type { Resource } from "./registry.ts";
import { sharing } from "./sharing.ts";
import { keepIfUnchanged } from "./unchanged.ts";

type Fields = Record<string, unknown>;

/** The object before an update. */
export interface Before {
  /** In the version of the request. */
  readonly old: StoredObject;
  readonly stored: StoredObject;
}

/** A draft in the stored version, and what its client should know about the conversion. */
export interface StoredDraft {
  readonly draft: Draft;
  readonly warnings: readonly string[];
}

/** Whether objects of this version have another form than stored ones. */
function isConverted({ custom, apiVersion, kind, form }: Resource): boolean {
  return form !== undefined || (custom?.convert !== undefined && apiVersion !== kind.apiVersion);
}

/**
 * The draft of a request in the stored version. In an update, everything that the request does not change stays as it
 * is stored.
 */
export function toStoredVersion(resource: Resource, draft: Draft, before?: Before): StoredDraft {
  const { schema, custom } = resource;
  if (!isConverted(resource)) {
    if (!custom || custom.stored === schema) return { draft, warnings: [] };
    // A copy, because a draft may share frozen parts with the stored object.
    return { draft: underStoredSchema(resource, deepCopy(draft)), warnings: [] };
  }
  if (before && isSame(before.old, draft)) return { draft: { ...before.stored } as Draft, warnings: [] };
  const { draft: next, warnings } = converted(resource, draft);
  if (!before || !custom) return { draft: next, warnings };
  const seen = converted(resource, before.old).draft;
  return { draft: withUnseen(resource, { stored: before.stored, seen, next }), warnings };
}

function converted(resource: Resource, object: StoredObject | Draft): StoredDraft {
  const { custom, form, kind, apiVersion } = resource;
  if (form) return { draft: form.toStored(object) as Draft, warnings: [] };
  if (!custom?.convert) return { draft: object as Draft, warnings: [] };
  const result = custom.convert(object, { from: apiVersion, to: kind.apiVersion });
  return { draft: underStoredSchema(resource, result.object as Draft), warnings: result.warnings };
}

function underStoredSchema({ custom }: Resource, draft: Draft): Draft {
  if (!custom) return draft;
  prune(custom.stored, draft);
  applyDefaults(custom.stored, draft);
  return draft;
}

function withUnseen(
  resource: Resource,
  { stored, seen, next }: { readonly stored: StoredObject; readonly seen: Draft; readonly next: Draft },
): Draft {
  const { metadata, ...rest } = next;
  const { metadata: seenMetadata, ...seenRest } = seen;
  const { metadata: storedMetadata, ...storedRest } = stored;
  const kept = keepUnseen(resource.custom?.stored, {
    stored: storedRest,
    seen: seenRest,
    next: rest,
  }) as Fields;
  const annotations = keepUnseen(undefined, {
    stored: storedMetadata.annotations,
    seen: seenMetadata.annotations,
    next: metadata.annotations,
  });
  const { annotations: _, ...others } = metadata;
  const draft = {
    ...kept,
    metadata: { ...others, ...(annotations !== undefined && { annotations }) },
  } as Draft;
  for (const field of Object.keys(draft)) draft[field] = sharing(deepCopy(draft[field]), stored[field]);
  keepIfUnchanged(resource, stored, draft);
  return draft;
}

/** Whether a draft has only fields of the old object; both are in the version of the request. */
function isSame(old: StoredObject, draft: Draft): boolean {
  const fields = Object.keys(draft);
  return fields.length === Object.keys(old).length && fields.every((field) => draft[field] === old[field]);
}

/**
 * Lets every admission mutate the object. Admissions know the stored version, so it is converted for them, and back. Returns
 * what the way back cannot bring back.
 */
export async function mutateStored(
  admissions: readonly Admission[],
  resource: Resource,
  { review, before }: { readonly review: AdmissionReview; readonly before?: Before },
): Promise<readonly string[]> {
  const { object } = review;
  if (!object || !isConverted(resource)) {
    await mutate(admissions, review);
    return [];
  }
  const { draft, warnings } = toStoredVersion(resource, object, before);
  const mutated = deepCopy<Draft>(draft);
  await mutate(admissions, storedReview(resource, review, { object: mutated, ...(before && { before }) }));
  if (!deepEqual(mutated, draft))
    become(object, { ...toServed(resource, mutated), apiVersion: object.apiVersion });
  return warnings;
}

/** The review of a write in the stored version, which admissions know. */
export function storedReview(
  resource: Resource,
  review: AdmissionReview,
  { object, before }: { readonly object: Draft; readonly before?: Before },
): AdmissionReview {
  return isConverted(resource) ? { ...review, object, old: before?.stored } : review;
}

function toServed({ custom, form, kind, apiVersion, schema }: Resource, object: Draft): Fields {
  if (form) return deepCopy<Fields>(form.toServed(object));
  if (!custom?.convert) return object;
  const shown = custom.convert(object, { from: kind.apiVersion, to: apiVersion }).object;
  if (schema) prune(schema, shown);
  return shown;
}

function become(draft: Draft, other: Fields): void {
  for (const field of Object.keys(draft)) delete draft[field];
  Object.assign(draft, other);
}
