import type { Frozen, OwnerReference } from "@capstan/api";
import { FOREGROUND, ORPHAN } from "../registry/delete.ts";
import type { StoredObject } from "../storage/storage.ts";

/** The state of an owner. `waiting` is one that is deleted as soon as its dependents are. */
export type OwnerState = "solid" | "waiting" | "absent" | "unknown";

/** What the garbage collector does with an object that has owners. */
export type GarbageAction =
  | { readonly type: "keep"; readonly why: string }
  | { readonly type: "release"; readonly uids: readonly string[]; readonly why: string }
  | {
      readonly type: "delete";
      readonly policy: "Foreground" | "Background" | "Orphan";
      readonly why: string;
    };

/** The input of a decision about an object. */
export interface Belongings {
  readonly object: StoredObject;
  readonly owners: readonly { readonly reference: Frozen<OwnerReference>; readonly state: OwnerState }[];
  readonly hasDependents: boolean;
}

/**
 * Decides about one object. It stays while one owner stays, without references to owners that are gone or that wait for
 * its deletion. Without an owner that stays it is deleted.
 */
export function decideGarbage({ object, owners, hasDependents }: Belongings): GarbageAction {
  if (owners.length === 0) return { type: "keep", why: "it has no owner" };
  if (object.metadata.deletionTimestamp !== undefined)
    return { type: "keep", why: "it is being deleted already" };
  if (owners.some(({ state }) => state === "unknown"))
    return { type: "keep", why: "one of its owners is of a kind that is not served here" };
  const leaving = owners.filter(({ state }) => state !== "solid").map(({ reference }) => reference.uid);
  if (leaving.length === 0) return { type: "keep", why: "all of its owners exist" };
  if (leaving.length < owners.length)
    return { type: "release", uids: leaving, why: "it keeps one owner and has lost others" };
  if (hasDependents && owners.some(({ state }) => state === "waiting"))
    return {
      type: "delete",
      policy: "Foreground",
      why: "its owner waits for its deletion, and it has dependents itself",
    };
  return { type: "delete", policy: ownPolicy(object), why: "none of its owners exists" };
}

/** The deletion policy that the object's own finalizers request. */
function ownPolicy({ metadata }: StoredObject): "Foreground" | "Background" | "Orphan" {
  const { finalizers = [] } = metadata;
  if (finalizers.includes(ORPHAN)) return "Orphan";
  return finalizers.includes(FOREGROUND) ? "Foreground" : "Background";
}
