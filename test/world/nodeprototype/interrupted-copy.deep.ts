import { AzureMachinePool, MachinePool, PAUSED_ANNOTATION, PROTOTYPE_NOW_ANNOTATION } from "@capstan/api";
import type { World } from "@capstan/sim";
import { describe, expect, test } from "vitest";
import { everyOther } from "../../sample.ts";
import { MINUTE_MS, patch, remove } from "../kit/fleet-world.ts";
import { nodesOf, readyMachines, settled } from "../kit/pool-world.ts";
import {
  createPrototypePool,
  HOUR_MS,
  leftovers,
  POOL,
  prototypeControllers,
  prototypeWorld,
  resourcesOf,
  stored,
} from "../kit/prototype-world.ts";

const recordIn = (world: World) => stored(world)?.status?.nodePrototyping;

/** Where a renewal is interrupted: its helper VM or its canary runs. */
const MOMENTS: readonly (readonly [string, (world: World) => boolean])[] = [
  ["a helper VM", (world) => resourcesOf(world, "virtualMachines").length > 0],
  ["a canary", (world) => recordIn(world)?.canary?.nodeName !== undefined],
];

async function renewing(world: World, isThere: (world: World) => boolean): Promise<void> {
  await createPrototypePool(world, { interval: "8000h" });
  await settled(world);
  const metadata = { annotations: { [PROTOTYPE_NOW_ANNOTATION]: "1" } };
  await patch(world, AzureMachinePool, POOL, { metadata });
  expect(await world.until(() => isThere(world), 12 * HOUR_MS)).toBe(true);
  expect(leftovers(world)).not.toEqual([]);
}

async function setPaused(world: World, value: "true" | null): Promise<void> {
  await patch(world, AzureMachinePool, POOL, { metadata: { annotations: { [PAUSED_ANNOTATION]: value } } });
}

async function expectClean(world: World): Promise<void> {
  await world.advance(30 * MINUTE_MS);
  expect(leftovers(world)).toEqual([]);
  expect(await readyMachines(world, POOL)).toEqual(["mp-0", "mp-1", "mp-2"]);
  expect(await nodesOf(world)).toHaveLength(3);
}

describe.each(everyOther("interrupted copies and canaries", MOMENTS))("%s of a renewal", (_, isThere) => {
  test("goes when the pool is deleted", async () => {
    const world = await prototypeWorld();
    await renewing(world, isThere);
    await remove(world, MachinePool, POOL);
    await settled(world);
    expect(stored(world)).toBeUndefined();
    expect([...leftovers(world), ...resourcesOf(world, "galleries/images")]).toEqual([]);
    expect(await nodesOf(world)).toEqual([]);
  });

  test("goes when the field is removed", async () => {
    const world = await prototypeWorld();
    await renewing(world, isThere);
    await patch(world, AzureMachinePool, POOL, { spec: { template: { image: { nodePrototyping: null } } } });
    await expectClean(world);
    expect(recordIn(world)).toBeUndefined();
  });

  test("goes when the manager comes back without the feature gate", async () => {
    const world = await prototypeWorld({ controllers: prototypeControllers((start) => start === 1) });
    await renewing(world, isThere);
    world.managers.crash(1, 10_000);
    await expectClean(world);
  });

  test("goes when the status is lost", async () => {
    const world = await prototypeWorld();
    await renewing(world, isThere);
    const lost = { status: { nodePrototyping: null } };
    const place = { name: POOL, namespace: "default" };
    await world.run(
      world.user.patch(AzureMachinePool, place, { type: "merge", subresource: "status", body: lost }),
    );
    await expectClean(world);
    expect(recordIn(world)?.phase).toBe("Idle");
  });

  test("waits while the pool is paused, and the renewal goes on afterwards", async () => {
    const world = await prototypeWorld();
    await renewing(world, isThere);
    await setPaused(world, "true");
    await world.advance(10 * MINUTE_MS);
    await setPaused(world, null);
    expect(
      await world.until(() => stored(world)?.status?.lastImagePrototype !== undefined, 8 * HOUR_MS),
    ).toBe(true);
    await expectClean(world);
  });
});
