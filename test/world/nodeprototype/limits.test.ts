/** Azure's limits for images are noticed before a donor is disturbed. */
import { getCondition } from "@capstan/api";
import type { World } from "@capstan/sim";
import { expect, test } from "vitest";
import { armCalls, settled } from "../kit/pool-world.ts";
import {
  createPrototypePool,
  HOUR_MS,
  poolNow,
  prototypeWorld,
  stored,
  untilRenewed,
} from "../kit/prototype-world.ts";

/** What the pool says, and which writes of a renewal were sent, when the first renewal is due. */
async function refused(world: World): Promise<string | undefined> {
  await settled(world);
  const before = armCalls(world).length;
  await world.advance(7 * HOUR_MS);
  const writes = armCalls(world)
    .slice(before)
    .filter((call) => /(runCommands|poweroff|snapshots|galleries)/i.test(call) && !call.startsWith("GET "));
  expect(writes).toEqual([]);
  expect(stored(world)?.status?.nodePrototyping).toEqual({ phase: "Idle" });
  const condition = getCondition((await poolNow(world)).status?.conditions, "LastOsCache");
  expect(condition).toMatchObject({ status: "False", severity: "Warning", reason: "ImageLimit" });
  return condition?.message;
}

test("a pool whose OS disks have 2 TB is refused", async () => {
  const world = await prototypeWorld();
  await createPrototypePool(world, { diskSizeGB: 2048 });
  expect(await refused(world)).toContain("has 2048 GB, and Azure takes images of less than 2048 GB");
});

test("a subscription without room for versions is refused, until an administrator gets a higher limit", async () => {
  const limit = { limit: 0, location: "westeurope", family: "galleryImageVersions" };
  const quotas = [limit];
  const world = await prototypeWorld({ azure: { quotas } });
  await createPrototypePool(world);
  expect(await refused(world)).toContain("the subscription has 0 of at most 0 image versions");
  limit.limit = 10;
  await untilRenewed(world);
});

test("a subscription without room for galleries is refused", async () => {
  const quotas = [{ limit: 0, location: "westeurope", family: "galleries" }];
  const world = await prototypeWorld({ azure: { quotas } });
  await createPrototypePool(world);
  expect(await refused(world)).toContain(
    "the subscription has 0 of at most 0 galleries in westeurope; delete some",
  );
});

test("a manager that may not read the limits renews images all the same", async () => {
  const world = await prototypeWorld();
  world.azure.control.addFault({
    id: "usages",
    match: { operation: "GET locations/usages" },
    effect: { kind: "status", status: 403, code: "AuthorizationFailed", message: "no right to read" },
  });
  await createPrototypePool(world);
  await untilRenewed(world);
  expect((await poolNow(world)).status?.nodePrototyping?.history).toHaveLength(1);
});
