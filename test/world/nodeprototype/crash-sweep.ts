import { type CrashPoint, crashPointsOf, faultOf, rehearse, type Run } from "@capstan/sim";
import { expect } from "vitest";
import { renewalStory } from "./renewal-story.ts";

/** A renewal without faults, and a crash before and after each of its writes to Kubernetes and to Azure. */
export async function calmRenewal(
  seed: string,
): Promise<{ readonly run: Run; readonly points: readonly CrashPoint[] }> {
  let first = 0;
  let last = 0;
  const run = await rehearse(
    renewalStory(seed, {
      begins: (world) => void (first = world.testedWrites),
      ends: (world) => void (last = world.testedWrites),
    }),
  );
  expect(run.failure).toBeUndefined();
  expect(run.end).toMatchObject({ phase: "Idle", snapshots: [], patches: ["1.2.3", undefined, "1.2.3"] });
  return { run, points: crashPointsOf(run).filter(({ write }) => write > first && write <= last) };
}

/** A renewal with a crash; its end must be the same as without. */
export async function crashedRenewal(seed: string, calm: Run, point: CrashPoint): Promise<void> {
  const where = `seed ${seed}: ${JSON.stringify(point)}`;
  const run = await rehearse(renewalStory(seed), [faultOf(point)]);
  expect(run.failure, where).toBeUndefined();
  expect(run.end, where).toEqual(calm.end);
}
