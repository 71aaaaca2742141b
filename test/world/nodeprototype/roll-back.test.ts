/** An image whose nodes do not join is rolled back without a user; existing nodes stay. */
import { getCondition } from "@capstan/api";
import { expect, test } from "vitest";
import { MINUTE_MS } from "../kit/fleet-world.ts";
import { readyMachines } from "../kit/pool-world.ts";
import { diskOf, HOUR_MS, POOL, poolNow, scaleTo } from "../kit/prototype-world.ts";
import { brokenWorld, KUBEADM, recordIn } from "./broken-image-world.ts";

test("three nodes from a broken image do not join, and the next ones boot from the image before", async () => {
  const world = await brokenWorld();
  const [broken, good] = recordIn(world)?.history ?? [];
  await scaleTo(world, 6);
  await world.until(() => recordIn(world)?.rolledBack !== undefined, HOUR_MS);
  await world.advance(5 * MINUTE_MS);
  expect(recordIn(world)?.history).toMatchObject([
    { version: broken?.version, state: "Bad" },
    { version: good?.version, state: "Active" },
  ]);
  const { status } = await poolNow(world);
  const evidence =
    /^[23] of 3 nodes from version \S+ did not join \(mp-3, mp-4.*\), and none from an image before; /;
  expect(getCondition(status?.conditions, "PrototypeNodesJoin")).toMatchObject({
    status: "False",
    severity: "Warning",
    reason: "RolledBackByItself",
    message: expect.stringMatching(evidence) as string,
  });
  expect(await readyMachines(world, POOL)).toEqual(["mp-0", "mp-1", "mp-2"]);
  await scaleTo(world, 7);
  await world.advance(10 * MINUTE_MS);
  expect(diskOf(world, 6).read("/etc/patch")).toBe("good");
  expect(diskOf(world, 6).read(KUBEADM)).toBeDefined();
  expect(await readyMachines(world, POOL)).toContain("mp-6");
});
