import type { FaultSpec } from "../faults/faults.ts";
import { endStateOf } from "./end-state.ts";
import { createWorld, type World, type WorldOptions } from "./world.ts";

/** A story to run in a world: the user's actions, and the expected outcome. */
export interface Rehearsal {
  readonly world: Omit<WorldOptions, "faults">;
  /** The user's actions. May wait, and throws when an expected state does not come. */
  readonly story: (world: World) => Promise<void>;
  /** The outcome that two runs are compared by; the end state unless given. May ask the servers of the world. */
  readonly endState?: (world: World) => unknown;
}

/** The result of a run. */
export interface Run {
  /** The world after its end: its trace and its servers' storage can be read, and nothing runs in it. */
  readonly world: World;
  /** How many writes the controllers under test sent. */
  readonly writes: number;
  /** The outcome; absent when the run failed. */
  readonly end?: unknown;
  /** Why it failed. */
  readonly failure?: Error;
}

/** A run that settled, and in which a controller still writes. */
export class RestlessError extends Error {
  override readonly name = "RestlessError";
}

const MINUTE_MS = 60_000;
// Longer than any retry delay, so that no retry is pending.
const QUIET_MS = 15 * MINUTE_MS;
const LIMIT_MS = 240 * MINUTE_MS;
const STILL_MS = 30 * MINUTE_MS;

/**
 * Runs the story once: faults, heal, rest, and half an hour without writes.
 *
 * A failure is the result of a run, not an exception; a bug of the simulation throws.
 */
export async function rehearse(rehearsal: Rehearsal, faults: readonly FaultSpec[] = []): Promise<Run> {
  const world = await createWorld({ ...rehearsal.world, faults });
  try {
    const failure = await perform(world, rehearsal);
    const run = { world, writes: world.testedWrites };
    if (failure) return { ...run, failure };
    return { ...run, end: await (rehearsal.endState ?? endStateOf)(world) };
  } finally {
    world.close();
  }
}

/** Plays the story until the world stands still; returns why it failed. */
async function perform(world: World, { story }: Rehearsal): Promise<Error | undefined> {
  try {
    world.start();
    await story(world);
    await world.heal();
    await world.settle({ quietMs: QUIET_MS, limitMs: LIMIT_MS });
    await standStill(world);
    return undefined;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return error;
  }
}

/** After the rest no controller writes, for as long as three resyncs of most kinds. */
async function standStill(world: World): Promise<void> {
  const before = world.testedWrites;
  await world.advance(STILL_MS);
  const more = world.testedWrites - before;
  if (more > 0) {
    const last = world.trace.events.findLast(({ happening }) => happening.kind === "write");
    throw new RestlessError(
      `${more} writes in ${STILL_MS / MINUTE_MS} minutes after everything had settled, the last by ${last?.actor ?? "an unknown actor"}`,
    );
  }
}
