/**
 * A patch reuses the parts that it does not change: the draft shares them, frozen, with the stored object, such as the
 * spec in a patch of the status. Parts that are known to be settled, that is, unchanged by decoding, are neither copied
 * nor decoded again.
 */
import { deepCopy } from "@capstan/api";
import type { Draft } from "../storage/storage.ts";
import { sharing } from "./sharing.ts";

/** Settled parts of stored objects, with the schema or type by which they were decoded. */
const settled = new WeakMap<object, object>();

/** The schema or type of each field of an object. */
type Places = ReadonlyMap<string, object>;

/** A part of a stored object. */
interface Part {
  readonly field: string;
  readonly place: object;
  readonly stored: object;
}

/** Replaces each stored part that must be decoded by a copy, and returns those that may become settled. */
export function thawUnsettled(places: Places, object: Record<string, unknown>): Part[] {
  const parts: Part[] = [];
  for (const field of Object.keys(object)) {
    const stored = object[field];
    // As in any other copy, an undefined field is a missing one.
    if (stored === undefined) delete object[field];
    if (typeof stored !== "object" || stored === null || !Object.isFrozen(stored)) continue;
    const place = places.get(field);
    if (place && settled.get(stored) === place) continue;
    object[field] = deepCopy(stored);
    // No two versions of an object have the same metadata.
    if (place && field !== "metadata") parts.push({ field, place, stored });
  }
  return parts;
}

/** Marks the parts that decoding has not changed as settled, and puts the stored ones back. */
export function settle(draft: Draft, parts: readonly Part[]): void {
  for (const { field, place, stored } of parts) {
    const read = sharing(draft[field], stored);
    if (read === stored) settled.set(stored, place);
    // A draft must not have stored parts inside the parts that it changes.
    draft[field] = read === stored ? stored : deepCopy(read);
  }
}

/** Replaces all stored parts by copies, for a caller that changes the draft in place. */
export function thaw(draft: Draft): void {
  thawFields(draft);
  thawFields(draft.metadata as unknown as Record<string, unknown>);
}

function thawFields(fields: Record<string, unknown>): void {
  for (const field of Object.keys(fields))
    if (Object.isFrozen(fields[field])) fields[field] = deepCopy(fields[field]);
}
