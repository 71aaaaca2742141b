import { deepEqual, type Frozen, type OwnerReference } from "@capstan/api";
import { keyText } from "../storage/object-key.ts";
import type { ObjectKey, StoredEvent, StoredObject } from "../storage/storage.ts";

/** The dependents of objects, by the uid of the owner. */
export class Dependents {
  readonly #byOwner = new Map<string, Map<string, ObjectKey>>();

  /** Records a change; returns true if the owners of the object have changed. */
  observe(resource: string, { object, previous, namespace, line }: StoredEvent): boolean {
    const before = previous?.metadata.ownerReferences;
    const after = line.type === "DELETED" ? undefined : object.metadata.ownerReferences;
    if (before === after || deepEqual(before, after)) return false;
    const key = { resource, namespace, name: object.metadata.name };
    for (const { uid } of before ?? []) this.#forget(uid, key);
    this.add(key, after ?? []);
    return after !== undefined;
  }

  /** Records an object and its owners. */
  add(key: ObjectKey, owners: readonly Frozen<OwnerReference>[]): void {
    for (const { uid } of owners) this.#cacheKey(uid, key);
  }

  /** The objects with this owner. */
  of(uid: string): readonly ObjectKey[] {
    return [...(this.#byOwner.get(uid)?.values() ?? [])];
  }

  /** Whether any object has this owner. */
  has(uid: string): boolean {
    return this.#byOwner.has(uid);
  }

  #cacheKey(uid: string, key: ObjectKey): void {
    const known = this.#byOwner.get(uid) ?? new Map<string, ObjectKey>();
    known.set(keyText(key), key);
    this.#byOwner.set(uid, known);
  }

  #forget(uid: string, key: ObjectKey): void {
    const known = this.#byOwner.get(uid);
    known?.delete(keyText(key));
    if (known?.size === 0) this.#byOwner.delete(uid);
  }
}

/** The reference of an object to this owner. */
export function referenceTo(object: StoredObject, uid: string): Frozen<OwnerReference> | undefined {
  return object.metadata.ownerReferences?.find((reference) => reference.uid === uid);
}
