import {
  controllerOf,
  type Frozen,
  isSameOwner,
  type Kind,
  type KubernetesObject,
  ownerReferenceTo,
} from "@capstan/api";
import { type Client, Failure, isNotFound } from "@capstan/runtime";
import type { ContractObject } from "./contract-object.ts";
import type { Pointer, Target } from "./reference.ts";
import { type ObjectReader, look } from "./resolve.ts";

/** An object that is there and goes with its owner. */
export interface OwnedObject {
  readonly target: Target;
  readonly object: Frozen<ContractObject>;
}

/** Who refers to the object, and the kinds that are in the cache. */
export interface Claim {
  readonly owner: Frozen<KubernetesObject>;
  readonly followed: readonly Kind[];
}

/**
 * The object that an owner refers to; undefined when there is none, or when it is somebody else's. A reference that
 * leads nowhere must not keep its owner from being deleted.
 */
export async function findOwned(
  reader: ObjectReader,
  pointer: Pointer,
  { owner, followed }: Claim,
): Promise<OwnedObject | undefined> {
  try {
    const resolved = await look(reader, pointer, followed);
    if (resolved.state !== "found") return undefined;
    const controller = controllerOf(resolved.object);
    return controller && !isSameOwner(controller, ownerReferenceTo(owner)) ? undefined : resolved;
  } catch (error) {
    if (error instanceof Failure && error.failure === "Terminal") return undefined;
    throw error;
  }
}

/** Tells an object to go, if there is one and it has not been told yet. */
export async function remove(client: Client, owned: OwnedObject | undefined): Promise<void> {
  if (!owned || owned.object.metadata.deletionTimestamp !== undefined) return;
  const { target, object } = owned;
  const { uid } = object.metadata;
  try {
    await client.delete(target.kind, target.name, uid === undefined ? {} : { uid });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}
