/** What is cached when: a donor that was patched is cached at the next interval, also if its Node reports nothing new. */
import { getCondition } from "@capstan/api";
import type { World } from "@capstan/sim";
import { expect, test } from "vitest";
import { armCalls, settled } from "../kit/pool-world.ts";
import {
  createPrototypePool,
  diskOf,
  HOUR_MS,
  poolNow,
  prototypeWorld,
  scaleTo,
  stored,
  untilRenewed,
} from "../kit/prototype-world.ts";

const DATABASE = "/var/lib/dpkg/status";

/** Installs a package as apt does: its entry in the database is all that a Node does not report. */
function install(world: World, instance: number, version: string): void {
  const disk = diskOf(world, instance);
  const others = disk.read(DATABASE) ?? "";
  disk.write(DATABASE, `${others}\nPackage: openssl\nStatus: install ok installed\nVersion: ${version}\n`);
}

async function renewedWorld(): Promise<World> {
  const world = await prototypeWorld();
  await createPrototypePool(world);
  await settled(world);
  await untilRenewed(world);
  await settled(world);
  return world;
}

test("a node is patched, the interval passes, and a new node has the patch", async () => {
  const world = await renewedWorld();
  install(world, 0, "3.0.13-0ubuntu3.5");
  await world.advance(25 * HOUR_MS);
  await settled(world);
  const { status } = await poolNow(world);
  expect(status?.nodePrototyping?.history).toHaveLength(2);
  await scaleTo(world, 4);
  await settled(world);
  expect(diskOf(world, 3).read(DATABASE)).toContain("Version: 3.0.13-0ubuntu3.5");
});

test("a donor on which nothing was installed is asked each interval, and never drained", async () => {
  const world = await renewedWorld();
  const before = armCalls(world).length;
  await world.advance(3 * 25 * HOUR_MS);
  const writes = armCalls(world)
    .slice(before)
    .filter((call) => !call.startsWith("GET "));
  expect(writes).toHaveLength(3);
  for (const call of writes)
    expect(call).toMatch(/^PUT \S+\/virtualMachines\/0\/runCommands\/capstan-installed$/i);
  const { status } = await poolNow(world);
  expect(status?.nodePrototyping).toMatchObject({ phase: "Idle" });
  expect(status?.nodePrototyping).not.toHaveProperty("lastError");
  expect(status?.nodePrototyping?.history).toHaveLength(1);
  expect(stored(world)?.status?.nodePrototyping?.donor).not.toHaveProperty("outSince");
  expect(getCondition(status?.conditions, "LastOsCache")).toMatchObject({
    status: "True",
    reason: "Unchanged",
  });
});
