import { drawMs, drawTypicalSeconds, type Duration, RECORDED } from "@capstan/azure-sim";
import { createRng, type Rng } from "@capstan/env";
import type { RolloutStep, StepTimes } from "@capstan/plan";

/** As long as the simulated guests take: half of the nodes with Cluster API's reference images are Ready after a minute. */
export const BOOT: Duration = { p50: 60, p90: 120 };

/** An estimate, not recorded: pods stop within their grace period of 30 seconds, and some wait for one another. */
export const DRAIN: Duration = { p50: 30, p90: 120 };

// From runs in virtual time: Nodes and operations enqueue the pool controller, so it rarely waits for its next list.
const NOTICE: Duration = { p50: 2, p90: 4 };

// While a pool changes, its controller lists the instances every 15 seconds.
const LIST: Duration = { p50: 15, p90: 15 };

/** A step that takes no time. */
export const NONE: Duration = { p50: 0, p90: 0 };

const DURATIONS: Readonly<Record<Exclude<RolloutStep, "minReady">, Duration>> = {
  put: RECORDED["scaleSet.model"] ?? NONE,
  create: RECORDED["instance.create"] ?? NONE,
  boot: BOOT,
  drain: DRAIN,
  delete: RECORDED["instance.delete"] ?? NONE,
  update: RECORDED["instance.manualupgrade"] ?? NONE,
  notice: NOTICE,
  list: LIST,
};

/** What is known about the machines of a rollout. */
export interface TimeFacts {
  readonly minReadySeconds: number;
  /** Whether no Node of the pool has pods to evict; undefined if that is not known. */
  readonly hasNoPods?: boolean;
}

/** Every step takes as long as half of them do. */
export function medianTimes(facts: TimeFacts): StepTimes {
  return (step) => fixedMs(step, facts) ?? durationOf(step).p50 * 1000;
}

// Only operations of Azure have the rare very slow ones: traffic shows them, and guests do not boot 20 times as long.
const IN_AZURE: ReadonlySet<RolloutStep> = new Set(["put", "create", "delete", "update"]);

/** Every step takes as long as a draw from what was recorded of Azure, slow ones included; the same seed gives the same draws. */
export function drawnTimes(facts: TimeFacts, seed: string): StepTimes {
  const rng = createRng(seed, "step times of a rollout");
  return (step) => fixedMs(step, facts) ?? drawnMs(step, rng);
}

function drawnMs(step: RolloutStep, rng: Rng): number {
  const duration = durationOf(step);
  return IN_AZURE.has(step) ? drawMs(duration, rng) : drawTypicalSeconds(duration, rng) * 1000;
}

function fixedMs(step: RolloutStep, { minReadySeconds, hasNoPods }: TimeFacts): number | undefined {
  if (step === "minReady") return minReadySeconds * 1000;
  return step === "drain" && hasNoPods === true ? 0 : undefined;
}

function durationOf(step: RolloutStep): Duration {
  return step === "minReady" ? NONE : DURATIONS[step];
}

/** The assumptions of a forecast, for its readers. */
export const ASSUMPTIONS: readonly string[] = [
  `times are those of recorded traffic: an instance is created in ${spread(DURATIONS.create)}, deleted in ${spread(DURATIONS.delete)}, updated in place in ${spread(DURATIONS.update)}; one operation in a hundred takes up to 20 times as long`,
  `a Node is Ready ${spread(BOOT)} after power on, and drained in ${spread(DRAIN)} unless something blocks it`,
  "waves are those of equally fast machines; in a run machines become available one by one, and so are replaced",
  "Azure has the quota and the capacity: neither was checked",
  "the names of machines that do not exist yet are guesses",
];

function spread({ p50, p90 }: Duration): string {
  return `${p50} to ${p90} s`;
}
