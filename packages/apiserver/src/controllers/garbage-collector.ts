import { deepCopy, type Frozen, type OwnerReference } from "@capstan/api";
import { ApiError } from "../http/status.ts";
import type { Context, Target } from "../registry/context.ts";
import { FOREGROUND, ORPHAN, remove } from "../registry/delete.ts";
import { keyOf } from "../registry/registry.ts";
import { update } from "../registry/update.ts";
import { SERVER } from "../security/attributes.ts";
import { keyFromText, keyText } from "../storage/object-key.ts";
import { type Draft, type ObjectKey, type StoredEvent, type StoredObject } from "../storage/storage.ts";
import { Dependents, referenceTo } from "./dependents.ts";
import { decideGarbage, type GarbageAction, type OwnerState } from "./garbage-decision.ts";
import { createWorker, type Worker } from "./worker.ts";

const INTERNAL = { user: SERVER, dryRun: false, fieldValidation: "Ignore" } as const;

/**
 * Deletes the dependents of deleted objects, by owner references: in the background, in the foreground, or orphaning.
 */
export function startGarbageCollector(context: Context): () => void {
  const collector = new GarbageCollector(context);
  const unfollow = context.storage.follow((resource, event) => collector.observe(resource, event));
  collector.readAll();
  return () => {
    unfollow();
    collector.worker.stop();
  };
}

class GarbageCollector {
  readonly worker: Worker;
  readonly #context: Context;
  readonly #dependents = new Dependents();

  constructor(context: Context) {
    this.#context = context;
    this.worker = createWorker(context.env, (text) => this.#collect(keyFromText(text)));
  }

  /** Enqueues the objects that a change may affect. */
  observe(resource: string, event: StoredEvent): void {
    const { object, previous, namespace, line } = event;
    const key = { resource, namespace, name: object.metadata.name };
    const hasOtherOwners = this.#dependents.observe(resource, event);
    if (hasOtherOwners) this.worker.add(keyText(key));
    // A former owner may have waited for the deletion of this dependent.
    if (previous && (line.type === "DELETED" || hasOtherOwners)) this.#addOwners(previous);
    if (line.type === "DELETED") this.#addDependents(object);
    else if (isHeld(object)) this.worker.add(keyText(key));
  }

  /** Reads every object once, to find deletions that an earlier process left unfinished. */
  readAll(): void {
    const { storage } = this.#context;
    for (const resource of storage.resources()) {
      for (const object of storage.list({ resource, mentioning: "ownerReferences" })) {
        const { name, namespace = "", ownerReferences } = object.metadata;
        if (!ownerReferences) continue;
        const key = { resource, namespace, name };
        this.#dependents.add(key, ownerReferences);
        this.worker.add(keyText(key));
      }
      for (const object of storage.list({ resource, mentioning: "deletionTimestamp" })) {
        const { name, namespace = "" } = object.metadata;
        if (isHeld(object)) this.worker.add(keyText({ resource, namespace, name }));
      }
    }
  }

  #addOwners(object: StoredObject): void {
    for (const reference of object.metadata.ownerReferences ?? []) {
      const key = this.#ownerKey(reference, object);
      if (key) this.worker.add(keyText(key));
    }
  }

  #addDependents({ metadata }: StoredObject): void {
    for (const key of this.#dependents.of(metadata.uid ?? "")) this.worker.add(keyText(key));
  }

  /** The key of the owner; undefined if its kind is not served, or its namespace is unknown. */
  #ownerKey(
    { apiVersion, kind, name }: Frozen<OwnerReference>,
    { metadata }: StoredObject,
  ): ObjectKey | undefined {
    const resource = this.#context.registry.ofKind(apiVersion, kind);
    if (!resource || (resource.kind.namespaced && metadata.namespace === undefined)) return undefined;
    return keyOf(resource, metadata.namespace ?? "", name);
  }

  async #collect(key: ObjectKey): Promise<void> {
    const object = this.#context.storage.get(key);
    if (!object) return;
    const { deletionTimestamp, finalizers = [] } = object.metadata;
    if (deletionTimestamp === undefined) await this.#do(key, object, this.#judge(object));
    else if (finalizers.includes(ORPHAN)) await this.#orphan(key, object);
    else if (finalizers.includes(FOREGROUND)) await this.#deleteDependentsFirst(key, object);
  }

  #judge(object: StoredObject): GarbageAction {
    const { uid = "", ownerReferences = [] } = object.metadata;
    return decideGarbage({
      object,
      owners: ownerReferences.map((reference) => ({ reference, state: this.#stateOf(reference, object) })),
      hasDependents: this.#dependents.has(uid),
    });
  }

  async #do(key: ObjectKey, object: StoredObject, action: GarbageAction): Promise<void> {
    const { uid = "" } = object.metadata;
    switch (action.type) {
      case "keep":
        return;
      case "release":
        return await this.#edit(key, object, (draft) => release(draft, action.uids));
      case "delete":
        return await this.#remove(key, uid, action.policy);
    }
  }

  #stateOf(reference: Frozen<OwnerReference>, object: StoredObject): OwnerState {
    const key = this.#ownerKey(reference, object);
    if (!key) return "unknown";
    const owner = this.#context.storage.get(key);
    if (owner?.metadata.uid !== reference.uid) return "absent";
    const { deletionTimestamp, finalizers = [] } = owner.metadata;
    return deletionTimestamp !== undefined && finalizers.includes(FOREGROUND) ? "waiting" : "solid";
  }

  /** Removes the owner references of all dependents, then deletes the object. */
  async #orphan(key: ObjectKey, object: StoredObject): Promise<void> {
    const { uid = "" } = object.metadata;
    for (const one of this.#dependents.of(uid)) {
      const dependent = this.#context.storage.get(one);
      if (dependent) await this.#edit(one, dependent, (draft) => release(draft, [uid]));
    }
    await this.#edit(key, object, (draft) => dropFinalizer(draft, ORPHAN));
  }

  /** Deletes the object when no dependent blocks it; each dependent is decided on its own. */
  async #deleteDependentsFirst(key: ObjectKey, object: StoredObject): Promise<void> {
    const { uid = "" } = object.metadata;
    const all = this.#dependents.of(uid);
    const isBlocked = all.some((one) => {
      const dependent = this.#context.storage.get(one);
      return dependent !== undefined && referenceTo(dependent, uid)?.blockOwnerDeletion === true;
    });
    if (!isBlocked) await this.#edit(key, object, (draft) => dropFinalizer(draft, FOREGROUND));
    for (const one of all) this.worker.add(keyText(one));
  }

  async #edit(key: ObjectKey, { metadata }: StoredObject, change: (draft: Draft) => void): Promise<void> {
    const target = this.#targetOf(key);
    if (!target) return;
    const produce = (old: StoredObject): unknown => {
      const draft = deepCopy(old) as unknown as Draft;
      if (old.metadata.uid === metadata.uid) change(draft);
      return draft;
    };
    await update(this.#context, target, { produce, source: "patch", options: INTERNAL }).catch(unlessGone);
  }

  async #remove(
    key: ObjectKey,
    uid: string,
    propagationPolicy: "Foreground" | "Background" | "Orphan",
  ): Promise<void> {
    const target = this.#targetOf(key);
    if (!target) return;
    const options = { user: SERVER, dryRun: false, preconditions: { uid }, propagationPolicy };
    await remove(this.#context, target, options).catch(unlessGone);
  }

  #targetOf({ resource: table, namespace, name }: ObjectKey): Target | undefined {
    const resource = this.#context.registry.ofTable(table);
    return resource && { resource, namespace, name, subresource: "" };
  }
}

function isHeld({ metadata }: StoredObject): boolean {
  const { deletionTimestamp, finalizers = [] } = metadata;
  return deletionTimestamp !== undefined && (finalizers.includes(ORPHAN) || finalizers.includes(FOREGROUND));
}

function release({ metadata }: Draft, uids: readonly string[]): void {
  const kept = (metadata.ownerReferences ?? []).filter(({ uid }) => !uids.includes(uid));
  if (kept.length > 0) metadata.ownerReferences = kept;
  else delete metadata.ownerReferences;
}

function dropFinalizer({ metadata }: Draft, finalizer: string): void {
  const kept = (metadata.finalizers ?? []).filter((name) => name !== finalizer);
  if (kept.length > 0) metadata.finalizers = kept;
  else delete metadata.finalizers;
}

/** Another client has deleted or replaced the object meanwhile: the event of that change enqueues it again. */
function unlessGone(error: unknown): void {
  if (!(error instanceof ApiError) || (error.status.code !== 404 && error.status.code !== 409)) throw error;
}
