import { AzureMachinePoolMachine } from "@capstan/api";
import {
  failureReport,
  faultsOf,
  machineLabel,
  rehearse,
  type Run,
  ViolationError,
  type World,
} from "@capstan/sim";
import { expect, test } from "vitest";
import { numbersFrom, recordStorm, replayCommand, stormSeeds } from "../../sample.ts";
import { find, MINUTE_MS, remove } from "../kit/fleet-world.ts";
import { type Reached, reachedText } from "../fleet/storm.ts";
import { editMore, editPool, wantAgain } from "./edits.ts";
import { MUST_BE_REACHED } from "./must-reach.ts";
import { leaveMarks } from "../kit/pool-world.ts";
import { SAMPLED_SEEDS } from "./sampled-seeds.ts";
import { isTold, POOL, rehearsalOf, STORM_STORIES } from "./stories.ts";

/** The state that the storms of one file share. */
interface Season {
  readonly file: string;
  readonly reached: Reached;
  /** The result of each story without faults, which does not depend on the seed. */
  readonly calm: Map<string, Promise<object>>;
}

/** The storms of a file. */
export function seasonOf(file: string): Season {
  return { file, reached: new Map(), calm: new Map() };
}

const NAMES = Object.keys(STORM_STORIES);
/** Run by managers of two releases, of which the older one may lead again. */
const ALONE = "become a newer Capstan in mid-rollout";

// One seed of ten has two managers: renewing a Lease every other second costs more than the rest of a story.
const WITH_TWO = 10;

/** A story that ran in a storm. */
interface Braved {
  readonly name: string;
  readonly run: Run;
  /** The seed, the story and the faults in one line. */
  readonly reported: string;
}

/** Runs one of the stories in a storm that the seed chooses, with one manager or two. */
async function brave(seed: number, story: string | undefined): Promise<Braved> {
  const text = String(seed);
  const name = story ?? NAMES[seed % NAMES.length] ?? "";
  const managers = name !== ALONE && seed % WITH_TWO === 0 ? 2 : 1;
  const faults = faultsOf("swarm", text);
  const ends = (world: World): Promise<void> => recover(world, name);
  // A storm that has found a bug once runs with the edits of that time, and without metadata of users.
  const world = { managers, edit: story === undefined ? editMore : editPool };
  const begins = story === undefined ? (one: World) => leaveMarks(one, POOL) : undefined;
  const run = await rehearse(rehearsalOf(name, text, { world, ends, ...(begins && { begins }) }), faults);
  const reported = `seed ${seed}, ${name}, faults: ${faults.map(({ fault }) => fault).join(", ")}`;
  return { name, run, reported };
}

/** Runs a story in a storm, by default that of the seed; the result must be the same as without. */
export async function storm(seed: number, season: Season, story?: string): Promise<void> {
  const { file, reached } = season;
  const { name, run, reported } = await brave(seed, story);
  for (const [state, count] of run.world.reached()) reached.set(state, (reached.get(state) ?? 0) + count);
  recordStorm("azuremachinepool", seed, run.world.reached().keys());
  const path = `test/world/azuremachinepool/${file}`;
  const command =
    story === undefined
      ? replayCommand(path, seed)
      : `npx vitest run --project unit ${path} -t "storm ${seed}:"`;
  if (run.failure) throw new Error(`${reported}\n${reportOf(run, command)}`, { cause: run.failure });
  const end = run.end as { readonly made: number };
  // Storms delete machines, so more of them have existed.
  const calm = { ...(await calmEnd(name, season)), made: end.made };
  expect(end, `${reported}\nreplay it with: ${command}`).toEqual(calm);
}

function calmEnd(name: string, { calm }: Season): Promise<object> {
  const known = calm.get(name);
  if (known) return known;
  const ending = rehearse(rehearsalOf(name, "1")).then(({ failure, end }) => {
    if (failure) throw failure;
    return end as object;
  });
  calm.set(name, ending);
  return ending;
}

/** After the storm: users restore the desired state, and delete machines that will never join. */
async function recover(world: World, name: string): Promise<void> {
  await world.heal();
  await wantAgain(world, name);
  // A machine that the storm has broken may be replaced by another broken one.
  for (let round = 0; round < ROUNDS; round++) {
    await world.until(() => hopeless(world).length > 0 || isTold(world, name), WATCH_MS);
    // Waits for operations that take Azure hours: a machine may turn out to be broken afterwards.
    if (hopeless(world).length === 0 && isTold(world, name)) return;
    for (const machine of hopeless(world)) {
      if (await find(world, AzureMachinePoolMachine, machine))
        await remove(world, AzureMachinePoolMachine, machine);
    }
    await world.until(() => hopeless(world).length === 0, WATCH_MS);
  }
}

const ROUNDS = 8;
const WATCH_MS = 30 * MINUTE_MS;

/** Machines whose first boot has failed permanently: no controller can distinguish them from slow ones. */
function hopeless(world: World): string[] {
  return world.guests
    .list()
    .flatMap(({ stage, machineId }) =>
      stage === "failed" ? [machineLabel(machineId).replace("/", "-")] : [],
    );
}

function reportOf({ world, failure }: Run, command: string): string {
  const invariant =
    failure instanceof ViolationError
      ? failure.invariant
      : { name: failure?.name ?? "", says: failure?.message ?? "" };
  return failureReport({ invariant, events: world.trace.events, command });
}

/** Tests of this many storms, and of the states that they have reached together. */
export function storms(file: string, { from, count }: { from: number; count: number }): void {
  const season = seasonOf(file);
  const all = numbersFrom(from, count);
  const sample = SAMPLED_SEEDS.filter((seed) => all.includes(seed));
  const { seeds, mustReachAll } = stormSeeds("storms of pools", { sample, all });
  test.each(seeds)("a pool ends the same in storm %i", (seed) => storm(seed, season));
  test.runIf(mustReachAll)("the storms together have reached every state that they must", () => {
    const { reached } = season;
    console.log(reachedText(reached));
    expect(MUST_BE_REACHED.filter((state) => !reached.has(state))).toEqual([]);
  });
}
