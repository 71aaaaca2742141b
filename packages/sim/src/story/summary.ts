import type { TraceEvent } from "../trace/trace-event.ts";
import type { Pool } from "../world/availability.ts";

/** What is known of a run beside its events. */
export interface RunFacts {
  readonly scenario: string;
  readonly seed: string;
  readonly traceHash: string;
  /** What the simulated Azure itself has counted: its journal's entries, and the hash over them. */
  readonly journal: { readonly requests: number; readonly hash: string };
  readonly virtualMs: number;
  /** Steps of the scheduler. */
  readonly steps: number;
  /** The faults that were switched on at the beginning or by a step. */
  readonly armed: readonly string[];
  /** How few machines of each pool have been available. */
  readonly pools: readonly Pick<Pool, "name" | "lowest">[];
}

/** How often something was done, and how often that was refused. */
interface Tally {
  readonly name: string;
  readonly count: number;
  /** Of `count`, those that were answered with an error. */
  readonly refused: number;
}

/** Tallies by name, and their sum. */
export interface Tallies {
  readonly count: number;
  readonly refused: number;
  readonly by: readonly Tally[];
}

/** A run in numbers; it is printed as it is by `-o json`. */
export interface Summary extends Omit<RunFacts, "armed"> {
  /** Requests to Azure by operation. */
  readonly armCalls: Tallies;
  /** Writes to Kubernetes APIs by controller. */
  readonly kubeWrites: Tallies;
  /** How often each fault struck that was switched on; 0 for one that nothing fitted. */
  readonly faults: { readonly count: number; readonly by: readonly Omit<Tally, "refused">[] };
  readonly violations: number;
}

/** Sums a run up. */
export function summaryOf(events: readonly TraceEvent[], { armed, ...facts }: RunFacts): Summary {
  const arm = events.flatMap(({ happening }) =>
    happening.kind === "arm" ? [{ name: happening.operation, status: happening.status }] : [],
  );
  const writes = events.flatMap(({ actor, happening }) =>
    happening.kind === "write" ? [{ name: controllerOf(actor), status: happening.status }] : [],
  );
  const struck = events.flatMap(({ happening }) =>
    happening.kind === "fault" ? [{ name: happening.fault, status: 0 }] : [],
  );
  const faults = talliesOf(struck);
  const idle = [...new Set(armed)]
    .filter((name) => !faults.by.some((fault) => fault.name === name))
    .map((name) => ({ name, count: 0 }));
  return {
    ...facts,
    armCalls: talliesOf(arm),
    kubeWrites: talliesOf(writes),
    faults: { count: faults.count, by: [...faults.by.map(({ name, count }) => ({ name, count })), ...idle] },
    violations: events.filter(({ happening }) => happening.kind === "violation").length,
  };
}

/** The controller in `manager-1/azuremachinepool`; whoever is no controller is meant as a whole. */
function controllerOf(actor: string): string {
  return actor.slice(actor.lastIndexOf("/") + 1);
}

const FIRST_REFUSAL = 400;

function talliesOf(answers: readonly { readonly name: string; readonly status: number }[]): Tallies {
  const byName = Map.groupBy(answers, ({ name }) => name);
  const by = [...byName]
    .map(([name, these]) => ({ name, count: these.length, refused: refusedOf(these) }))
    .sort((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1));
  return { count: answers.length, refused: refusedOf(answers), by };
}

function refusedOf(answers: readonly { readonly status: number }[]): number {
  return answers.filter(({ status }) => status >= FIRST_REFUSAL).length;
}
