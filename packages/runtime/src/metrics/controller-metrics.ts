import type { QueueObserver } from "../queue/queue.ts";
import type { MetricRegistry } from "./registry.ts";

/** The result of a pass over one object, in controller-runtime's words. */
export type ReconcileResult = "success" | "error" | "requeue" | "requeue_after";

/** The metrics of all controllers of a process. */
export interface ControllerMetrics {
  reconciled(controller: string, result: ReconcileResult, seconds: number): void;
  failed(controller: string, kind: "error" | "terminal" | "panic"): void;
  workers(controller: string, active: number, limit: number): void;
  staleCacheWait(controller: string): void;
  request(method: string, status: number): void;
  leading(lease: string, isLeader: boolean): void;
  queue(name: string): QueueObserver & { worked(seconds: number): void };
}

// controller-runtime's own buckets, so that existing dashboards and alerts keep their meaning.
const RECONCILE_BUCKETS = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.25, 1.5,
  1.75, 2, 2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50, 60,
];
// And two more, around the target time for the start of a pass.
const QUEUE_BUCKETS = [1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 2e-2, 5e-2, 1e-1, 1, 10, 100, 1000];

/** Registers the metrics that controller-runtime and Cluster API expose, under their names. */
export function createControllerMetrics(registry: MetricRegistry): ControllerMetrics {
  const counter = (name: string, help: string, ...labels: string[]) =>
    registry.counter({ name, help, labels });
  const gauge = (name: string, help: string, ...labels: string[]) => registry.gauge({ name, help, labels });
  const reconciles = counter(
    "controller_runtime_reconcile_total",
    "Passes by controller and result.",
    "controller",
    "result",
  );
  const errors = counter("controller_runtime_reconcile_errors_total", "Passes that failed.", "controller");
  const terminals = counter(
    "controller_runtime_terminal_reconcile_errors_total",
    "Passes that wait for a user to change something.",
    "controller",
  );
  const panics = counter(
    "controller_runtime_reconcile_panics_total",
    "Passes that hit a bug in Capstan.",
    "controller",
  );
  const times = registry.histogram({
    name: "controller_runtime_reconcile_time_seconds",
    help: "How long a pass takes.",
    labels: ["controller"],
    buckets: RECONCILE_BUCKETS,
  });
  const active = gauge("controller_runtime_active_workers", "Running passes.", "controller");
  const limits = gauge(
    "controller_runtime_max_concurrent_reconciles",
    "Passes that may run at once.",
    "controller",
  );
  const capiTotal = counter(
    "capi_reconcile_total",
    "Passes by controller and result.",
    "controller",
    "result",
  );
  const stale = counter(
    "capi_reconcile_stale_cache_skips_total",
    "Passes that waited for the cache to see their own writes.",
    "controller",
  );
  const requests = counter("rest_client_requests_total", "Requests to the API server.", "method", "code");
  const leader = gauge("leader_election_master_status", "1 while this process holds the Lease.", "name");
  const queues = queueMetrics(registry);
  const failures = { error: errors, terminal: terminals, panic: panics };
  return {
    reconciled: (controller, result, seconds) => {
      reconciles.add([controller, result]);
      capiTotal.add([controller, result]);
      times.observe([controller], seconds);
    },
    failed: (controller, kind) => failures[kind].add([controller]),
    workers: (controller, count, limit) => {
      active.set([controller], count);
      limits.set([controller], limit);
    },
    staleCacheWait: (controller) => stale.add([controller]),
    request: (method, status) => requests.add([method, String(status)]),
    leading: (lease, isLeader) => leader.set([lease], isLeader ? 1 : 0),
    queue: queues,
  };
}

function queueMetrics(registry: MetricRegistry): ControllerMetrics["queue"] {
  const labels = ["name"];
  const depth = registry.gauge({ name: "workqueue_depth", help: "Keys that wait.", labels });
  const adds = registry.counter({ name: "workqueue_adds_total", help: "Keys added.", labels });
  const retries = registry.counter({
    name: "workqueue_retries_total",
    help: "Keys added again after a failure.",
    labels,
  });
  const waited = registry.histogram({
    name: "workqueue_queue_duration_seconds",
    help: "How long a key waits.",
    labels,
    buckets: QUEUE_BUCKETS,
  });
  const work = registry.histogram({
    name: "workqueue_work_duration_seconds",
    help: "How long a key is worked on.",
    labels,
    buckets: QUEUE_BUCKETS,
  });
  return (name) => ({
    added: (length) => {
      adds.add([name]);
      depth.set([name], length);
    },
    taken: (waitedMs, length) => {
      waited.observe([name], waitedMs / 1000);
      depth.set([name], length);
    },
    retried: () => retries.add([name]),
    worked: (seconds) => work.observe([name], seconds),
  });
}
