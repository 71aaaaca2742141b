import { afterAll, expect, test } from "vitest";
import { type Reached, reachedText, storm } from "./storm.ts";

const SEEDS = Array.from({ length: 80 }, (_, index) => 1001 + index);
const reached: Reached = new Map();

test.each(SEEDS)("the life of a cluster ends the same in storm %i", (seed) =>
  storm(seed, { file: "swarm.deep.ts", reached }),
);

/** What must have happened at least once over all storms, or they prove less than they seem to. */
const MUST_BE_REACHED = [
  "process crashed",
  "process lost the Lease",
  "condition InfrastructureReady True Reconciled",
  "condition DataSecretAvailable True DataSecretAvailable",
  "fault crash-before-write",
  "fault crash-after-write",
  "fault two-leaders",
  "fault kube-timeout-applied",
  "fault arm-timeout-applied",
  "fault arm-precondition",
  "fault operation-lost",
  "fault operation-failed-but-applied",
  "fault workload-unreachable",
  "fault watch-drop",
  "fault watch-time-travel",
  "fault user-edit",
  "fault clock-jump",
];

afterAll(() => {
  console.log(reachedText(reached));
  expect(MUST_BE_REACHED.filter((state) => !reached.has(state))).toEqual([]);
});
