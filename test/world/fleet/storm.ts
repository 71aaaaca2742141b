import { simulatedControllers } from "@capstan/cli";
import { failureReport, faultsOf, rehearse, type Run, ViolationError } from "@capstan/sim";
import { expect } from "vitest";
import { recordStorm, replayCommand } from "../../sample.ts";
import { lifeOf, LIVES } from "./life.ts";

/** How often the storms have reached each state so far. */
export type Reached = Map<string, number>;

/** Runs a variant of the story in a storm that the seed chooses, with one manager or two; the result must be the same as without. */
export async function storm(
  seed: number,
  { file, reached }: { file: string; reached: Reached },
): Promise<void> {
  const text = String(seed);
  const life = LIVES[seed % LIVES.length];
  if (!life) throw new Error("there are lives");
  const world = { managers: 1 + (seed % 2), controllers: simulatedControllers };
  const options = { seed: text, ...life, world };
  const calm = await rehearse(lifeOf(options));
  const faults = faultsOf("swarm", text);
  const run = await rehearse(lifeOf(options), faults);
  for (const [state, count] of run.world.reached()) reached.set(state, (reached.get(state) ?? 0) + count);
  const reported = `seed ${seed}, ${JSON.stringify(life)}, faults: ${faults.map(({ fault }) => fault).join(", ")}`;
  recordStorm("fleet", seed, run.world.reached().keys());
  const path = `test/world/fleet/${file}`;
  const command = file.endsWith(".deep.ts")
    ? replayCommand(path, seed)
    : `npx vitest run --project unit ${path} -t "storm ${seed}$"`;
  expect(calm.failure, `seed ${seed} without faults`).toBeUndefined();
  if (run.failure) throw new Error(`${reported}\n${reportOf(run, command)}`, { cause: run.failure });
  expect(run.end, `${reported}\nreplay it with: ${command}`).toEqual({
    ...(calm.end as object),
    // A clock that jumps a year expires every token.
    tokens: (run.end as { tokens: number }).tokens,
  });
}

function reportOf({ world, failure }: Run, command: string): string {
  const invariant =
    failure instanceof ViolationError
      ? failure.invariant
      : { name: failure?.name ?? "", says: failure?.message ?? "" };
  return failureReport({ invariant, events: world.trace.events, command });
}

/** Prints the reached states, the rarest last. */
export function reachedText(reached: Reached): string {
  return [...reached]
    .toSorted(([, left], [, right]) => right - left)
    .map(([state, count]) => `${String(count).padStart(6)}  ${state}`)
    .join("\n");
}
