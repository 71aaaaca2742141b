import { crashPointsOf, faultOf, faultsOf, rehearse } from "@capstan/sim";
import { expect, test } from "vitest";
import { sampledPoints, numbersFrom, repetitions } from "../../sample.ts";
import { proofRehearsal } from "./harness.ts";

const CRASH_SEEDS = 20;
const STORM_SEEDS = repetitions("storms in the harness", 40, 100);

/** What must have happened at least once over all storms, or they prove less than they seem to. */
const MUST_BE_REACHED = [
  "process crashed",
  "process lost the Lease",
  "condition Ready True Reconciled",
  "condition Ready False ReservingSlot",
  "condition Ready False TooManyRequests",
  "fault crash-before-write",
  "fault crash-after-write",
  "fault kube-timeout-applied",
  "fault watch-drop",
  "fault watch-delay",
  "fault two-leaders",
  "fault user-edit",
];

test(`a crash at any write changes nothing about the end, with ${CRASH_SEEDS} seeds`, async () => {
  const all = [];
  for (const seed of numbersFrom(1, CRASH_SEEDS)) {
    const { end, writes } = await rehearse(proofRehearsal({ seed: String(seed) }));
    all.push(...crashPointsOf({ writes }).map((point) => ({ seed, point, end })));
  }
  for (const { seed, point, end } of sampledPoints("crashes in the harness", all)) {
    const run = await rehearse(proofRehearsal({ seed: String(seed) }), [faultOf(point)]);
    expect(run.failure, `seed ${seed}, ${JSON.stringify(point)}`).toBeUndefined();
    expect(run.end, `seed ${seed}, ${JSON.stringify(point)}`).toEqual(end);
  }
});

test(`${STORM_SEEDS} storms change nothing about the end, and everything was seen in them`, async () => {
  const calm = await rehearse(proofRehearsal({ seed: "1" }));
  const reached = new Map<string, number>();
  for (let seed = 1001; seed <= 1000 + STORM_SEEDS; seed++) {
    const faults = faultsOf("swarm", String(seed));
    const run = await rehearse(proofRehearsal({ seed: String(seed), managers: 1 + (seed % 2) }), faults);
    expect(run.failure, `seed ${seed}`).toBeUndefined();
    expect(run.end, `seed ${seed}`).toEqual(calm.end);
    for (const [state, count] of run.world.reached()) reached.set(state, (reached.get(state) ?? 0) + count);
  }
  console.log([...reached].map(([state, count]) => `${String(count).padStart(6)}  ${state}`).join("\n"));
  expect(MUST_BE_REACHED.filter((state) => !reached.has(state))).toEqual([]);
});
