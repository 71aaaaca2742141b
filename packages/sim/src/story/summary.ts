import type { TraceEvent } from "../trace/trace-event.ts";
import type { Pool } from "../world/availability.ts";

/** Facts about a run besides its events. */
export interface RunFacts {
  readonly scenario: string;
  readonly seed: string;
  readonly traceHash: string;
  /** Azure's own counters: the entries of its journal, and their hash. */
  readonly journal: { readonly requests: number; readonly hash: string };
  readonly virtualMs: number;
  /** Steps of the scheduler. */
  readonly steps: number;
  /** The faults activated at the start or by a step. */
  readonly armed: readonly string[];
  /** The fewest available machines of each pool. */
  readonly pools: readonly Pick<Pool, "name" | "lowest">[];
}

/** How often something was done, and how often it was refused. */
interface Tally {
  readonly name: string;
  readonly count: number;
  /** How many of `count` were answered with an error. */
  readonly refused: number;
}

/** Tallies by name, and their total. */
export interface Tallies {
  readonly count: number;
  readonly refused: number;
  readonly by: readonly Tally[];
}

/** A run in numbers; `-o json` prints it unchanged. */
export interface Summary extends Omit<RunFacts, "armed"> {
  /** Requests to Azure by operation. */
  readonly armCalls: Tallies;
  /** Writes to Kubernetes APIs by controller. */
  readonly kubeWrites: Tallies;
  /** How often each active fault hit; 0 for one without a match. */
  readonly faults: { readonly count: number; readonly by: readonly Omit<Tally, "refused">[] };
  readonly violations: number;
}

/** Summarizes a run. */
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

/** The controller in `manager-1/azuremachinepool`; other actors count as a whole. */
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
