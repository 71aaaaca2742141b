import { createHash } from "node:crypto";
import { HASH_TAG, isJsonObject, type JsonObject } from "@capstan/api";
import type { CallPriority } from "../port.ts";

/** A write that makes a resource as its body says. */
export interface DesiredWrite {
  readonly verb: "PUT" | "PATCH";
  readonly resourceID: string;
  /** A PATCH contains all tags, because Azure replaces them as a whole. */
  readonly body: JsonObject;
  /** The etag that the resource must still have. */
  readonly etag?: string;
  /** The resource must not exist yet: sent as If-None-Match. */
  readonly isNew?: boolean;
  /** Child resources such as subnets have no tags; their fields show whether they were written. */
  readonly hasNoTags?: boolean;
  /** How many instances it creates or deletes: Azure's throttling counts them. */
  readonly instances?: number;
}

/** A deletion of a resource. */
export interface DesiredDelete {
  readonly verb: "DELETE";
  readonly resourceID: string;
  readonly etag?: string;
  /** How many instances go with it. */
  readonly instances?: number;
}

/** An action of a resource. After a crash the evidence of its task shows whether it was done. */
export interface DesiredPost {
  readonly verb: "POST";
  readonly resourceID: string;
  /** The last segment of the path, such as `start` or `manualupgrade`. */
  readonly action: string;
  /** The fields of the body beside the instances. */
  readonly body?: JsonObject;
  /** The instances of a scale set, sent as `instanceIds` and stored in the record for the evidence. */
  readonly instanceIDs?: readonly string[];
  /** `normal` unless given. */
  readonly priority?: CallPriority;
}

/** A change or deletion of a resource: a read of the resource shows whether it was done. */
export type DesiredChange = DesiredWrite | DesiredDelete;

/** A write to Azure that a reconciler has decided on. */
export type DesiredOperation = DesiredChange | DesiredPost;

/** Identifies a write by its content; undefined for a delete, which has none. */
export function hashOf(desired: DesiredOperation): string | undefined {
  switch (desired.verb) {
    case "DELETE":
      return undefined;
    case "POST":
      return digest([desired.action, desired.instanceIDs ?? null, desired.body ?? null]);
    case "PUT":
    case "PATCH":
      return digest(desired.body);
  }
}

/** The body as it is sent: with the hash as a tag, so that a read after a crash shows whether the write arrived. */
export function bodyToSend(desired: DesiredWrite): JsonObject {
  const hash = hashOf(desired);
  if (desired.hasNoTags || hash === undefined) return desired.body;
  const tags = desired.body["tags"];
  return { ...desired.body, tags: { ...(isJsonObject(tags) && tags), [HASH_TAG]: hash } };
}

/** The body of a POST as it is sent; undefined if it has none. */
export function postBody({ body, instanceIDs }: DesiredPost): JsonObject | undefined {
  return instanceIDs ? { ...body, instanceIds: instanceIDs } : body;
}

// 128 bits: no collisions by chance, and a short tag.
const HASH_LENGTH = 32;

/** A digest of JSON that does not depend on the order of fields. */
export function digest(value: unknown): string {
  return createHash("sha256")
    .update(JSON.stringify(ordered(value)))
    .digest("hex")
    .slice(0, HASH_LENGTH);
}

/** The same value with sorted fields. */
function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ordered);
  if (!isJsonObject(value)) return value;
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  return fields
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([name, field]) => [name, ordered(field)]);
}
