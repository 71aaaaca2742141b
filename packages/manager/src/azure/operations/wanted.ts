import { createHash } from "node:crypto";
import { isJsonObject } from "@capstan/api";
import type { JsonObject } from "../port.ts";

/** A resource that is to be as its body says. */
export interface WantedWrite {
  readonly verb: "PUT" | "PATCH";
  readonly resourceID: string;
  /** A PATCH has the whole of the tags in it, because Azure replaces them. */
  readonly body: JsonObject;
  /** What the resource must still be. */
  readonly etag?: string;
  /** Nobody else may have made it in the meantime. */
  readonly isNew?: boolean;
  /** Parts of other resources, such as subnets, have no tags: whether they were written is seen by their fields. */
  readonly hasNoTags?: boolean;
  /** How many instances come or go by it: Azure counts them. */
  readonly instances?: number;
}

/** A resource that is to go. */
export interface WantedDelete {
  readonly verb: "DELETE";
  readonly resourceID: string;
  readonly etag?: string;
  /** How many instances go with it. */
  readonly instances?: number;
}

/** Something that is to be done to instances of a scale set. */
export interface WantedAction {
  readonly verb: "POST";
  /** The scale set. */
  readonly resourceID: string;
  readonly action: InstanceAction;
  readonly instanceIDs: readonly string[];
  /** What the body has besides the instances. */
  readonly parameters?: JsonObject;
}

/** What can be done to instances, in the spelling of the set's own paths. */
export type InstanceAction =
  | "delete"
  | "manualupgrade"
  | "reimage"
  | "start"
  | "poweroff"
  | "deallocate"
  | "restart";

/** A write to Azure that a reconciler has decided on. */
export type Wanted = WantedWrite | WantedDelete | WantedAction;

/** The tag that says which wish a resource was last written by. */
export const HASH_TAG = "capstan_wanted-hash";

/** What tells this wish from every other; undefined for a delete, of which there is only one. */
export function hashOf(wanted: Wanted): string | undefined {
  switch (wanted.verb) {
    case "DELETE":
      return undefined;
    case "POST":
      return digest([wanted.action, wanted.instanceIDs, wanted.parameters ?? null]);
    case "PUT":
    case "PATCH":
      return digest(wanted.body);
  }
}

/** The body as it is sent: with the hash as a tag, so that a read after a crash tells whether it arrived. */
export function bodyToSend(wanted: WantedWrite): JsonObject {
  const hash = hashOf(wanted);
  if (wanted.hasNoTags || hash === undefined) return wanted.body;
  const tags = wanted.body["tags"];
  return { ...wanted.body, tags: { ...(isJsonObject(tags) && tags), [HASH_TAG]: hash } };
}

// 128 bits: no two wishes meet by chance, and a tag stays short.
const HASH_LENGTH = 32;

/** A short text that is the same for the same JSON, whatever the order of its fields. */
export function digest(value: unknown): string {
  return createHash("sha256")
    .update(JSON.stringify(ordered(value)))
    .digest("hex")
    .slice(0, HASH_LENGTH);
}

/** The same value with its fields in the order of their names. */
function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ordered);
  if (!isJsonObject(value)) return value;
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  return fields
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([name, field]) => [name, ordered(field)]);
}
