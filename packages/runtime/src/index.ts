/** The controller kit: everything between a Kubernetes API server and a reconciler's phases. */
export { backoffMs } from "./backoff.ts";
export { Cache, type CacheOptions, type Selection } from "./cache/cache.ts";
export { type Change, Informer, type InformerOptions } from "./cache/informer.ts";
export { type Found, IndexedStore, type IndexFunction, keyOf } from "./cache/store.ts";
export {
  type Client,
  type ClientOptions,
  createClient,
  type DeleteOptions,
  type ListOptions,
  type ListPage,
  type PageOptions,
  type Patch,
  type Unsaved,
  type WatchEvent,
  type WatchOptions,
  type WriteOptions,
} from "./client/client.ts";
export { createIfMissing, deleteIfExists, unlessGone } from "./client/writes.ts";
export { connectWithKubeconfig, type KubeconfigSource } from "./client/kubeconfig.ts";
export type { ObjectName } from "./client/paths.ts";
export {
  createEventRecorder,
  type EventNote,
  type EventRecorder,
  type RecorderOptions,
} from "./events/recorder.ts";
export {
  Failure,
  type FailureClass,
  type FailureOptions,
  isAlreadyExists,
  isConflict,
  isExpired,
  isNotServed,
  isNotFound,
  terminal,
  transient,
  waiting,
} from "./failure.ts";
export { conditionsOf, withConditions, withStandardConditions } from "./reconciler/condition-lists.ts";
export { explainedBy, failedCondition } from "./reconciler/failed-condition.ts";
export { type AppliedObject, type Configuration, OwnedObjects } from "./reconciler/owned-objects.ts";
export { ContestedFields, FIELD_CONTESTED } from "./reconciler/contested-fields.ts";
export { createDiagnostics, type DiagnosticsOptions } from "./health/diagnostics.ts";
export { guardWrites } from "./leader/guarded-client.ts";
export { Leader, type LeaderOptions } from "./leader/leader.ts";
export {
  createLogger,
  type LogDestination,
  type LogFields,
  type Logger,
  type LogLevel,
  silentLogger,
} from "./log/logger.ts";
export { logDisruptions } from "./log/logged-client.ts";
export { redacted, Sensitive } from "./log/sensitive.ts";
export {
  type Counter,
  type Gauge,
  type Histogram,
  type MetricOptions,
  MetricRegistry,
} from "./metrics/registry.ts";
export { type Priority, type QueueObserver, type QueueOptions, WorkQueue } from "./queue/queue.ts";
export type { Editable } from "./reconciler/editable.ts";
export { again, block, next, type Outcome } from "./reconciler/outcome.ts";
export { forEachIndependently, independent } from "./reconciler/phases.ts";
export {
  type CacheReader,
  type Context,
  defineReconciler,
  index,
  type IndexDefinition,
  metadataChanged,
  isMoreThanStatus,
  on,
  type PassSummary,
  type Phase,
  type Reconciler,
  type ReconcilerDefinition,
  type Source,
  type Watch,
} from "./reconciler/reconciler.ts";
export { Runner, type RunnerOptions } from "./runner/runner.ts";
export { shortHash } from "./short-hash.ts";
