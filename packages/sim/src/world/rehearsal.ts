import type { FaultSpec } from "../faults/faults.ts";
import { endStateOf } from "./end-state.ts";
import { createWorld, type World, type WorldOptions } from "./world.ts";

/** A story to be told in a world: what the user does, and what must come of it. */
export interface Rehearsal {
  readonly world: Omit<WorldOptions, "faults">;
  /** What happens. It may wait, and throws when something it counts on does not come. */
  readonly story: (world: World) => Promise<void>;
  /** What two runs are compared by; everything that lasts unless told. */
  readonly endState?: (world: World) => unknown;
}

/** How a run ended. */
export interface Run {
  readonly world: World;
  /** How many writes the controllers under test sent. */
  readonly writes: number;
  /** What it led to; absent when it failed. */
  readonly end?: unknown;
  /** Why it failed. */
  readonly failure?: Error;
}

/** Everything was done, and still somebody writes. */
export class RestlessError extends Error {
  override readonly name = "RestlessError";
}

const MINUTE_MS = 60_000;
// Longer than anybody waits before trying again, so that nobody is about to.
const QUIET_MS = 15 * MINUTE_MS;
const LIMIT_MS = 240 * MINUTE_MS;
const STILL_MS = 30 * MINUTE_MS;

/**
 * Tells the story once: storm, heal, rest, and half an hour in which nobody may write.
 *
 * What goes wrong in a run is its result and no exception; a bug of the simulation itself is one.
 */
export async function rehearse(rehearsal: Rehearsal, faults: readonly FaultSpec[] = []): Promise<Run> {
  const world = await createWorld({ ...rehearsal.world, faults });
  try {
    world.start();
    await rehearsal.story(world);
    await world.heal();
    await world.settle({ quietMs: QUIET_MS, limitMs: LIMIT_MS });
    await standStill(world);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return { world, writes: world.testedWrites, failure: error };
  }
  return { world, writes: world.testedWrites, end: (rehearsal.endState ?? endStateOf)(world) };
}

/** Once all is done nobody writes anything, for as long as three resyncs of most kinds take. */
async function standStill(world: World): Promise<void> {
  const before = world.testedWrites;
  await world.advance(STILL_MS);
  const more = world.testedWrites - before;
  if (more > 0) {
    const last = world.trace.events.findLast(({ happening }) => happening.kind === "write");
    throw new RestlessError(
      `${more} writes in ${STILL_MS / MINUTE_MS} minutes after everything had settled, the last by ${last?.actor ?? "nobody"}`,
    );
  }
}
