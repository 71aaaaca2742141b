/** What becomes of images over several renewals, of several pools, and when the base image of a pool changes. */
import { AzureMachinePool, MachinePool, PROTOTYPE_NOW_ANNOTATION } from "@capstan/api";
import type { World } from "@capstan/sim";
import { expect, test } from "vitest";
import { patch, remove } from "../kit/fleet-world.ts";
import { armCalls, NEW_VERSION, readyMachines, settled } from "../kit/pool-world.ts";
import {
  createPrototypePool,
  diskOf,
  HOUR_MS,
  POOL,
  poolNow,
  prototypeWorld,
  resourcesOf,
  scaleTo,
  stored,
  untilRenewed,
} from "../kit/prototype-world.ts";

async function ask(world: World, value: string, name = POOL): Promise<void> {
  await patch(world, AzureMachinePool, name, {
    metadata: { annotations: { [PROTOTYPE_NOW_ANNOTATION]: value } },
  });
}

/** Renews the image of the pool with another patch of its oldest machine. */
async function renew(world: World, value: string): Promise<void> {
  diskOf(world, 0).write("/etc/patch", value);
  await ask(world, value);
  await untilRenewed(world);
  await settled(world);
}

/** The writes of the scale set itself since a call. */
function modelWrites(world: World, since: number): readonly string[] {
  return armCalls(world)
    .slice(since)
    .filter((call) => /^(PUT|PATCH) \S*\/virtualMachineScaleSets\/mp$/i.test(call));
}

test("after the first switch, renewals do not write the scale set", async () => {
  const world = await prototypeWorld();
  await createPrototypePool(world, { interval: "8000h" });
  await settled(world);
  await renew(world, "1");
  const before = armCalls(world).length;
  expect(modelWrites(world, 0).length).toBeGreaterThan(0);
  for (const value of ["2", "3", "4", "5"]) await renew(world, value);
  expect(modelWrites(world, before)).toEqual([]);
  await scaleTo(world, 4);
  await settled(world);
  expect(diskOf(world, 3).read("/etc/patch")).toBe("5");
  expect(resourcesOf(world, "galleries/images/versions")).toHaveLength(3);
});

test("with the policy RollingUpdate, existing machines move to the image, and no machine a second time", async () => {
  const world = await prototypeWorld({ invariants: [] });
  await createPrototypePool(world, { interval: "8000h", more: { rolloutPolicy: "RollingUpdate" } });
  await settled(world);
  diskOf(world, 0).write("/etc/patch", "1");
  await ask(world, "1");
  await untilRenewed(world);
  await settled(world);
  const machines = await readyMachines(world, POOL);
  expect(machines).toHaveLength(3);
  expect(machines.map((name) => diskOf(world, name.split("-")[1] ?? "").read("/etc/patch"))).toEqual([
    "1",
    "1",
    "1",
  ]);
  await world.advance(24 * HOUR_MS);
  expect(await readyMachines(world, POOL)).toEqual(machines);
});

test("two pools of a Cluster that are due at once renew one after the other", async () => {
  // The invariant one-donor watches every state.
  const world = await prototypeWorld();
  const pools = [POOL, "other"];
  for (const name of pools) await createPrototypePool(world, { interval: "8000h", name });
  await settled(world);
  for (const name of pools) await ask(world, "1", name);
  const phases = (): (string | undefined)[] =>
    pools.map((name) => stored(world, name)?.status?.nodePrototyping?.phase);
  await world.until(() => phases().some((phase) => phase === "Snapshotting"), 2 * HOUR_MS);
  const waiting = pools[phases().indexOf("Idle")] ?? "";
  expect((await poolNow(world, waiting)).status?.conditions).toContainEqual(
    expect.objectContaining({ type: "LastOsCache", reason: "ClusterBusy" }),
  );
  const isRenewed = (name: string): boolean => stored(world, name)?.status?.lastImagePrototype !== undefined;
  await world.until(() => pools.every(isRenewed), 10 * HOUR_MS);
  expect(pools.map(isRenewed)).toEqual([true, true]);
});

/** Gives the pool another Kubernetes version, and the image of it. */
async function upgrade(world: World): Promise<void> {
  const image = { computeGallery: { version: NEW_VERSION.slice(1) } };
  await patch(world, AzureMachinePool, POOL, { spec: { template: { image } } });
  await patch(world, MachinePool, POOL, { spec: { template: { spec: { version: NEW_VERSION } } } });
  await settled(world);
}

test("the definition of an earlier base image goes with the last of its versions", async () => {
  const world = await prototypeWorld();
  await createPrototypePool(world, { interval: "8000h" });
  await settled(world);
  await renew(world, "1");
  await upgrade(world);
  const [first] = (await readyMachines(world, POOL)).map((name) => name.split("-")[1] ?? "");
  for (const value of ["2", "3", "4"]) {
    diskOf(world, first ?? "").write("/etc/patch", value);
    await ask(world, value);
    await untilRenewed(world);
    await settled(world);
  }
  expect(resourcesOf(world, "galleries/images/versions")).toHaveLength(3);
  expect(resourcesOf(world, "galleries/images")).toHaveLength(1);
});

test("a deleted pool leaves no definition, not even of a renewal that never published a version", async () => {
  const world = await prototypeWorld();
  await createPrototypePool(world, { interval: "8000h" });
  await settled(world);
  world.azure.control.addFault({
    id: "trouble",
    match: { operation: "PUT galleries/images/versions" },
    effect: { kind: "status", status: 403, code: "AuthorizationFailed", message: "no right to write" },
  });
  await ask(world, "1");
  await world.until(() => stored(world)?.status?.nodePrototyping?.consecutiveFailures === 1, 8 * HOUR_MS);
  expect(resourcesOf(world, "galleries/images")).toHaveLength(1);
  await remove(world, MachinePool, POOL);
  await settled(world);
  expect(stored(world)).toBeUndefined();
  expect(resourcesOf(world, "galleries/images")).toEqual([]);
});
