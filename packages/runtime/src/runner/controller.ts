import {
  Cluster,
  CLUSTER_NAME_LABEL,
  controllerOf,
  type Frozen,
  type Kind,
  type KubernetesObject,
} from "@capstan/api";
import type { Env, Timer } from "@capstan/env";
import type { Cache } from "../cache/cache.ts";
import type { Change } from "../cache/informer.ts";
import { kindId } from "../cache/kind-id.ts";
import { keyOf } from "../cache/store.ts";
import type { Client } from "../client/client.ts";
import type { EventRecorder } from "../events/recorder.ts";
import { type Failure, isNotFound } from "../failure.ts";
import { logDisruptions } from "../log/logged-client.ts";
import type { Logger } from "../log/logger.ts";
import type { ControllerMetrics, ReconcileResult } from "../metrics/controller-metrics.ts";
import { type Priority, WorkQueue } from "../queue/queue.ts";
import type { Reconciler, Watch } from "../reconciler/reconciler.ts";
import { OwnWrites } from "./own-writes.ts";
import { type PassResult, resultOf, runPass } from "./pass.ts";

/** The options that all controllers of a process share. */
export interface ControllerOptions {
  readonly client: Client;
  readonly cache: Cache;
  readonly env: Env;
  readonly log: Logger;
  readonly metrics: ControllerMetrics;
  readonly events: EventRecorder;
  readonly assertMayWrite: () => void;
  readonly watchFilter?: string;
}

// Cluster API's sync period: even if an event was lost, every object is reconciled this often.
const RESYNC_MS = 10 * 60_000;
// How long a pass waits for the cache to see what the last pass wrote, before it reads from the server.
const OWN_WRITES_LIMIT_MS = 10_000;
// ASO has seen "fatal" errors that passed; a slow probe costs little.
const TERMINAL_PROBE_MS = 10 * 60_000;
// A single failure that passes is not worth an event; the third in a row is.
const EVENT_AFTER_FAILURES = 3;

const WATCH_FILTER_LABEL = "cluster.x-k8s.io/watch-filter";
const CLUSTER_INDEX = "cluster-name";

/** Runs one reconciler: maps changes to keys, runs passes for keys, and requeues by their results. */
export class Controller {
  readonly name: string;
  readonly queue: WorkQueue;
  readonly #reconciler: Reconciler;
  readonly #options: ControllerOptions;
  readonly #queueMetrics: ReturnType<ControllerMetrics["queue"]>;
  readonly #ownWrites = new Map<string, OwnWrites>();
  /** Changes of objects with a running pass. */
  readonly #held = new Map<string, Change<KubernetesObject>[]>();
  /** Until when, monotonic, events of other objects wait for an object. */
  readonly #notBefore = new Map<string, number>();
  /** The ids of the kinds that the controller watches or reads. */
  readonly #watched = new Set<string>();
  #workers: Promise<void>[] = [];
  #resync: Timer | undefined;

  constructor(reconciler: Reconciler, options: ControllerOptions) {
    this.name = reconciler.name;
    this.#reconciler = reconciler;
    this.#options = { ...options, log: options.log.with({ controller: reconciler.name }) };
    this.#queueMetrics = options.metrics.queue(reconciler.name);
    this.queue = new WorkQueue({ env: options.env, name: reconciler.name, observer: this.#queueMetrics });
    this.#follow();
  }

  /** Starts the workers; the cache must be in sync. */
  start(): void {
    const count = this.#reconciler.concurrency ?? 1;
    this.#workers = Array.from({ length: count }, () => this.#work());
    this.#scheduleResync();
  }

  /** Enqueues every object with low priority. */
  enqueueAll(): void {
    const { store } = this.#options.cache.informer(this.#reconciler.for);
    for (const key of store.keys()) this.queue.add(key, "later");
  }

  /** Takes no new keys and resolves when the running passes have ended. */
  async stop(): Promise<void> {
    this.#resync?.cancel();
    this.queue.close();
    await Promise.all(this.#workers);
  }

  #follow(): void {
    const { cache } = this.#options;
    const { for: own, indexes = [] } = this.#reconciler;
    cache.informer(own).addHandler((change) => {
      const held = this.#held.get(keyOf(change.object));
      if (held) held.push(change);
      else this.#consider(change);
    });
    for (const index of indexes) {
      cache.informer(index.kind).store.addIndex(index.name, (object) => index.valuesOf(object));
    }
    this.#followOthers();
    if (own.group.endsWith("cluster.x-k8s.io") && own.kind !== Cluster.kind) this.#followPause();
  }

  /** Watches a kind that a reference names; returns whether the cache can be read for it. */
  #watch(kind: Kind): boolean {
    const { cache } = this.#options;
    const { name, referrersOf } = this.#reconciler;
    if (!this.#watched.has(kindId(kind))) {
      if (!referrersOf) throw new TypeError(`${name} has no referrersOf, so it cannot watch ${kind.kind}`);
      if (!cache.optionalInformer(kind)) return false;
      const keysOf = (object: Frozen<KubernetesObject>): readonly string[] =>
        referrersOf(object, cache).map((referrer) => keyOf({ metadata: referrer }));
      this.#followOther({ kind }, keysOf);
    }
    return cache.follows(kind);
  }

  #followOthers(): void {
    const { cache } = this.#options;
    const { for: own, owns = [], watches = [], reads = [], sources = [] } = this.#reconciler;
    for (const kind of owns) this.#followOther({ kind }, (object) => ownerKeys(own, object));
    for (const watch of watches) {
      this.#followOther(watch, (object) => watch.map(object, cache).map((name) => keyOf({ metadata: name })));
    }
    for (const kind of reads) {
      cache.informer(kind);
      this.#watched.add(kindId(kind));
    }
    for (const source of sources) source((name) => this.#enqueue(keyOf({ metadata: name })), cache);
  }

  /** A change enqueues the objects that the changed object mapped to before and after it. */
  #followOther(
    { kind, predicate, isUrgent }: Omit<Watch, "map">,
    keysOf: (object: Frozen<KubernetesObject>) => readonly string[],
  ): void {
    this.#watched.add(kindId(kind));
    this.#options.cache.informer(kind).addHandler((change) => {
      if (change.type === "updated" && predicate?.(change.previous, change.object) === false) return;
      const objects = change.type === "updated" ? [change.previous, change.object] : [change.object];
      const keys = [...new Set(objects.flatMap(keysOf))];
      if (isUrgent === true) this.#enqueueChange(change, keys);
      else for (const key of keys) this.#enqueue(key, priorityOf(change));
    });
  }

  /** Enqueues a key because another object changed, but not before the object's minimum reconcile interval is over. */
  #enqueue(key: string, priority: Priority = "now"): void {
    const leftMs = (this.#notBefore.get(key) ?? 0) - this.#options.env.clock.monotonic();
    if (leftMs > 0) this.queue.addAfter(key, leftMs);
    else this.queue.add(key, priority);
  }

  /** Pausing or resuming a Cluster enqueues all objects with its label. */
  #followPause(): void {
    const { cache } = this.#options;
    const { store } = cache.informer(this.#reconciler.for);
    store.addIndex(CLUSTER_INDEX, (object) => {
      const cluster = object.metadata.labels?.[CLUSTER_NAME_LABEL];
      return cluster === undefined ? [] : [`${object.metadata.namespace}/${cluster}`];
    });
    cache.informer(Cluster).addHandler((change) => {
      if (change.type !== "updated" || change.previous.spec?.paused === change.object.spec?.paused) return;
      this.#enqueueChange(change, store.byIndex(CLUSTER_INDEX, keyOf(change.object)).map(keyOf));
    });
  }

  #consider(change: Change<KubernetesObject>): void {
    if (!this.#isEcho(change)) this.#enqueueChange(change, [keyOf(change.object)]);
  }

  /**
   * Whether a change is only the echo of the controller's own status write. It must not enqueue an object that is backing
   * off. A new generation does count: the status may have been derived from the old one.
   */
  #isEcho(change: Change<KubernetesObject>): boolean {
    if (change.type !== "updated") return false;
    const { previous, object } = change;
    const isNewSpec = previous.metadata.generation !== object.metadata.generation;
    if (isNewSpec && (this.#reconciler.reconcileAfterOwnSpecChange?.(previous, object) ?? true)) return false;
    const writes = this.#ownWrites.get(keyOf(object));
    return writes?.explains(this.#reconciler.for, previous, object) ?? false;
  }

  #enqueueChange(change: Change<KubernetesObject>, keys: readonly string[]): void {
    const priority = priorityOf(change);
    for (const key of keys) this.queue.add(key, priority);
  }

  #scheduleResync(): void {
    const { env } = this.#options;
    const { resyncMs = RESYNC_MS } = this.#reconciler;
    const delayMs = resyncMs * (0.9 + 0.2 * env.rng(`resync/${this.name}`).next());
    this.#resync = env.clock.timer(delayMs, () => {
      this.enqueueAll();
      this.#scheduleResync();
    });
  }

  async #work(): Promise<void> {
    const { clock } = this.#options.env;
    for (let key = await this.queue.take(); key !== undefined; key = await this.queue.take()) {
      const startedMs = clock.monotonic();
      this.#options.metrics.workers(this.name, this.queue.active, this.#workers.length);
      this.#held.set(key, []);
      const result = await this.#reconcile(key);
      this.#considerHeld(key);
      const seconds = (clock.monotonic() - startedMs) / 1000;
      this.#options.metrics.reconciled(this.name, this.#conclude(key, result), seconds);
      this.#queueMetrics.worked(seconds);
      this.queue.done(key);
      this.#options.metrics.workers(this.name, this.queue.active, this.#workers.length);
    }
  }

  /** Changes during a pass are checked after it, because the echo of a write may overtake its answer. */
  #considerHeld(key: string): void {
    const held = this.#held.get(key) ?? [];
    this.#held.delete(key);
    for (const change of held) this.#consider(change);
  }

  /** One pass over one object. A failure or bug affects only this object. */
  async #reconcile(key: string): Promise<PassResult> {
    const log = this.#options.log.with({ object: key });
    try {
      await this.#seeOwnWrites(key);
    } catch (error) {
      return resultOf(error);
    }
    // The pass reads the changes that arrived while it waited, so they need no further pass.
    this.#held.set(key, []);
    const stored = this.#options.cache.informer(this.#reconciler.for).store.get(key);
    if (!stored || !this.#matchesWatchFilter(stored)) {
      this.#ownWrites.delete(key);
      this.#notBefore.delete(key);
      return { type: "settled" };
    }
    this.#startInterval(key, stored);
    const writes = new OwnWrites();
    this.#ownWrites.set(key, writes);
    const client = writes.track(logDisruptions(this.#options.client, log));
    const watch = (kind: Kind): boolean => this.#watch(kind);
    const options = { ...this.#options, reconciler: this.#reconciler, client, log, watch };
    const result = await runPass(options, stored);
    // Most objects of a settled fleet have no own writes to track.
    if (writes.isEmpty) this.#ownWrites.delete(key);
    return isNotFoundIn(result) && !this.#isThere(stored) ? { type: "settled" } : result;
  }

  /** A NotFound may be about another object, so only the cache shows whether the reconciled object is gone. */
  #isThere(object: Frozen<KubernetesObject>): boolean {
    const { store } = this.#options.cache.informer(this.#reconciler.for);
    return store.get(keyOf(object))?.metadata.uid === object.metadata.uid;
  }

  #startInterval(key: string, object: Frozen<KubernetesObject>): void {
    const intervalMs = this.#reconciler.minReconcileIntervalMs?.(object) ?? 0;
    if (intervalMs > 0) this.#notBefore.set(key, this.#options.env.clock.monotonic() + intervalMs);
    else this.#notBefore.delete(key);
  }

  /** Several managers can share a cluster: each has a value of the label, and ignores all other objects. */
  #matchesWatchFilter({ metadata }: Frozen<KubernetesObject>): boolean {
    const { watchFilter } = this.#options;
    return watchFilter === undefined || metadata.labels?.[WATCH_FILTER_LABEL] === watchFilter;
  }

  async #seeOwnWrites(key: string): Promise<void> {
    const writes = this.#ownWrites.get(key);
    if (!writes) return;
    if (!writes.seenBy(this.#options.cache)) {
      this.#options.metrics.staleCacheWait(this.name);
      await writes.settle(this.#options.cache, OWN_WRITES_LIMIT_MS);
    }
  }

  /** Decides when the key is requeued; returns the label of the metric. */
  #conclude(key: string, result: PassResult): ReconcileResult {
    if (result.type === "bug") return this.#concludeBug(key, result);
    if (result.type === "failed") return this.#concludeFailure(key, result.failure);
    this.queue.forget(key);
    if (result.type === "settled") return "success";
    this.#options.log.debug("Requeueing later", {
      object: key,
      reason: result.reason,
      afterMs: result.afterMs,
    });
    this.queue.addAfter(key, result.afterMs);
    return "requeue_after";
  }

  #concludeFailure(key: string, failure: Failure): ReconcileResult {
    const { log, metrics } = this.#options;
    switch (failure.failure) {
      case "NotFound":
      case "Conflict":
        this.queue.retry(key);
        return "requeue";
      case "Waiting":
        this.queue.forget(key);
        this.queue.addAfter(key, failure.retryAfterMs ?? 0);
        return "requeue_after";
      case "Transient":
        log.warn("Pass failed, retrying", { object: key, error: failure });
        metrics.failed(this.name, "error");
        this.queue.retry(key, failure.retryAfterMs);
        if (this.queue.failuresOf(key) === EVENT_AFTER_FAILURES)
          this.#warn(key, failure.reason, failure.message);
        return "error";
      case "Terminal":
        log.warn("Pass failed, waiting for a change by a user", { object: key, error: failure });
        metrics.failed(this.name, "terminal");
        this.queue.forget(key);
        this.queue.addAfter(key, Math.min(failure.retryAfterMs ?? TERMINAL_PROBE_MS, TERMINAL_PROBE_MS));
        this.#warn(key, failure.reason, failure.message);
        return "error";
    }
  }

  #concludeBug(
    key: string,
    { error, id }: { readonly error: unknown; readonly id: string },
  ): ReconcileResult {
    this.#options.log.error("Bug in a reconciler, backing off this object only", { object: key, id, error });
    this.#options.metrics.failed(this.name, "error");
    this.#options.metrics.failed(this.name, "panic");
    this.queue.retry(key);
    return "error";
  }

  #warn(key: string, reason: string, message: string): void {
    const object = this.#options.cache.informer(this.#reconciler.for).store.get(key);
    if (object) this.#options.events.record(object, { type: "Warning", reason, message });
  }
}

function isNotFoundIn(result: PassResult): boolean {
  return result.type === "failed" && isNotFound(result.failure);
}

function priorityOf(change: Change<KubernetesObject>): Priority {
  return change.type === "added" && change.initial ? "later" : "now";
}

/** The key of the object of the reconciler's kind that controls this one. */
function ownerKeys(own: Kind, object: Frozen<KubernetesObject>): string[] {
  const owner = controllerOf(object);
  if (!owner || owner.kind !== own.kind || owner.apiVersion.split("/")[0] !== own.apiVersion.split("/")[0])
    return [];
  const { namespace } = object.metadata;
  return [keyOf({ metadata: { name: owner.name, namespace: own.namespaced ? namespace : undefined } })];
}
