/**
 * A patch hands on what it leaves alone: parts of the stored object, such as the spec in a patch of the status, are in
 * the draft as they are, and frozen. Those that are known to read as themselves are neither copied nor read again.
 */
import { deepCopy } from "@capstan/api";
import type { Draft } from "../storage/storage.ts";
import { sharing } from "./sharing.ts";

/** Parts of stored objects that read as themselves in their place: what says how a field is read, by schema or by type. */
const settled = new WeakMap<object, object>();

/** What says how each field of an object is read. */
type Places = ReadonlyMap<string, object>;

/** A part of a stored object. */
interface Part {
  readonly field: string;
  readonly place: object;
  readonly stored: object;
}

/** Puts a copy in the place of each stored part that has to be read, and answers with those that may settle. */
export function thawUnsettled(places: Places, object: Record<string, unknown>): Part[] {
  const parts: Part[] = [];
  for (const field of Object.keys(object)) {
    const stored = object[field];
    // As in any other copy, a field that is undefined is one that is not there.
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

/** Remembers which of the parts read as themselves, and puts those back. */
export function settle(draft: Draft, parts: readonly Part[]): void {
  for (const { field, place, stored } of parts) {
    const read = sharing(draft[field], stored);
    if (read === stored) settled.set(stored, place);
    // Whatever is still a draft must not have stored parts inside it.
    draft[field] = read === stored ? stored : deepCopy(read);
  }
}

/** Puts copies in the place of all stored parts, for somebody who changes the draft in place. */
export function thaw(draft: Draft): void {
  thawFields(draft);
  thawFields(draft.metadata as unknown as Record<string, unknown>);
}

function thawFields(fields: Record<string, unknown>): void {
  for (const field of Object.keys(fields))
    if (Object.isFrozen(fields[field])) fields[field] = deepCopy(fields[field]);
}
