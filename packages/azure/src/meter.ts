import type { MetricRegistry } from "@capstan/runtime";

/** The outcome of a call: `held` calls were never sent because the budget was used up. */
export type CallOutcome = "ok" | "refused" | "throttled" | "unanswered" | "held";

/** How often an operation was called. */
export interface CallCount {
  readonly operation: string;
  readonly controller: string;
  readonly outcome: CallOutcome;
  readonly calls: number;
}

/** Counts the calls to Azure by operation, controller and outcome. */
export class Meter {
  readonly #counts = new Map<string, { -readonly [Field in keyof CallCount]: CallCount[Field] }>();
  readonly #counter: ReturnType<MetricRegistry["counter"]> | undefined;

  constructor(metrics?: MetricRegistry) {
    this.#counter = metrics?.counter({
      name: "capstan_azure_calls_total",
      help: "Calls to Azure Resource Manager by operation, controller and outcome.",
      labels: ["operation", "controller", "outcome"],
    });
  }

  count(operation: string, controller: string, outcome: CallOutcome): void {
    this.#counter?.add([operation, controller, outcome]);
    const key = `${operation}\n${controller}\n${outcome}`;
    const known = this.#counts.get(key);
    if (known) known.calls++;
    else this.#counts.set(key, { operation, controller, outcome, calls: 1 });
  }

  /** All counts, sorted by name. */
  counts(): readonly CallCount[] {
    return [...this.#counts.entries()]
      .sort(([left], [right]) => (left < right ? -1 : 1))
      .map(([, count]) => ({ ...count }));
  }

  /** How many requests reached Azure. */
  get sent(): number {
    return [...this.#counts.values()].reduce(
      (sum, { outcome, calls }) => sum + (outcome === "held" ? 0 : calls),
      0,
    );
  }
}
