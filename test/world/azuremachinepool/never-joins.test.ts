import { Event, type Frozen } from "@capstan/api";
import { conditionMatchers } from "@capstan/runtime/testing/matchers";
import type { World } from "@capstan/sim";
import { expect, test } from "vitest";
import { MINUTE_MS, NAMESPACE } from "../kit/fleet-world.ts";
import { createPool, machinesOf, poolOf, poolWorld } from "../kit/pool-world.ts";

expect.extend(conditionMatchers);

// Longer than the ten minutes after which users are told.
const SLOW_BOOTS = { boot: { p50: 1_200, p90: 1_201 } };

async function warnings(world: World, reason: string): Promise<readonly Frozen<Event>[]> {
  const events = await world.run(world.user.list(Event, { namespace: NAMESPACE }));
  return events.filter((one) => one.reason === reason && one.type === "Warning");
}

test("machines that do not join are reported once, by themselves and by their pool, until they do", async () => {
  const world = await poolWorld({ guests: SLOW_BOOTS });
  await createPool(world, "mp", { replicas: 2 });
  await world.advance(9 * MINUTE_MS);
  expect(await warnings(world, "NodeNotJoined")).toEqual([]);
  await world.advance(5 * MINUTE_MS);
  for (const machine of await machinesOf(world, "mp"))
    expect(machine).toHaveCondition("Ready", "False", "NodeNotJoined");
  const reported = await warnings(world, "NodeNotJoined");
  expect(reported.map(({ count = 1 }) => count)).toEqual([1, 1]);
  expect(reported[0]?.message).toMatch(/^VM mp00000\d has run for 10 minutes, .*cloud-init-output\.log/);
  const { pool } = await poolOf(world, "mp");
  expect(pool).toHaveCondition("Ready", "False", "NodeNotJoined");
  expect(pool.status?.conditions?.find(({ type }) => type === "Ready")?.message).toMatch(
    /^MachinesJoined: mp-0 and others: VM mp000000 has run/,
  );
  await world.advance(20 * MINUTE_MS);
  expect((await poolOf(world, "mp")).pool).toHaveCondition("Ready", "True");
});
