import { AzureManagedControlPlane, AzureManagedMachinePool, Cluster, isTrue } from "@capstan/api";
import { createWorld, rehearse, type World } from "@capstan/sim";
import { describe, expect, test } from "vitest";
import { get } from "../fleet/fleet-world.ts";
import { createCluster, inAzure, NAME, WORLD } from "./aks-world.ts";
import { LIFE, lifeOf, resourcesIn } from "./life.ts";

async function running(): Promise<World> {
  const world = await createWorld(WORLD);
  world.start();
  await createCluster(world);
  await world.settle();
  return world;
}

describe("an AKS cluster", () => {
  test("becomes Ready with its pools, and its Nodes are those of the logical cluster", async () => {
    const world = await running();
    const controlPlane = await get(world, AzureManagedControlPlane, NAME);
    expect(controlPlane.status).toMatchObject({ ready: true, initialized: true, version: "v1.33.5" });
    expect(isTrue((await get(world, Cluster, NAME)).status?.conditions, "Ready")).toBe(true);
    const pool = await get(world, AzureManagedMachinePool, `${NAME}-workers`);
    expect(pool.status).toMatchObject({ ready: true, replicas: 2 });
    expect(pool.spec.providerIDList).toHaveLength(2);
  });

  test("has in Azure what a patch adds", async () => {
    const world = await running();
    expect((await inAzure(world))?.properties).toMatchObject({
      workloadAutoScalerProfile: { keda: { enabled: true } },
    });
  });
});

test("the whole life of a cluster ends with nothing in Azure", async () => {
  const run = await rehearse(lifeOf("1", [...LIFE, "deleted"]));
  expect(run.failure).toBeUndefined();
  expect(resourcesIn(run.world)).toEqual([]);
});
