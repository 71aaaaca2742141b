import type { Frozen, KubernetesObject } from "@capstan/api";

/** An object as it is stored: deeply frozen, its resourceVersion set, shared by all readers. */
export type StoredObject = Frozen<KubernetesObject> & { readonly [field: string]: unknown };

/** An object before it is stored: private to one request. */
export type Draft = KubernetesObject & { [field: string]: unknown };

/** The key of an object: `resource` is `group/plural`, `namespace` is empty for cluster-scoped kinds. */
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
  /** The object after the change; for a deletion the last state, with the version of the deletion. */
  readonly object: StoredObject;
  readonly previous: StoredObject | undefined;
  /** The event for a watch without selectors: created once and shared by all watchers. */
  readonly line: WatchLine;
}

/** Called during each commit: it records the event and works later. */
export type CommitListener = (resource: string, event: StoredEvent) => void;

/** Selects the objects of one resource in the order of their keys. */
export interface ListQuery {
  readonly resource: string;
  /** Only this namespace; all if absent. */
  readonly namespace?: string;
  /** The state at this version instead of the newest. */
  readonly at?: number;
  /** Only keys after this one. */
  readonly after?: string;
  /** Allows to omit objects that certainly have no field of this name, which saves parsing them. */
  readonly mentioning?: string;
}

/** The requested version is no longer in the history. */
export class ExpiredError extends Error {
  override readonly name = "ExpiredError";
  readonly wanted: number;
  readonly oldest: number;
  constructor(wanted: number, oldest: number) {
    super(`resourceVersion ${wanted} is older than ${oldest}, the oldest one in the history`);
    this.wanted = wanted;
    this.oldest = oldest;
  }
}

/** Another client wrote the object between the read and the write. */
export class StaleWriteError extends Error {
  override readonly name = "StaleWriteError";
  constructor(key: ObjectKey) {
    super(`${key.resource} ${key.namespace}/${key.name} changed between the read and the write`);
  }
}

/**
 * Stores objects, gives every change the next resourceVersion and keeps recent changes.
 *
 * Reads are synchronous and see committed state only; a write resolves when it is committed. An implementation that
 * commits in groups can therefore publish after its transaction and no sooner.
 */
export interface Storage {
  /** The version of the newest committed change of any resource. */
  readonly resourceVersion: number;
  get(key: ObjectKey): StoredObject | undefined;
  /**
   * The objects in order, to be read before the next await. Throws an ExpiredError if `at` is no longer in the history.
   */
  list(query: ListQuery): Iterable<StoredObject>;
  /** How many objects `list` would return, without visiting them. */
  count(query: ListQuery): number;
  /** Stores a new object, stamped and frozen. Rejects with a StaleWriteError if the key is taken. */
  create(key: ObjectKey, draft: Draft): Promise<StoredObject>;
  /** Replaces exactly the given state. Rejects with a StaleWriteError if that is not the newest. */
  replace(key: ObjectKey, expected: StoredObject, draft: Draft): Promise<StoredObject>;
  /** Removes exactly the given state. Rejects with a StaleWriteError if that is not the newest. */
  remove(key: ObjectKey, expected: StoredObject): Promise<StoredObject>;
  /** The oldest version a watch of this resource can start from. */
  oldestVersion(resource: string): number;
  /** The change of this resource after `version`; undefined if there is none yet. Throws an ExpiredError. */
  nextEvent(resource: string, version: number): StoredEvent | undefined;
  /** Calls `wake` once, at the next commit to this resource; the returned function cancels that. */
  onCommit(resource: string, wake: () => void): () => void;
  /** Calls the listener at every commit to any resource from now on; the returned function cancels that. */
  follow(listener: CommitListener): () => void;
  /** All resources that have, or had, objects. */
  resources(): Iterable<string>;
  /**
   * Drops all changes up to and including `version`: a client that has not read those of a resource must list it again.
   */
  forget(version: number): void;
  /** The same, and refuses to start below `version`, whether or not there were changes. */
  compact(version: number): void;
}
