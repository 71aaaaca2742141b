import { type CrashPoint, crashPointsOf, faultOf, type Rehearsal, rehearse, type Run } from "@capstan/sim";
import { expect } from "vitest";
import type { StoryOptions } from "./renewal-story.ts";

/** A story of a renewal, of a pool or of a template. */
export type RenewalStory = (seed: string, options?: StoryOptions) => Rehearsal;

/** A renewal without faults, and a crash before and after each of its writes to Kubernetes and to Azure. */
export async function calmRenewal(
  story: RenewalStory,
  seed: string,
): Promise<{ readonly run: Run; readonly points: readonly CrashPoint[] }> {
  let first = 0;
  let last = 0;
  const run = await rehearse(
    story(seed, {
      begins: (world) => void (first = world.testedWrites),
      ends: (world) => void (last = world.testedWrites),
    }),
  );
  expect(run.failure).toBeUndefined();
  expect(run.end).toMatchObject({ phase: "Idle", leftovers: [], versions: 1 });
  return { run, points: crashPointsOf(run).filter(({ write }) => write > first && write <= last) };
}

/** A renewal with a crash; its end must be the same as without. */
export async function crashedRenewal(
  story: RenewalStory,
  calm: Run,
  { seed, point }: { readonly seed: string; readonly point: CrashPoint },
): Promise<void> {
  const where = `seed ${seed}: ${JSON.stringify(point)}`;
  const run = await rehearse(story(seed), [faultOf(point)]);
  expect(run.failure, where).toBeUndefined();
  expect(run.end, where).toEqual(calm.end);
}
