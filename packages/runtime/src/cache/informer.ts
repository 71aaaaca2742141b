import { deepFreeze, type Frozen, type Kind, type KubernetesObject } from "@capstan/api";
import type { Env } from "@capstan/env";
import type { Client, ListOptions, WatchEvent } from "../client/client.ts";
import { transient } from "../failure.ts";
import type { Logger } from "../log/logger.ts";
import { reflect, relist, type Sink } from "./reflector.ts";
import { compareVersions } from "./resource-version.ts";
import { IndexedStore, keyOf } from "./store.ts";

/** A change of one object, as handlers see it. */
export type Change<T extends KubernetesObject> =
  | { readonly type: "added"; readonly object: Frozen<T>; readonly initial: boolean }
  | { readonly type: "updated"; readonly object: Frozen<T>; readonly previous: Frozen<T> }
  /** `stale`: the deletion was missed and found by a list, so the object is the last known one. */
  | { readonly type: "deleted"; readonly object: Frozen<T>; readonly stale: boolean };

export interface InformerOptions<T extends KubernetesObject> {
  readonly client: Client;
  readonly env: Env;
  readonly kind: Kind<T>;
  readonly scope: ListOptions;
  readonly log: Logger;
  /** Called with every exception of a handler or an index; the informer continues. */
  readonly onBug: (error: unknown) => void;
  /** The server may never serve the kind; that is not a failure. */
  readonly isOptional?: boolean;
}

// A list may come from a server that lags; but after a restore from a backup, versions stay lower.
const OLDER_LISTS_REFUSED = 3;

/** The objects of one kind, kept equal to the server, with handlers that get every change. */
export class Informer<T extends KubernetesObject> implements Sink<T> {
  readonly kind: Kind<T>;
  readonly store: IndexedStore<T>;
  readonly #options: InformerOptions<T>;
  readonly #handlers: ((change: Change<T>) => void)[] = [];
  readonly #waiters = new Set<() => void>();
  readonly #synced = Promise.withResolvers<void>();
  #version: string | undefined;
  #heardAtMs = -Infinity;
  #olderLists = 0;
  #reading: Promise<void> = Promise.resolve();
  #nextRead: Promise<void> | undefined;
  #isCurrent = false;
  #isAnswered = false;
  #problem: string | undefined;

  constructor(options: InformerOptions<T>) {
    this.kind = options.kind;
    this.#options = options;
    this.store = new IndexedStore<T>(options.onBug);
    if (this.kind.namespaced) this.store.addIndex("namespace", (object) => [object.metadata.namespace ?? ""]);
  }

  /** The newest version that the informer has seen; undefined before the first list. */
  get version(): string | undefined {
    return this.#version;
  }

  /** Whether the store equals a list of the server and the watch after it, as far as the informer knows. */
  get isCurrent(): boolean {
    return this.#isCurrent;
  }

  /** When, monotonic, the last list, event or bookmark arrived. */
  get heardAtMs(): number {
    return this.#heardAtMs;
  }

  /** Why the first list failed when it was last tried; undefined if it has not failed or was answered. */
  get problem(): string | undefined {
    return this.#isAnswered ? undefined : this.#problem;
  }

  /** Whether the first list was answered; for an optional kind also by the answer that the server does not serve it. */
  get isAnswered(): boolean {
    return this.#isAnswered;
  }

  /** Resolves when the first list is answered. */
  get synced(): Promise<void> {
    return this.#synced.promise;
  }

  /** Adds a handler; it gets the objects in the store at once. */
  addHandler(handler: (change: Change<T>) => void): void {
    this.#handlers.push(handler);
    for (const object of this.store.all()) this.#guarded(handler, { type: "added", object, initial: true });
  }

  /** Watches the server until the signal is aborted. */
  run(signal: AbortSignal): Promise<void> {
    return reflect({ ...this.#options, sink: this, signal });
  }

  /**
   * Reads the state from the server, without waiting for the watch. A running read may have started before the change that
   * the caller must see, so the caller gets the next one; all callers that arrive meanwhile share it.
   */
  refresh(): Promise<void> {
    this.#nextRead ??= this.#reading
      .catch(() => undefined)
      .then(() => {
        this.#reading = this.#nextRead ?? this.#reading;
        this.#nextRead = undefined;
        return relist({ ...this.#options, sink: this });
      });
    return this.#nextRead;
  }

  /** Whether the informer has the state at this version or a later one. */
  hasSeen(version: string): boolean {
    return this.#version !== undefined && compareVersions(version, this.#version) <= 0;
  }

  /** Waits until the condition holds after an event or list; false at the limit. */
  async waitUntil(condition: () => boolean, limitMs: number): Promise<boolean> {
    if (condition()) return true;
    return new Promise((resolve) => {
      const settle = (holds: boolean): void => {
        timer.cancel();
        this.#waiters.delete(check);
        resolve(holds);
      };
      const check = (): void => {
        if (condition()) settle(true);
      };
      const timer = this.#options.env.clock.timer(limitMs, () => settle(false));
      this.#waiters.add(check);
    });
  }

  /** The store must not be read until the next list: the server does not serve the kind, or listing failed. */
  invalidate(): void {
    this.#isCurrent = false;
    this.#answer();
  }

  fail(error: unknown): void {
    this.#problem = error instanceof Error ? error.message : String(error);
  }

  replace(items: readonly Frozen<T>[], version: string): void {
    this.#refuseOlder(version);
    const initial = this.#version === undefined;
    const present = new Set<string>();
    for (const item of items) {
      const key = keyOf(item);
      present.add(key);
      this.#put(key, trimmed(item), initial);
    }
    for (const key of this.store.keys()) {
      if (present.has(key)) continue;
      const object = this.store.delete(key);
      if (object) this.#notify({ type: "deleted", object, stale: true });
    }
    this.#advance(version);
    this.#isCurrent = true;
    this.#answer();
  }

  apply(event: WatchEvent<T>): void {
    const version = event.object.metadata.resourceVersion ?? "";
    // Duplicates, and old events that a lagging server replays, change nothing.
    if (this.hasSeen(version)) {
      this.#hear();
      return;
    }
    if (event.type === "DELETED") {
      const object = trimmed(event.object);
      if (this.store.delete(keyOf(object))) this.#notify({ type: "deleted", object, stale: false });
    } else if (event.type !== "BOOKMARK") {
      this.#put(keyOf(event.object), trimmed(event.object), false);
    }
    this.#advance(version);
  }

  #put(key: string, object: Frozen<T>, initial: boolean): void {
    const previous = this.store.get(key);
    if (previous?.metadata.resourceVersion === object.metadata.resourceVersion) return;
    this.store.put(key, object);
    if (previous && previous.metadata.uid === object.metadata.uid) {
      this.#notify({ type: "updated", object, previous });
      return;
    }
    // The object was recreated under its name: for handlers that is a deletion and an addition.
    if (previous) this.#notify({ type: "deleted", object: previous, stale: true });
    this.#notify({ type: "added", object, initial });
  }

  #refuseOlder(version: string): void {
    if (this.#version === undefined || compareVersions(version, this.#version) >= 0) {
      this.#olderLists = 0;
      return;
    }
    this.#olderLists++;
    if (this.#olderLists <= OLDER_LISTS_REFUSED) {
      throw transient(
        "StaleList",
        `the server listed ${this.kind.plural} at version ${version}, older than ${this.#version} seen before`,
      );
    }
    this.#olderLists = 0;
  }

  #answer(): void {
    this.#isAnswered = true;
    this.#synced.resolve();
  }

  #advance(version: string): void {
    this.#version = version;
    this.#hear();
  }

  #hear(): void {
    this.#heardAtMs = this.#options.env.clock.monotonic();
    for (const check of this.#waiters) check();
  }

  #notify(change: Change<T>): void {
    for (const handler of this.#handlers) this.#guarded(handler, change);
  }

  #guarded(handler: (change: Change<T>) => void, change: Change<T>): void {
    try {
      handler(change);
    } catch (error) {
      this.#options.onBug(error);
    }
  }
}

/** Frozen, and without managedFields: they are often half of an object and no reconciler of ours reads them. */
function trimmed<T extends KubernetesObject>(object: Frozen<T>): Frozen<T> {
  if (object.metadata.managedFields !== undefined) {
    const { managedFields: _, ...metadata } = object.metadata;
    return deepFreeze({ ...object, metadata }) as Frozen<T>;
  }
  // An in-process server returns objects that it has frozen itself.
  return Object.isFrozen(object) ? object : (deepFreeze(object) as Frozen<T>);
}
