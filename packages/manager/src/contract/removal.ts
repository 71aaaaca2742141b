import {
  controllerOf,
  type Frozen,
  isSameOwner,
  type KubernetesObject,
  ownerReferenceTo,
} from "@capstan/api";
import { type Client, deleteIfExists, Failure } from "@capstan/runtime";
import type { ContractObject } from "./contract-object.ts";
import type { Pointer, Target } from "./reference.ts";
import { type ObjectReader, resolve } from "./resolve.ts";

/** An existing object that is deleted with its owner. */
export interface OwnedObject {
  readonly target: Target;
  readonly object: Frozen<ContractObject>;
}

/**
 * The object that an owner refers to; undefined when it does not exist or has another owner. A reference that cannot be
 * resolved must not block the deletion of its owner.
 */
export async function findOwned(
  reader: ObjectReader,
  pointer: Pointer,
  owner: Frozen<KubernetesObject>,
): Promise<OwnedObject | undefined> {
  try {
    const resolved = await resolve(reader, pointer);
    if (resolved.state !== "found") return undefined;
    const controller = controllerOf(resolved.object);
    return controller && !isSameOwner(controller, ownerReferenceTo(owner)) ? undefined : resolved;
  } catch (error) {
    if (error instanceof Failure && error.failure === "Terminal") return undefined;
    throw error;
  }
}

/** Deletes an object, if it exists and is not being deleted yet. */
export async function remove(client: Client, owned: OwnedObject | undefined): Promise<void> {
  if (!owned || owned.object.metadata.deletionTimestamp !== undefined) return;
  const { target, object } = owned;
  await deleteIfExists(client, target.kind, object.metadata);
}
