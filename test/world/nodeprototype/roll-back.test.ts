/** An image whose nodes do not join is rolled back without a user; existing nodes stay. */
import {
  AzureMachinePool,
  getCondition,
  PROTOTYPE_NOW_ANNOTATION,
  PROTOTYPE_PIN_ANNOTATION,
  PROTOTYPE_ROLLBACK_ANNOTATION,
} from "@capstan/api";
import type { World } from "@capstan/sim";
import { expect, test } from "vitest";
import { MINUTE_MS, patch } from "../kit/fleet-world.ts";
import { armCalls, readyMachines, settled } from "../kit/pool-world.ts";
import {
  createPrototypePool,
  diskOf,
  HOUR_MS,
  POOL,
  poolNow,
  prototypeWorld,
  scaleTo,
  stored,
  untilRenewed,
} from "../kit/prototype-world.ts";

const KUBEADM = "/usr/bin/kubeadm";

async function renew(world: World, value: string): Promise<void> {
  await patch(world, AzureMachinePool, POOL, {
    metadata: { annotations: { [PROTOTYPE_NOW_ANNOTATION]: value } },
  });
  await untilRenewed(world);
  await settled(world);
}

/** A pool of three with one good image and a newer one whose nodes cannot join: kubeadm is gone. */
async function brokenWorld(more: object = {}): Promise<World> {
  const world = await prototypeWorld();
  // A canary would find it before it is promoted.
  await createPrototypePool(world, { interval: "8000h", more: { canary: "Disabled", ...more } });
  await settled(world);
  diskOf(world, 0).write("/etc/patch", "good");
  await renew(world, "1");
  diskOf(world, 0).remove(KUBEADM);
  await renew(world, "2");
  return world;
}

const recordIn = (world: World) => stored(world)?.status?.nodePrototyping;

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

test("after the roll-back nothing is written until something changes", async () => {
  const world = await brokenWorld();
  await scaleTo(world, 6);
  expect(await world.until(() => recordIn(world)?.rolledBack !== undefined, HOUR_MS)).toBe(true);
  await world.advance(30 * MINUTE_MS);
  const { resourceVersion } = (await poolNow(world)).metadata;
  const before = armCalls(world).length;
  await world.advance(2 * HOUR_MS);
  expect((await poolNow(world)).metadata.resourceVersion).toBe(resourceVersion);
  expect(
    armCalls(world)
      .slice(before)
      .filter((call) => !call.startsWith("GET ")),
  ).toEqual([]);
});

test("with a window of zero, or after two failures of two, the image stays", async () => {
  const world = await brokenWorld({ rollbackWindow: "0s" });
  await scaleTo(world, 6);
  await world.advance(HOUR_MS);
  expect(recordIn(world)?.history?.[0]?.state).toBe("Active");
  expect(recordIn(world)).not.toHaveProperty("joins");
  const other = await brokenWorld();
  await scaleTo(other, 5);
  await other.advance(HOUR_MS);
  expect(recordIn(other)).toMatchObject({
    joins: { failed: ["mp-3", "mp-4"], joined: [], failedBefore: [] },
  });
  expect(recordIn(other)?.history?.[0]?.state).toBe("Active");
});

async function annotate(world: World, annotation: string, value: string | null): Promise<void> {
  await patch(world, AzureMachinePool, POOL, { metadata: { annotations: { [annotation]: value } } });
}

test("a user who asks for the roll-back of a version that is rolled back already does not lose the one before", async () => {
  const world = await brokenWorld();
  const [broken] = recordIn(world)?.history ?? [];
  await scaleTo(world, 6);
  expect(await world.until(() => recordIn(world)?.rolledBack !== undefined, HOUR_MS)).toBe(true);
  await annotate(world, PROTOTYPE_ROLLBACK_ANNOTATION, `2026-01-01T00:00:00Z ${broken?.version}`);
  await world.advance(10 * MINUTE_MS);
  expect(recordIn(world)?.history?.map(({ state }) => state)).toEqual(["Bad", "Active"]);
});

test("a version that a user pins is the one that new nodes boot from, and no controller changes that", async () => {
  const world = await brokenWorld();
  const [broken = "", good = ""] = (recordIn(world)?.history ?? []).map(({ version }) => version);
  const states = () => recordIn(world)?.history?.map(({ state }) => state);
  await annotate(world, PROTOTYPE_PIN_ANNOTATION, broken);
  await scaleTo(world, 6);
  await world.advance(HOUR_MS);
  expect(states()).toEqual(["Active", "Previous"]);
  expect(await lastOsCache(world)).toMatchObject({ status: "True", reason: "Pinned" });
  await annotate(world, PROTOTYPE_PIN_ANNOTATION, good);
  await world.advance(10 * MINUTE_MS);
  expect(states()).toEqual(["Bad", "Active"]);
  expect(await lastOsCache(world)).toMatchObject({ reason: "Pinned" });
  await annotate(world, PROTOTYPE_PIN_ANNOTATION, "20200101.1.1");
  await world.advance(10 * MINUTE_MS);
  const message = expect.stringContaining(good) as string;
  expect(await lastOsCache(world)).toMatchObject({ reason: "PinUnknown", message });
  expect(states()).toEqual(["Bad", "Active"]);
  await annotate(world, PROTOTYPE_PIN_ANNOTATION, null);
  await world.advance(10 * MINUTE_MS);
  expect(await lastOsCache(world)).toMatchObject({ reason: "NotDue" });
});

async function lastOsCache(world: World) {
  return getCondition((await poolNow(world)).status?.conditions, "LastOsCache");
}
