/**
 * A patch hands on what it leaves alone: parts of the stored object, such as the spec in a patch of the status, are in
 * the draft as they are, and frozen. Those that are known to read as themselves are neither copied nor read again.
 */
import { deepCopy } from "@capstan/api";
import type { SchemaNode } from "../schema/node.ts";
import type { Draft } from "../storage/storage.ts";
import { sharing } from "./sharing.ts";

/** Parts of stored objects that read as themselves, and the schema that says so: by another one they may not. */
const settled = new WeakMap<object, SchemaNode>();

/** A part of a stored object. */
interface Part {
  readonly field: string;
  readonly stored: object;
}

/** Puts a copy in the place of each stored part that has to be read, and answers with those parts. */
export function thawUnsettled(schema: SchemaNode, draft: Draft): Part[] {
  const parts: Part[] = [];
  for (const field of Object.keys(draft)) {
    const stored = draft[field];
    // As in any other copy, a field that is undefined is one that is not there.
    if (stored === undefined) delete draft[field];
    if (typeof stored !== "object" || stored === null || !Object.isFrozen(stored)) continue;
    const node = schema.properties.get(field);
    if (node && settled.get(stored) === node) continue;
    draft[field] = deepCopy(stored);
    parts.push({ field, stored });
  }
  return parts;
}

/** Remembers which of the parts read as themselves, and puts those back. */
export function settle(schema: SchemaNode, draft: Draft, parts: readonly Part[]): void {
  for (const { field, stored } of parts) {
    const node = schema.properties.get(field);
    const read = sharing(draft[field], stored);
    const isSettled = node !== undefined && read === stored;
    if (isSettled) settled.set(stored, node);
    // Whatever is still a draft must not have stored parts inside it.
    draft[field] = isSettled ? stored : deepCopy(read);
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
