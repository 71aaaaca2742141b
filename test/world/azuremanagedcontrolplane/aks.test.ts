import {
  AzureManagedCluster,
  AzureManagedControlPlane,
  AzureManagedMachinePool,
  Cluster,
  isTrue,
  MachinePool,
  olderConditionsOf,
} from "@capstan/api";
import { conditionMatchers } from "@capstan/runtime/testing/matchers";
import { createWorld, rehearse, type World } from "@capstan/sim";
import { describe, expect, test } from "vitest";
import { find, get, patch, remove } from "../kit/fleet-world.ts";
import { createCluster, inAzure, NAME, WORLD } from "../kit/aks-world.ts";
import { LIFE, lifeOf, resourcesIn } from "./life.ts";

expect.extend(conditionMatchers);

const HOUR_MS = 3_600_000;

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
    expect(controlPlane.status).toMatchObject({
      ready: true,
      initialized: true,
      initialization: { controlPlaneInitialized: true },
      externalManagedControlPlane: true,
      version: "v1.33.5",
      versions: [{ version: "v1.33.5" }],
    });
    expect(isTrue(olderConditionsOf(await get(world, Cluster, NAME)), "Ready")).toBe(true);
    const pool = await get(world, AzureManagedMachinePool, `${NAME}-workers`);
    const infrastructure = await get(world, AzureManagedCluster, NAME);
    const provisioned = { ready: true, initialization: { provisioned: true } };
    expect(infrastructure.status).toMatchObject(provisioned);
    expect(pool.status).toMatchObject({ ...provisioned, replicas: 2 });
    for (const object of [controlPlane, pool, infrastructure])
      expect(object).toHaveCondition("Paused", "False", "NotPaused");
    expect(pool.spec.providerIDList).toHaveLength(2);
  });

  test("has in Azure what a patch adds", async () => {
    const world = await running();
    expect((await inAzure(world))?.properties).toMatchObject({
      workloadAutoScalerProfile: { keda: { enabled: true } },
    });
  });
});

test("a MachinePool has the number of nodes that the autoscaler of AKS has chosen", async () => {
  const world = await running();
  const pool = `${NAME}-workers`;
  await patch(world, AzureManagedMachinePool, pool, { spec: { scaling: { minSize: 3, maxSize: 5 } } });
  await world.rest(HOUR_MS);
  const { metadata, spec } = await get(world, MachinePool, pool);
  expect([spec.replicas, metadata.annotations?.["cluster.x-k8s.io/replicas-managed-by"]]).toEqual([
    3,
    "true",
  ]);
});

test("the last System pool is not deleted, and says why, until the Cluster is", async () => {
  const world = await running();
  const pool = `${NAME}-system`;
  await remove(world, AzureManagedMachinePool, pool);
  await world.rest(HOUR_MS);
  const held = await get(world, AzureManagedMachinePool, pool);
  expect(held).toHaveCondition("Ready", "False", "LastSystemPool");
  expect(deletionsOfPools(world)).toBe(0);
  await remove(world, Cluster, NAME);
  await world.rest(4 * HOUR_MS);
  expect(await find(world, AzureManagedMachinePool, pool)).toBeUndefined();
  expect(resourcesIn(world)).toEqual([]);
});

function deletionsOfPools(world: World): number {
  const journal = world.azure.control.journal();
  return journal.filter(({ method, path }) => method === "DELETE" && path.includes("/agentPools/")).length;
}

test("the machines of a private cluster without a route come from few lists of their scale sets", async () => {
  const world = await createWorld(WORLD);
  world.start();
  world.addFault({ fault: "workload-unreachable", when: { trigger: {} } });
  await createCluster(world, (object) => {
    const access = { apiServerAccessProfile: { enablePrivateCluster: true } };
    if (object.kind === AzureManagedControlPlane.kind)
      Object.assign((object as AzureManagedControlPlane).spec, access);
  });
  await world.rest(HOUR_MS);
  const pool = `${NAME}-workers`;
  const { providerIDList } = (await get(world, AzureManagedMachinePool, pool)).spec;
  expect(providerIDList).toHaveLength(2);
  expect(providerIDList?.[0]).toMatch(/^azure:\/\/\/subscriptions\/.*-workers-.*-vmss\/virtualMachines\/0$/);
  await patch(world, MachinePool, pool, { spec: { replicas: 3 } });
  await world.advance(HOUR_MS);
  expect((await get(world, AzureManagedMachinePool, pool)).spec.providerIDList).toHaveLength(3);
  const before = listsIn(world);
  await world.advance(HOUR_MS);
  // Once in ten minutes, for each of the two pools.
  expect(listsIn(world) - before).toBeLessThanOrEqual(12);
});

/** How often scale sets or their instances were listed. */
function listsIn(world: World): number {
  return world.azure.control
    .journal()
    .filter(({ path }) => /virtualMachineScaleSets(\/[^/]+\/virtualMachines)?(\?|$)/.test(path)).length;
}

test("the whole life of a cluster ends with nothing in Azure", async () => {
  const run = await rehearse(lifeOf("1", [...LIFE, "deleted"]));
  expect(run.failure).toBeUndefined();
  expect(resourcesIn(run.world)).toEqual([]);
});
