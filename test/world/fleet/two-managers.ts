import { simulatedControllers } from "@capstan/cli";
import { Lease } from "@capstan/api";
import { type Call, type FaultSpec, rehearse, type Run } from "@capstan/sim";
import { expect } from "vitest";
import { lifeOf } from "./life.ts";
import { recorded } from "./recorded.ts";

/** The whole life of a cluster under two managers. */
export function lifeUnderTwo(
  seed: string,
  invariants: readonly ReturnType<typeof recorded>["invariant"][] = [],
) {
  return lifeOf({
    seed,
    place: "own group",
    until: "deleted",
    world: { managers: 2, invariants, controllers: simulatedControllers },
  });
}

/** Pauses the leader at one of its writes until another manager leads, and continues it then. */
export async function pausedAt(seed: string, write: number, calm: Run): Promise<void> {
  const fault: FaultSpec = { fault: "two-leaders", when: { trigger: { nth: write } } };
  const { calls, invariant } = recorded();
  const run = await rehearse(lifeUnderTwo(seed, [invariant]), [fault]);
  const where = `seed ${seed}, paused at write ${write}`;
  expect(run.failure, where).toBeUndefined();
  expect(run.end, where).toEqual(calm.end);
  const leaders = run.world.trace.events.flatMap(({ happening }) =>
    happening.kind === "process" && happening.event === "led" ? [happening.process] : [],
  );
  expect(leaders.length, `${where}: another takes over`).toBeGreaterThan(1);
  const [first = "", second = ""] = leaders;
  const isWork = ({ isWrite, resource }: Call): boolean => isWrite && resource !== Lease.plural;
  const tookOver = calls.findIndex((call) => call.process === second && isWork(call));
  const later = calls.slice(tookOver).filter((call) => call.process === first && isWork(call));
  expect(
    later.map(({ verb, resource, name }) => `${verb} ${resource} ${name}`),
    `${where}: the old leader writes nothing more`,
  ).toEqual([]);
}
