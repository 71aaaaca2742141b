/** What the tests of scrubbed copies and canaries have in common. */
import { getCondition } from "@capstan/api";
import type { World } from "@capstan/sim";
import { expect } from "vitest";
import { MINUTE_MS } from "../kit/fleet-world.ts";
import { nodesOf, readyMachines } from "../kit/pool-world.ts";
import { HOUR_MS, POOL, poolNow, resourcesOf, stored } from "../kit/prototype-world.ts";

/** Runs until the renewal has ended without an image. */
export async function untilFailed(world: World): Promise<string> {
  const record = () => stored(world)?.status?.nodePrototyping;
  const hasFailed = () => record()?.phase === "Idle" && record()?.lastError !== undefined;
  if (!(await world.until(hasFailed, 12 * HOUR_MS))) throw new Error(JSON.stringify(record()));
  const { message = "" } = record()?.lastError ?? {};
  await world.advance(MINUTE_MS);
  return message;
}

/** Checks that the renewal has left nothing in Azure or in the cluster, and that every machine serves. */
export async function expectNothingLeft(world: World): Promise<void> {
  for (const type of ["snapshots", "virtualMachines", "disks"]) expect(resourcesOf(world, type)).toEqual([]);
  expect(resourcesOf(world, "virtualMachineScaleSets")).toHaveLength(1);
  expect(await readyMachines(world, POOL)).toEqual(["mp-0", "mp-1", "mp-2"]);
  const nodes = await nodesOf(world);
  expect(nodes.map(({ metadata }) => metadata.name)).toEqual(["mp000000", "mp000001", "mp000002"]);
  expect(nodes.every(({ spec }) => spec?.unschedulable !== true)).toBe(true);
}

/** A condition of the pool. */
export const conditionOf = async (world: World, type: string) =>
  getCondition((await poolNow(world)).status?.conditions, type);
