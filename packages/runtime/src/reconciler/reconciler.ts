import {
  type Condition,
  deepEqual,
  type Frozen,
  type Kind,
  type KubernetesObject,
  type StandardConditionUpdate,
} from "@capstan/api";
import type { Env } from "@capstan/env";
import type { Cache } from "../cache/cache.ts";
import type { Client } from "../client/client.ts";
import type { ObjectName } from "../client/paths.ts";
import type { EventNote } from "../events/recorder.ts";
import type { Logger } from "../log/logger.ts";
import type { Outcome } from "./outcome.ts";
import type { Editable } from "./editable.ts";

/** Read access to the cache. */
export type CacheReader = Pick<Cache, "get" | "list">;

/** The input of one pass over one object. */
export interface Context<T extends KubernetesObject> {
  /** The editable object: the runner writes the changes after the phases. */
  readonly object: Editable<T>;
  /** Reads live state and writes other objects. The runner waits for these writes to reach the cache before the next pass. */
  readonly client: Client;
  readonly cache: CacheReader;
  readonly env: Env;
  readonly log: Logger;
  /** Throws when this process no longer leads: called before each write to another server than `client`'s. */
  assertMayWrite(): void;
  /** Sets a condition of the object; its reason is never empty. */
  setCondition(condition: Omit<Condition, "lastTransitionTime"> & { readonly reason: string }): void;
  /**
   * Watches a kind from now on that a reference of the object names; `referrersOf` maps its objects to the reconciler's.
   * Returns whether the cache can be read for it: not before the server serves the kind and its first list has arrived.
   */
  watch(kind: Kind): boolean;
  /** Records an event for the user, without duplicates. */
  event(note: EventNote): void;
  /**
   * Writes the status at once instead of at the end. Only for facts that a crash must not lose before an irreversible step:
   * the intent of a long-running operation, and its URL. With `isStrict` it fails with a Conflict if another client has
   * written the object since it was read: the decision was based on an outdated object.
   */
  persistStatus(options?: { readonly isStrict?: boolean }): Promise<void>;
}

/** One step of a reconciler: it observes, decides and acts on the scope, and returns an outcome. */
export type Phase<S> = (scope: S) => Outcome | Promise<Outcome>;

/** Another kind whose changes enqueue objects of the reconciler. */
export interface Watch {
  readonly kind: Kind;
  /** The objects to enqueue when this one changed. */
  map(object: Frozen<KubernetesObject>, cache: CacheReader): readonly ObjectName[];
  /** Whether a change enqueues anything; by default every change does. */
  predicate?(before: Frozen<KubernetesObject>, after: Frozen<KubernetesObject>): boolean;
  /** Such changes ignore the minimum reconcile interval. */
  readonly isUrgent?: boolean;
}

interface WatchOptions<T extends KubernetesObject> {
  readonly predicate?: (before: Frozen<T>, after: Frozen<T>) => boolean;
  readonly isUrgent?: boolean;
}

/** Watches another kind. */
export function on<T extends KubernetesObject>(
  kind: Kind<T>,
  map: (object: Frozen<T>, cache: CacheReader) => readonly ObjectName[],
  options: WatchOptions<T> = {},
): Watch {
  return { kind, map, ...options };
}

/** Whether more than the status has changed: the spec or the metadata. */
export function isMoreThanStatus(before: Frozen<KubernetesObject>, after: Frozen<KubernetesObject>): boolean {
  return before.metadata.generation !== after.metadata.generation || metadataChanged(before, after);
}

/** Whether the metadata has changed: labels, annotations, owners, or the deletion timestamp. */
export function metadataChanged(
  { metadata: before }: Frozen<KubernetesObject>,
  { metadata: after }: Frozen<KubernetesObject>,
): boolean {
  return (
    before.deletionTimestamp !== after.deletionTimestamp ||
    !deepEqual(before.annotations, after.annotations) ||
    !deepEqual(before.labels, after.labels) ||
    !deepEqual(before.ownerReferences, after.ownerReferences)
  );
}

/** A source of events outside the management cluster. It is called once with `enqueue`, and calls that for each event. */
export type Source = (enqueue: (name: ObjectName) => void, cache: CacheReader) => void;

/** An index over a kind that the reconciler watches or reads. */
export interface IndexDefinition {
  readonly kind: Kind;
  readonly name: string;
  valuesOf(object: Frozen<KubernetesObject>): readonly string[];
}

/** Defines an index over a cached kind. */
export function index<T extends KubernetesObject>(
  kind: Kind<T>,
  name: string,
  valuesOf: (object: Frozen<T>) => readonly string[],
): IndexDefinition {
  return { kind, name, valuesOf };
}

/**
 * A controller as data. Phases run in order on a shared scope; the runner does everything else: reading, pausing, the
 * finalizer, one status patch at the end (also after a failure), the soonest requeue, and the handling of each class of
 * failure.
 */
export interface ReconcilerDefinition<T extends KubernetesObject, S> {
  readonly name: string;
  readonly for: Kind<T>;
  /** Kinds whose objects are controlled by the reconciler's objects. */
  readonly owns?: readonly Kind[];
  readonly watches?: readonly Watch[];
  /** Kinds that the reconciler reads from the cache, and whose changes enqueue nothing. */
  readonly reads?: readonly Kind[];
  /** The reconciler's objects that refer to an object of a kind that `context.watch` watches. */
  readonly referrersOf?: (object: Frozen<KubernetesObject>, cache: CacheReader) => readonly ObjectName[];
  readonly sources?: readonly Source[];
  readonly indexes?: readonly IndexDefinition[];
  /** Added to the object before any phase, removed after all deleting phases have returned `next`. */
  readonly finalizer?: string;
  /** Whether an object needs the finalizer; by default every object does. One that does not need it any more loses it. */
  needsFinalizer?(object: Frozen<T>): boolean;
  /** The condition that reports the result of the last pass; by default Ready. */
  readonly condition?: string;
  /** The number of concurrent passes over different objects; by default 10. */
  readonly concurrency?: number;
  /** How often objects are reconciled without any event; by default every ten minutes. A reconciler that reads other servers needs it. */
  readonly resyncMs?: number;
  /**
   * The minimum interval between passes that events of other objects cause, so that many events cost one pass. A change of
   * the object itself does not wait. By default there is no interval.
   */
  minReconcileIntervalMs?(object: Frozen<T>): number;
  /** Whether the reconciler's own change of the spec needs another pass; by default it does. */
  reconcileAfterOwnSpecChange?(before: Frozen<T>, after: Frozen<T>): boolean;
  scope(context: Context<T>): S | Promise<S>;
  /** Run before `normal` and before `deleting`. */
  readonly always?: readonly Phase<S>[];
  readonly normal: readonly Phase<S>[];
  readonly deleting?: readonly Phase<S>[];
  /** Run instead of all others while the object or its Cluster is paused: for work that must not stay half done. */
  readonly whilePaused?: readonly Phase<S>[];
  /** Whether a paused Cluster, or the paused annotation, stops the reconciler; true unless given. Other operators have their own switch. */
  readonly obeysPause?: boolean;
  /**
   * Whether Paused is reported also for objects that never were paused, as Cluster API asks providers to; otherwise it is
   * reported while and after a pause.
   */
  readonly alwaysReportsPaused?: boolean;
  /** Derives the status from the scope; runs after the phases, also after a failure. */
  status?(scope: S, pass: PassSummary): void;
  /**
   * The conditions of a kind whose `status.conditions` has the form of v1beta2, from the status that the pass has reported.
   * The scope is undefined if it could not be built.
   */
  standardConditions?(object: Frozen<T>, scope: S | undefined): readonly StandardConditionUpdate[];
}

/** The result of the phases, for the status. */
export interface PassSummary {
  /** All phases ran and none of them asked for a requeue. */
  readonly settled: boolean;
  /** The reconciler reports the Ready condition of this pass itself; unless it claims it, the runner derives it from the outcome. */
  readonly claimReady: () => void;
}

/** A reconciler of any kind and scope, as the runner stores it. */
export type Reconciler = ReconcilerDefinition<KubernetesObject, unknown>;

// CAPZ's default for every Azure kind.
const DEFAULT_CONCURRENCY = 10;

/** Defines a controller; the compiler checks that its phases match its scope. */
export function defineReconciler<T extends KubernetesObject, S>(
  definition: ReconcilerDefinition<T, S>,
): Reconciler {
  return { concurrency: DEFAULT_CONCURRENCY, ...definition } as unknown as Reconciler;
}
