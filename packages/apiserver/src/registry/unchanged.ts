/** What an update leaves as it was. */
import { deepEqual } from "@capstan/api";
import { sameButTimes } from "../apply/managers.ts";
import type { Draft, StoredObject } from "../storage/storage.ts";
import type { Resource } from "./registry.ts";
import { sharing } from "./sharing.ts";

/** Puts the stored values back where nothing changed: later comparisons are by identity, and versions share memory. */
export function shareUnchanged(old: StoredObject, draft: Draft): void {
  for (const field of Object.keys(draft)) draft[field] = sharing(draft[field], old[field]);
}

/**
 * If a write changes nothing but the times of its managers, it changes nothing: the times stay, and the object is not
 * written.
 */
export function keepTimes(old: StoredObject, draft: Draft): void {
  const before = old.metadata.managedFields as unknown[] | undefined;
  const { managedFields: after } = draft.metadata;
  if (!before || !after || !sameButTimes(before, after)) return;
  const withOldTimes = { ...draft, metadata: { ...draft.metadata, managedFields: before } };
  if (deepEqual(withOldTimes, old)) draft.metadata = withOldTimes.metadata;
}

/** Whether a draft has the fields of the old object, by identity. */
export function sameFields(old: StoredObject, draft: Draft): boolean {
  const fields = Object.keys(draft);
  return fields.length === Object.keys(old).length && fields.every((field) => draft[field] === old[field]);
}

/** Counts a change of the desired state. */
export function countGeneration(resource: Resource, old: StoredObject, draft: Draft): void {
  if (!resource.strategy.generation || sameDesiredState(resource, old, draft)) return;
  draft.metadata = { ...draft.metadata, generation: (old.metadata.generation ?? 0) + 1 };
}

/** The desired state is every field except the metadata, and the status if that has its own path. */
function sameDesiredState({ kind, custom }: Resource, old: StoredObject, draft: Draft): boolean {
  const fields = custom ? [...new Set([...Object.keys(old), ...Object.keys(draft)])] : ["spec"];
  const counted = fields.filter(
    (field) => field !== "metadata" && !(field === "status" && kind.subresources.includes("status")),
  );
  return counted.every((field) => draft[field] === old[field]);
}

/**
 * Takes back what a write counted in the version of its request, if nothing changed in the stored one: v1beta1 says "5m" and
 * "5m0s" where v1beta2 says 300. kube-apiserver counts such a write, so that each `kubectl apply` of it would be a change.
 */
export function keepIfUnchanged(resource: Resource, stored: StoredObject, draft: Draft): void {
  const { generation } = stored.metadata;
  if (generation !== undefined && sameDesiredState(resource, stored, draft))
    draft.metadata = { ...draft.metadata, generation };
  keepTimes(stored, draft);
  shareUnchanged(stored, draft);
}
