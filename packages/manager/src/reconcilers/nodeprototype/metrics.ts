import type { MetricRegistry } from "@capstan/runtime";

/** The metrics of node prototyping; without a registry nothing is counted. */
export class PrototypeMetrics {
  readonly #renewals: ReturnType<MetricRegistry["counter"]> | undefined;
  readonly #steps: ReturnType<MetricRegistry["histogram"]> | undefined;
  readonly #downtime: ReturnType<MetricRegistry["histogram"]> | undefined;
  readonly #stopped: ReturnType<MetricRegistry["gauge"]> | undefined;

  constructor(registry?: MetricRegistry) {
    this.#renewals = registry?.counter({
      name: "capstan_node_prototype_renewals_total",
      help: "Renewals of node images by pool and result: succeeded, failed or skipped.",
      labels: ["pool", "result"],
    });
    this.#steps = registry?.histogram({
      name: "capstan_node_prototype_step_seconds",
      help: "How long the steps of a renewal take.",
      labels: ["step"],
      buckets: [5, 15, 30, 60, 120, 300, 600, 1800, 3600, 7200, 21_600],
    });
    this.#downtime = registry?.histogram({
      name: "capstan_node_prototype_donor_out_of_service_seconds",
      help: "How long a donor takes no pods.",
      labels: ["pool"],
      buckets: [60, 120, 180, 240, 300, 450, 600, 900, 1800],
    });
    this.#stopped = registry?.gauge({
      name: "capstan_node_prototype_donor_overdue",
      help: "1 while the donor of a pool has been out of service for more than 15 minutes: alert on it.",
      labels: ["pool"],
    });
  }

  ended(pool: string, result: "succeeded" | "failed" | "skipped"): void {
    this.#renewals?.add([pool, result]);
  }

  step(step: string, seconds: number): void {
    this.#steps?.observe([step], seconds);
  }

  back(pool: string, seconds: number): void {
    this.#downtime?.observe([pool], seconds);
  }

  overdue(pool: string, isOverdue: boolean): void {
    this.#stopped?.set([pool], isOverdue ? 1 : 0);
  }
}
