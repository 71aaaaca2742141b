import type { Frozen, KubernetesObject } from "@capstan/api";

/** An object as it is stored: deeply frozen, its resourceVersion set, shared by all readers. */
export type StoredObject = Frozen<KubernetesObject> & { readonly [field: string]: unknown };

/** An object on its way into the store: still private to one request. */
export type Draft = KubernetesObject & { [field: string]: unknown };

/** Where an object lives: `resource` is `group/plural`, `namespace` is empty for cluster-scoped kinds. */
export interface ObjectKey {
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
}

/** One line of a watch. */
export interface WatchLine {
  readonly type: "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK" | "ERROR";
  readonly object: unknown;
}

/** One committed change of one object. */
export interface StoredEvent {
  readonly resourceVersion: number;
  /** Position in the order of the resource: `namespace/name`. */
  readonly key: string;
  readonly namespace: string;
  /** The object after the change; for a deletion the last state, stamped with the version of the deletion. */
  readonly object: StoredObject;
  readonly previous: StoredObject | undefined;
  /** What a watch without selectors sends: made once and shared by all watchers. */
  readonly line: WatchLine;
}

/** Told of each commit while it happens: it takes a note and works later. */
export type CommitListener = (resource: string, event: StoredEvent) => void;

/** Asks for the objects of one resource in the order of their keys. */
export interface ListQuery {
  readonly resource: string;
  /** Only this namespace; all when absent. */
  readonly namespace?: string;
  /** The state at this version instead of the newest. */
  readonly at?: number;
  /** Only keys after this one. */
  readonly after?: string;
  /** Objects that certainly have no field of this name may be left out: it saves reading them. */
  readonly mentioning?: string;
}

/** The version asked for has left the history, or the history has been compacted past it. */
export class ExpiredError extends Error {
  override readonly name = "ExpiredError";
  readonly wanted: number;
  readonly oldest: number;
  constructor(wanted: number, oldest: number) {
    super(
      `resourceVersion ${wanted} is older than ${oldest}, the oldest one that the history reaches back to`,
    );
    this.wanted = wanted;
    this.oldest = oldest;
  }
}

/** Somebody else wrote the object between the read and the write. */
export class StaleWriteError extends Error {
  override readonly name = "StaleWriteError";
  constructor(key: ObjectKey) {
    super(`${key.resource} ${key.namespace}/${key.name} changed between the read and the write`);
  }
}

/**
 * Keeps objects, gives every change the next resourceVersion and remembers recent changes.
 *
 * Reads are synchronous and see committed state only; a write resolves when it is committed. An
 * implementation that commits in groups can therefore publish after its transaction and no sooner.
 */
export interface Storage {
  /** The version of the newest committed change of any resource. */
  readonly resourceVersion: number;
  get(key: ObjectKey): StoredObject | undefined;
  /** The objects in their order, to be read before anything else is awaited. Throws an ExpiredError when `at` is out of reach. */
  list(query: ListQuery): Iterable<StoredObject>;
  /** How many objects `list` would give, without visiting them. */
  count(query: ListQuery): number;
  /** Stores a new object, stamped and frozen. Rejects with a StaleWriteError when the key is taken. */
  create(key: ObjectKey, draft: Draft): Promise<StoredObject>;
  /** Replaces exactly the given state. Rejects with a StaleWriteError when that is no longer the newest. */
  replace(key: ObjectKey, expected: StoredObject, draft: Draft): Promise<StoredObject>;
  /** Removes exactly the given state. Rejects with a StaleWriteError when that is no longer the newest. */
  remove(key: ObjectKey, expected: StoredObject): Promise<StoredObject>;
  /** The oldest version a watch of this resource can start from. */
  oldestVersion(resource: string): number;
  /** The change of this resource after `version`; undefined when there is none yet. Throws an ExpiredError. */
  nextEvent(resource: string, version: number): StoredEvent | undefined;
  /** Calls `wake` once, at the next commit to this resource; the result takes that back. */
  onCommit(resource: string, wake: () => void): () => void;
  /** Calls the listener at every commit from now on, whatever the resource; the result takes that back. */
  follow(listener: CommitListener): () => void;
  /** All resources that have, or had, objects. */
  resources(): Iterable<string>;
  /** Forgets all changes up to and including `version`: whoever has not read those of a resource has to list it again. */
  forget(version: number): void;
  /** The same, and nobody may begin below `version`, whether or not there were changes. */
  compact(version: number): void;
}
