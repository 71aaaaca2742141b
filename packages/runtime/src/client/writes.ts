/** Writes whose repetition is harmless: after a crash, or when another client was faster. */
import type { Frozen, Kind, KubernetesObject, ObjectMeta } from "@capstan/api";
import { isAlreadyExists, isNotFound } from "../failure.ts";
import type { Client, Unsaved } from "./client.ts";

/** Deletes this object by its UID, so that a successor of the same name stays. Returns false if it was gone already. */
export function deleteIfExists<T extends KubernetesObject>(
  client: Pick<Client, "delete">,
  kind: Kind<T>,
  { name, namespace, uid }: Pick<Frozen<ObjectMeta>, "name" | "namespace" | "uid">,
): Promise<boolean> {
  return unlessGone(client.delete(kind, { name, namespace }, uid === undefined ? {} : { uid }));
}

/** Creates an object. Returns false if one of its name exists. */
export function createIfMissing<T extends KubernetesObject>(
  client: Pick<Client, "create">,
  kind: Kind<T>,
  object: Unsaved<T>,
): Promise<boolean> {
  return unless(isAlreadyExists, client.create(kind, object));
}

/** Waits for a write to an object that may be gone. Returns false if it was. */
export function unlessGone(write: Promise<unknown>): Promise<boolean> {
  return unless(isNotFound, write);
}

async function unless(isHarmless: (error: unknown) => boolean, write: Promise<unknown>): Promise<boolean> {
  try {
    await write;
    return true;
  } catch (error) {
    if (!isHarmless(error)) throw error;
    return false;
  }
}
