/** Other clients that change the pool while its image is renewed: this controller gives way, and nothing of them is lost. */
import { AzureMachinePool, PROTOTYPE_NOW_ANNOTATION } from "@capstan/api";
import type { World } from "@capstan/sim";
import { expect, test } from "vitest";
import { everyNth } from "../../sample.ts";
import { MINUTE_MS, patch } from "../kit/fleet-world.ts";
import { nodesOf, settled } from "../kit/pool-world.ts";
import {
  createPrototypePool,
  HOUR_MS,
  leftovers,
  POOL,
  poolNow,
  prototypeWorld,
  stored,
} from "../kit/prototype-world.ts";

const recordIn = (world: World) => stored(world)?.status?.nodePrototyping;

/** A pool whose image a user asks to renew. */
async function renewingWorld(): Promise<World> {
  const world = await prototypeWorld();
  await createPrototypePool(world, { interval: "8000h" });
  await settled(world);
  await patch(world, AzureMachinePool, POOL, {
    metadata: { annotations: { [PROTOTYPE_NOW_ANNOTATION]: "1" } },
  });
  return world;
}

async function expectInService(world: World): Promise<void> {
  expect(leftovers(world)).toEqual([]);
  expect((await nodesOf(world)).filter(({ spec }) => spec?.unschedulable === true)).toEqual([]);
}

test("a client that writes the pool every few seconds delays no renewal and loses no write", async () => {
  const world = await renewingWorld();
  let count = 0;
  const isOver = (): boolean => stored(world)?.status?.lastImagePrototype !== undefined;
  while (!isOver() && count < 1000) {
    count += 1;
    const metadata = { annotations: { "example.com/count": String(count) } };
    const spec = { nodeDrainTimeout: `${count}s` };
    await patch(world, AzureMachinePool, POOL, { metadata, spec });
    // The longest step has fewer writes.
    await world.advance(recordIn(world)?.phase === "Publishing" ? MINUTE_MS : 5000);
  }
  expect(isOver()).toBe(true);
  await settled(world);
  const { metadata, spec } = await poolNow(world);
  expect(metadata.annotations).toMatchObject({ "example.com/count": String(count) });
  expect(spec.nodeDrainTimeout).toBe(`${count}s`);
  await expectInService(world);
});

// Until the donor is stopped, the renewal gives way; afterwards it goes on beside the rollout.
const ROLLOUTS: readonly (readonly [string, string | undefined])[] = [
  ["Protecting", "PoolChanged"],
  ["Preparing", "PoolChanged"],
  ["Snapshotting", undefined],
  ["Publishing", undefined],
  ["Validating", undefined],
];

test.each(everyNth("rollouts within a renewal", ROLLOUTS, 3))(
  "a rollout that begins in the step %s is completed, the donor serves, and the renewal ends with %s",
  async (phase, code) => {
    const world = await renewingWorld();
    expect(await world.until(() => recordIn(world)?.phase === phase, 8 * HOUR_MS)).toBe(true);
    await patch(world, AzureMachinePool, POOL, { spec: { template: { vmSize: "Standard_D4s_v3" } } });
    await settled(world);
    expect(await world.until(() => recordIn(world)?.phase === "Idle", 8 * HOUR_MS)).toBe(true);
    await settled(world);
    const { spec, status } = await poolNow(world);
    expect(spec.template.vmSize).toBe("Standard_D4s_v3");
    expect(status?.replicas).toBe(3);
    expect(recordIn(world)?.lastError?.code).toBe(code);
    await expectInService(world);
  },
);
