import { type Condition, deepEqual, type Frozen, type Kind, type KubernetesObject } from "@capstan/api";
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

/** What the runner gives to one pass over one object. */
export interface Context<T extends KubernetesObject> {
  /** The object, to be edited: the runner writes the changes when the phases are done. */
  readonly object: Editable<T>;
  /** Reads live state and writes other objects. The runner waits for these writes to reach the cache before the next pass. */
  readonly client: Client;
  readonly cache: CacheReader;
  readonly env: Env;
  readonly log: Logger;
  /** Throws when this process does not lead any more: asked right before each write to another server than `client`'s. */
  assertMayWrite(): void;
  /** Sets a condition of the object; its reason is never empty. */
  setCondition(condition: Omit<Condition, "lastTransitionTime"> & { readonly reason: string }): void;
  /**
   * Follows a kind from now on, one that only a reference of the object names; `referrersOf` maps its objects to ours.
   * Returns whether the cache answers for it: not before the server serves the kind and its first list has come.
   */
  watch(kind: Kind): boolean;
  /** Tells the user something, once. */
  event(note: EventNote): void;
  /**
   * Writes the status at once instead of at the end. Only for what must be known after a crash before
   * something irreversible happens: the intent of a long-running operation, and its address.
   */
  persistStatus(): Promise<void>;
}

/** One step of a reconciler: it looks, decides and acts on the scope, and says how to go on. */
export type Phase<S> = (scope: S) => Outcome | Promise<Outcome>;

/** Objects of another kind whose changes concern ours. */
export interface Watch {
  readonly kind: Kind;
  /** The objects of ours to look at when this one changed. */
  map(object: Frozen<KubernetesObject>, cache: CacheReader): readonly ObjectName[];
  /** Whether a change of such an object is news to anybody; every change is unless told. */
  predicate?(before: Frozen<KubernetesObject>, after: Frozen<KubernetesObject>): boolean;
  /** Such news does not wait for an object that rests. */
  readonly isUrgent?: boolean;
}

/** What is special about watching a kind. */
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

/** Whether more has changed than a status: what somebody wants, or what is written on an object. */
export function isMoreThanStatus(before: Frozen<KubernetesObject>, after: Frozen<KubernetesObject>): boolean {
  return before.metadata.generation !== after.metadata.generation || metadataChanged(before, after);
}

/** Whether something else is written on an object: its labels, annotations and owners, and that it goes. */
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

/** News from elsewhere than the management cluster. It is told once how to wake objects, and does so when it knows of something. */
export type Source = (enqueue: (name: ObjectName) => void, cache: CacheReader) => void;

/** A way to find objects of the reconciler's own kind without reading all of them. */
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
  return { kind, name, valuesOf: valuesOf };
}

/**
 * A controller as data. Phases run in order on a shared scope; the runner owns everything else:
 * fetching, pausing, the finalizer, one status patch at the end (also after a failure), the soonest
 * comeback, and what each class of failure means.
 */
export interface ReconcilerDefinition<T extends KubernetesObject, S> {
  readonly name: string;
  readonly for: Kind<T>;
  /** Kinds whose objects have ours as their controller. */
  readonly owns?: readonly Kind[];
  readonly watches?: readonly Watch[];
  /** The objects of ours that refer to an object of a kind that `context.watch` follows. */
  readonly referrersOf?: (object: Frozen<KubernetesObject>, cache: CacheReader) => readonly ObjectName[];
  readonly sources?: readonly Source[];
  readonly indexes?: readonly IndexDefinition[];
  /** Set on the object before anything else is done, removed after all deleting phases are through. */
  readonly finalizer?: string;
  /** The condition that reports how the last pass ended; Ready unless told. */
  readonly condition?: string;
  /** Passes that may run at once, for different objects; 10 unless told. */
  readonly concurrency?: number;
  /** How often objects are looked at without any news; every ten minutes unless told. Who asks others than the cache needs it. */
  readonly resyncMs?: number;
  /**
   * How far apart passes over an object begin that news about other objects asks for: so much news costs one pass. A
   * change of the object itself does not wait, and neither does anything unless told.
   */
  minReconcileIntervalMs?(object: Frozen<T>): number;
  /** Whether a pass over the object as we have just left it could find anything else to do, where that has another spec; it could unless told. */
  reconcileAfterOwnSpecChange?(before: Frozen<T>, after: Frozen<T>): boolean;
  scope(context: Context<T>): S | Promise<S>;
  /** Run before `normal` and before `deleting`. */
  readonly always?: readonly Phase<S>[];
  readonly normal: readonly Phase<S>[];
  readonly deleting?: readonly Phase<S>[];
  /** Run instead of all others while the object or its Cluster is paused: for what must not stay half done. */
  readonly whilePaused?: readonly Phase<S>[];
  /** Derives the status from what the phases found; runs after them, whatever happened. */
  status?(scope: S, pass: PassSummary): void;
}

/** How the phases of a pass went, for the status. */
export interface PassSummary {
  /** All phases ran and none of them asked for a requeue. */
  readonly settled: boolean;
  /** The reconciler reports the Ready condition of this pass itself; unless it claims it, the runner derives it from the outcome. */
  readonly claimReady: () => void;
}

/** A reconciler of any kind and scope, as the runner holds it. */
export type Reconciler = ReconcilerDefinition<KubernetesObject, unknown>;

// CAPZ's default for every Azure kind.
const DEFAULT_CONCURRENCY = 10;

/** Defines a controller; the compiler checks that its phases fit its scope, and the runner sees just a Reconciler. */
export function defineReconciler<T extends KubernetesObject, S>(
  definition: ReconcilerDefinition<T, S>,
): Reconciler {
  return { concurrency: DEFAULT_CONCURRENCY, ...definition } as unknown as Reconciler;
}
