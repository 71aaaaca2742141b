import { type CrashPoint, crashPointsOf, faultOf, rehearse, type Run } from "@capstan/sim";
import { expect } from "vitest";
import { lifeOf, LIVES, machinesIn } from "./life.ts";

/** A life without faults, and the crashes that it can have. */
export interface Calm {
  readonly run: Run;
  /** Before and after each write of the life's own; those by which its pool came to be are the life "create". */
  readonly points: readonly CrashPoint[];
}

/** Tells a life without faults. */
export async function calmly(name: string, seed: string): Promise<Calm> {
  let first = 0;
  const begins = (world: { readonly testedWrites: number }): void => void (first = world.testedWrites);
  const run = await rehearse(lifeOf(name, { seed, begins }));
  expect(run.failure, name).toBeUndefined();
  expect(machinesIn(run.world), name).toBe(LIVES[name]?.machines);
  if (name === "create") first = 0;
  return { run, points: crashPointsOf(run).filter(({ write }) => write > first) };
}

/** Tells a life with a crash; it ends as without. */
export async function crashedAt(name: string, seed: string, { run: calm, point }: Crash): Promise<void> {
  const where = `${name}, seed ${seed}: ${JSON.stringify(point)}`;
  const run = await rehearse(lifeOf(name, { seed }), [faultOf(point)]);
  expect(run.failure, where).toBeUndefined();
  expect(crashesOf(run) - crashesOf(calm), `${where} happens`).toBe(1);
  expect(run.end, where).toEqual(calm.end);
}

interface Crash {
  readonly run: Run;
  readonly point: CrashPoint;
}

function crashesOf({ world }: Run): number {
  const isCrash = ({ happening }: (typeof world.trace.events)[number]): boolean =>
    happening.kind === "process" && happening.event === "crashed";
  return world.trace.events.filter(isCrash).length;
}
