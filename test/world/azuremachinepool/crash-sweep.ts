import { type CrashPoint, crashPointsOf, faultOf, rehearse, type Run } from "@capstan/sim";
import { expect, test } from "vitest";
import { sampledPoints } from "../../sample.ts";
import { machinesIn, rehearsalOf, STORIES } from "./stories.ts";

/** A story without faults, and its possible crashes. */
export interface Calm {
  readonly run: Run;
  /** Before and after each write of the story itself; the creation of its pool is the story "create". */
  readonly points: readonly CrashPoint[];
}

/** Runs a story without faults. */
export async function calmly(name: string, seed: string): Promise<Calm> {
  let first = 0;
  // Writes after the end of the story happen in a healed world.
  let last = 0;
  const begins = (world: { readonly testedWrites: number }): void => void (first = world.testedWrites);
  const ends = (world: { readonly testedWrites: number }): Promise<void> => {
    last = world.testedWrites;
    return Promise.resolve();
  };
  const run = await rehearse(rehearsalOf(name, seed, { begins, ends }));
  expect(run.failure, name).toBeUndefined();
  expect(machinesIn(run.world), name).toBe(STORIES[name]?.machines);
  if (name === "create") first = 0;
  return { run, points: crashPointsOf(run).filter(({ write }) => write > first && write <= last) };
}

/** Runs a story with a crash; the result must be the same as without. */
export async function crashedAt(name: string, seed: string, { run: calm, point }: Crash): Promise<void> {
  const where = `${name}, seed ${seed}: ${JSON.stringify(point)}`;
  const run = await rehearse(rehearsalOf(name, seed), [faultOf(point)]);
  expect(run.failure, where).toBeUndefined();
  expect(strikesIn(run), `${where} happens`).toBe(1);
  expect(run.end, where).toEqual(calm.end);
}

/** Runs stories with a crash before and after each of their writes. */
export function sweep(seed: string, names: readonly string[]): void {
  test.each(names)("%s: a crash before or after any write does not change the result", async (name) => {
    const { run, points } = await calmly(name, seed);
    expect(points.length).toBeGreaterThan(20);
    for (const point of sampledPoints(`crashes of ${name}`, points))
      await crashedAt(name, seed, { run, point });
  });
}

interface Crash {
  readonly run: Run;
  readonly point: CrashPoint;
}

function strikesIn({ world }: Run): number {
  return world.trace.events.filter(({ happening }) => happening.kind === "fault").length;
}
