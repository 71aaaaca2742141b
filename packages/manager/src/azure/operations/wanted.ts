import { createHash } from "node:crypto";
import { isJsonObject } from "@capstan/api";
import type { CallPriority, JsonObject } from "../port.ts";

/** A resource that is to be as its body says. */
export interface WantedWrite {
  readonly verb: "PUT" | "PATCH";
  readonly resourceID: string;
  /** A PATCH has the whole of the tags in it, because Azure replaces them. */
  readonly body: JsonObject;
  /** What the resource must still be. */
  readonly etag?: string;
  /** The resource must not exist yet: sent as If-None-Match. */
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

/** An action of a resource. Whether it was done after a crash, the evidence of its task tells. */
export interface WantedPost {
  readonly verb: "POST";
  readonly resourceID: string;
  /** The last segment of the path, such as `start` or `manualupgrade`. */
  readonly action: string;
  /** What the body has besides the instances. */
  readonly body?: JsonObject;
  /** The instances of a scale set that it is about: `instanceIds` of the body. The record keeps them, for the evidence. */
  readonly instanceIDs?: readonly string[];
  /** `normal` unless given. */
  readonly priority?: CallPriority;
}

/** A resource that is to be changed or deleted: whether it was, a read of the resource tells. */
export type WantedChange = WantedWrite | WantedDelete;

/** A write to Azure that a reconciler has decided on. */
export type Wanted = WantedChange | WantedPost;

/** The tag that says which wish a resource was last written by. */
export const HASH_TAG = "capstan_wanted-hash";

/** What tells this wish from every other; undefined for a delete, of which there is only one. */
export function hashOf(wanted: Wanted): string | undefined {
  switch (wanted.verb) {
    case "DELETE":
      return undefined;
    case "POST":
      return digest([wanted.action, wanted.instanceIDs ?? null, wanted.body ?? null]);
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

/** The body of a POST as it is sent; undefined where it has none. */
export function postBody({ body, instanceIDs }: WantedPost): JsonObject | undefined {
  return instanceIDs ? { ...body, instanceIds: instanceIDs } : body;
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
