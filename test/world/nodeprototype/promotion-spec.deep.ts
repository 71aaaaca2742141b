/** The promotion Spec: the image of a node is also in the spec of its pool, written once, and no machine rolls. */
import { AzureMachinePool, PROTOTYPE_BASE_ANNOTATION, PROTOTYPE_ROLLBACK_ANNOTATION } from "@capstan/api";
import type { World } from "@capstan/sim";
import { expect, test } from "vitest";
import { patch } from "../kit/fleet-world.ts";
import { armCalls, readyMachines, settled } from "../kit/pool-world.ts";
import {
  BASE_IMAGE,
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

async function promotedWorld(): Promise<World> {
  const world = await prototypeWorld();
  await createPrototypePool(world, { more: { promotion: "Spec" } });
  await settled(world);
  diskOf(world, 0).write("/etc/patch", "1");
  await untilRenewed(world);
  await settled(world);
  return world;
}

const imageIn = async (world: World) => (await poolNow(world)).spec.template.image;

/** The machines of the start, none of them replaced. */
const FIRST = ["mp-0", "mp-1", "mp-2"];

test("the definition with its latest version is in the spec, the scale set names it, and nothing rolls", async () => {
  const world = await promotedWorld();
  const { image } = stored(world)?.status ?? {};
  const [name, , gallery] = (image?.id ?? "").split("/").toReversed();
  expect(await imageIn(world)).toMatchObject({
    computeGallery: { gallery, name, version: "latest", resourceGroup: "demo" },
    nodePrototyping: { promotion: "Spec" },
  });
  expect(stored(world)?.status?.nodePrototyping?.bootImage?.id).toBe(image?.id);
  expect(await readyMachines(world, POOL)).toEqual(FIRST);
  await scaleTo(world, 4);
  await settled(world);
  expect(diskOf(world, 3).read("/etc/patch")).toBe("1");
});

test("the second version has the same definition: neither the spec nor the scale set is written again", async () => {
  const world = await promotedWorld();
  const { generation } = (await poolNow(world)).metadata;
  const before = armCalls(world).length;
  diskOf(world, 0).write("/var/lib/dpkg/status", "Package: openssl\nVersion: 2\n");
  await world.advance(25 * HOUR_MS);
  expect(stored(world)?.status?.nodePrototyping?.history).toHaveLength(2);
  expect((await poolNow(world)).metadata.generation).toBe(generation);
  const models = armCalls(world).slice(before);
  expect(models.filter((call) => /^(PUT|PATCH) \S*\/virtualMachineScaleSets\/mp$/i.test(call))).toEqual([]);
  expect(await readyMachines(world, POOL)).toEqual(FIRST);
});

test("a spec that GitOps changes back stays so, and new machines boot from the image of the node all the same", async () => {
  const world = await promotedWorld();
  const { computeGallery } = BASE_IMAGE;
  const fields = { subscriptionID: null, resourceGroup: null, ...computeGallery };
  await patch(world, AzureMachinePool, POOL, { spec: { template: { image: { computeGallery: fields } } } });
  await settled(world);
  expect((await imageIn(world))?.computeGallery).toEqual(computeGallery);
  await scaleTo(world, 4);
  await world.advance(2 * HOUR_MS);
  expect((await imageIn(world))?.computeGallery).toEqual(computeGallery);
  expect(diskOf(world, 3).read("/etc/patch")).toBe("1");
  expect((await readyMachines(world, POOL)).slice(0, 3)).toEqual(FIRST);
});

test("the image of the user is in the spec again after a roll-back, and when the field is removed", async () => {
  for (const change of [
    { metadata: { annotations: { [PROTOTYPE_ROLLBACK_ANNOTATION]: "1" } } },
    { spec: { template: { image: { nodePrototyping: null } } } },
  ]) {
    const world = await promotedWorld();
    await patch(world, AzureMachinePool, POOL, change);
    await world.advance(2 * HOUR_MS);
    expect((await imageIn(world))?.computeGallery).toEqual(BASE_IMAGE.computeGallery);
    expect((await poolNow(world)).metadata.annotations ?? {}).not.toHaveProperty([PROTOTYPE_BASE_ANNOTATION]);
    expect(await readyMachines(world, POOL)).toEqual(FIRST);
    if ("spec" in change) expect(resourcesOf(world, "galleries/images")).toEqual([]);
  }
});

test("a forged annotation does not change which image a pool has", async () => {
  const world = await prototypeWorld();
  await createPrototypePool(world, { interval: "8000h" });
  await settled(world);
  const image = { id: "/subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/images/evil" };
  for (const value of ["{", "[]", "null", JSON.stringify({ definition: "x", image })]) {
    await patch(world, AzureMachinePool, POOL, {
      metadata: { annotations: { [PROTOTYPE_BASE_ANNOTATION]: value } },
    });
    await settled(world);
  }
  expect(await readyMachines(world, POOL)).toEqual(FIRST);
  expect(stored(world)?.status?.image).toEqual({ computeGallery: BASE_IMAGE.computeGallery });
});
