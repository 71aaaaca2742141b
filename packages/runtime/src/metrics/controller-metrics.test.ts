import { describe, expect, test } from "vitest";
import { createControllerMetrics } from "./controller-metrics.ts";
import { MetricRegistry } from "./registry.ts";

describe("the metrics of controllers", () => {
  test("have the names and types of controller-runtime and Cluster API", () => {
    const registry = new MetricRegistry();
    createControllerMetrics(registry);
    const types = Object.fromEntries(
      [...registry.print().matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = "", type = ""]) => [
        name,
        type,
      ]),
    );
    expect(types).toEqual({
      capi_reconcile_stale_cache_skips_total: "counter",
      capi_reconcile_total: "counter",
      controller_runtime_active_workers: "gauge",
      controller_runtime_max_concurrent_reconciles: "gauge",
      controller_runtime_reconcile_errors_total: "counter",
      controller_runtime_reconcile_panics_total: "counter",
      controller_runtime_reconcile_time_seconds: "histogram",
      controller_runtime_reconcile_total: "counter",
      controller_runtime_terminal_reconcile_errors_total: "counter",
      leader_election_master_status: "gauge",
      rest_client_requests_total: "counter",
      workqueue_adds_total: "counter",
      workqueue_depth: "gauge",
      workqueue_queue_duration_seconds: "histogram",
      workqueue_retries_total: "counter",
      workqueue_work_duration_seconds: "histogram",
    });
  });

  test("are counted under the labels of controller-runtime", () => {
    const registry = new MetricRegistry();
    const metrics = createControllerMetrics(registry);
    metrics.reconciled("boats", "requeue_after", 0.3);
    metrics.failed("boats", "terminal");
    metrics.failed("boats", "error");
    metrics.failed("boats", "panic");
    metrics.workers("boats", 3, 10);
    metrics.staleCacheWait("boats");
    metrics.request("PATCH", 409);
    metrics.leading("capstan", true);
    const queue = metrics.queue("boats");
    queue.added(2);
    queue.taken(1500, 1);
    queue.retried();
    queue.worked(0.02);
    const printed = registry.print().split("\n");
    for (const line of [
      'controller_runtime_reconcile_total{controller="boats",result="requeue_after"} 1',
      'capi_reconcile_total{controller="boats",result="requeue_after"} 1',
      'controller_runtime_reconcile_time_seconds_bucket{controller="boats",le="0.25"} 0',
      'controller_runtime_reconcile_time_seconds_bucket{controller="boats",le="0.3"} 1',
      'controller_runtime_terminal_reconcile_errors_total{controller="boats"} 1',
      'controller_runtime_reconcile_errors_total{controller="boats"} 1',
      'controller_runtime_reconcile_panics_total{controller="boats"} 1',
      'controller_runtime_active_workers{controller="boats"} 3',
      'controller_runtime_max_concurrent_reconciles{controller="boats"} 10',
      'capi_reconcile_stale_cache_skips_total{controller="boats"} 1',
      'rest_client_requests_total{method="PATCH",code="409"} 1',
      'leader_election_master_status{name="capstan"} 1',
      'workqueue_depth{name="boats"} 1',
      'workqueue_adds_total{name="boats"} 1',
      'workqueue_retries_total{name="boats"} 1',
      'workqueue_queue_duration_seconds_sum{name="boats"} 1.5',
      'workqueue_work_duration_seconds_bucket{name="boats",le="0.01"} 0',
      'workqueue_work_duration_seconds_bucket{name="boats",le="0.1"} 1',
    ]) {
      expect(printed).toContain(line);
    }
  });
});
