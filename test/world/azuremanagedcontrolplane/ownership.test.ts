import {
  AzureManagedControlPlane,
  AzureManagedMachinePool,
  Cluster,
  getCondition,
  type Kind,
  MachinePool,
  ManagedCluster,
  ManagedClustersAgentPool,
  olderConditionsOf,
} from "@capstan/api";
import { createWorld, type World } from "@capstan/sim";
import { describe, expect, test } from "vitest";
import { find, get, patch, remove } from "../kit/fleet-world.ts";
import { armWrites } from "../azurecluster/life.ts";
import {
  ADOPT,
  clusterId,
  createAll,
  createCluster,
  createExisting,
  inAzure,
  manifestsIn,
  NAME,
  WORLD,
} from "../kit/aks-world.ts";
import { resourcesIn } from "./life.ts";

const BERTH = "berth";
const RUNNING = "ManagedClusterRunning";
const FULFILLED = "SpecFulfilled";

const POLICY = "serviceoperator.azure.com/reconcile-policy";

async function started(): Promise<World> {
  const world = await createWorld(WORLD);
  world.start();
  return world;
}

const adopt = (world: World): Promise<void> =>
  patch(world, AzureManagedControlPlane, BERTH, { metadata: { annotations: { [ADOPT]: "true" } } });

async function conditionOf(world: World, kind: Kind<Conditioned>, name: string, type: string) {
  return getCondition(olderConditionsOf(await get(world, kind, name)), type);
}

type Conditioned = AzureManagedControlPlane | AzureManagedMachinePool;

describe("an AKS cluster that exists before its manifests", () => {
  test("83: is only read without the annotation, then adopted with it, and neither writes to Azure", async () => {
    const world = await started();
    await createExisting(world);
    const before = armWrites(world);
    await createAll(world, manifestsIn("aks-adopt"));
    await world.settle();
    expect(await conditionOf(world, AzureManagedControlPlane, BERTH, RUNNING)).toMatchObject({
      status: "False",
      reason: "ClusterNotAdopted",
      message: expect.stringContaining(
        `adoption would change nothing in Azure; to adopt it, set the annotation ${ADOPT}: "true"`,
      ) as string,
    });
    expect(armWrites(world)).toEqual(before);
    await adopt(world);
    await world.settle();
    const { status } = await get(world, AzureManagedControlPlane, BERTH);
    expect(status).toMatchObject({ ready: true, version: "v1.33.5" });
    const after = Object.entries(armWrites(world)).filter(([path]) => !path.includes("credential"));
    expect(Object.fromEntries(after)).toEqual(before);
    await patch(world, MachinePool, "berth-workers", { spec: { replicas: 3 } });
    await world.settle();
    expect((await inAzure(world, `${clusterId(BERTH)}/agentPools/workers`))?.properties["count"]).toBe(3);
    await remove(world, Cluster, BERTH);
    await world.settle();
    expect(resourcesIn(world).map((id) => id.split("/").slice(-2).join("/"))).toEqual([
      "resourcegroups/berth",
      "virtualnetworks/berth",
    ]);
  });

  test("is not taken over by a note of a pause that no controller wrote", async () => {
    const world = await started();
    await createExisting(world);
    await createAll(world, manifestsIn("aks-adopt"));
    await world.settle();
    const before = armWrites(world);
    const note = "sigs.k8s.io/cluster-api-provider-azure-pre-pause-reconcile-policy";
    await patch(world, ManagedCluster, BERTH, { metadata: { annotations: { [note]: "manage" } } });
    await patch(world, AzureManagedControlPlane, BERTH, { metadata: { annotations: { a: "b" } } });
    await world.settle();
    expect((await get(world, ManagedCluster, BERTH)).metadata.annotations).toMatchObject({
      [POLICY]: "skip",
    });
    await remove(world, Cluster, BERTH);
    await world.settle();
    expect(armWrites(world)).toEqual(before);
    expect(await inAzure(world, clusterId(BERTH))).toBeDefined();
  });

  test("says what adoption would change, of the cluster and of its pools", async () => {
    const world = await started();
    await createExisting(world);
    const objects = manifestsIn("aks-adopt");
    for (const object of objects) {
      const { spec } = object as { spec?: Record<string, unknown> };
      if (object.kind === AzureManagedControlPlane.kind)
        Object.assign(spec ?? {}, { sku: { tier: "Standard" } });
      if (object.metadata.name === "berth-workers" && object.kind === MachinePool.kind)
        Object.assign(spec ?? {}, { replicas: 5 });
    }
    await createAll(world, objects);
    await world.settle();
    const cluster = await conditionOf(world, AzureManagedControlPlane, BERTH, RUNNING);
    expect(cluster?.message).toContain('adoption would change sku.tier from "Free" to "Standard" in Azure');
    expect(await conditionOf(world, AzureManagedMachinePool, "berth-workers", FULFILLED)).toMatchObject({
      reason: "NotAdopted",
      message: expect.stringContaining("adoption would change count from 2 to 5 in Azure") as string,
    });
  });
});

describe("a ManagedCluster that its user brings", () => {
  const HAVEN = "haven";

  async function brought(world: World, ...folders: readonly string[]): Promise<void> {
    for (const folder of folders) await createAll(world, manifestsIn(folder));
    await world.settle();
    expect(
      await conditionOf(world, AzureManagedMachinePool, "haven-system", "AgentPoolsReady"),
    ).toMatchObject({
      reason: "PoolsInManagedCluster",
      message: expect.stringContaining("Remove spec.agentPoolProfiles of ManagedCluster haven") as string,
    });
    await patch(world, ManagedCluster, HAVEN, { spec: { agentPoolProfiles: null } });
    await world.settle();
  }

  test("is read and never modified, and stays with a ResourceGroup of its user", async () => {
    const world = await started();
    await brought(world, "aks-bring-your-own/keep", "aks-bring-your-own");
    for (const pool of ["haven-system", "haven-workers"])
      expect((await get(world, AzureManagedMachinePool, pool)).status).toMatchObject({ ready: true });
    const before = await get(world, ManagedCluster, HAVEN);
    await patch(world, AzureManagedControlPlane, HAVEN, {
      spec: { version: "v1.34.1", asoManagedClusterPatches: ["spec: {}"] },
    });
    await world.settle();
    expect((await conditionOf(world, AzureManagedControlPlane, HAVEN, FULFILLED))?.message).toBe(
      "ManagedCluster haven was created by its user and is only read: set its spec.kubernetesVersion to 1.34.1, it runs 1.33.5; patches do not apply to it",
    );
    await remove(world, Cluster, HAVEN);
    await world.settle();
    expect(await find(world, Cluster, HAVEN)).toBeUndefined();
    expect(await get(world, ManagedCluster, HAVEN)).toEqual(before);
    expect((await inAzure(world, clusterId(HAVEN)))?.properties["agentPoolProfiles"]).toHaveLength(2);
  });

  test("goes with a resource group that Capstan created", async () => {
    const world = await started();
    await brought(world, "aks-bring-your-own");
    await remove(world, Cluster, HAVEN);
    await world.settle();
    expect(await find(world, ManagedCluster, HAVEN)).toBeUndefined();
    expect(resourcesIn(world)).toEqual([]);
  });
});

test("a paused cluster leaves Azure Service Operator idle and may move; resumed, the policy is as before", async () => {
  const world = await started();
  await createCluster(world);
  await world.settle();
  const policyOf = async (): Promise<string | undefined> =>
    (await get(world, ManagedCluster, NAME)).metadata.annotations?.[POLICY];
  const blocked = async (): Promise<string | undefined> =>
    (await get(world, AzureManagedControlPlane, NAME)).metadata.annotations?.[
      "clusterctl.cluster.x-k8s.io/block-move"
    ];
  expect([await policyOf(), await blocked()]).toEqual(["manage", "true"]);
  await patch(world, Cluster, NAME, { spec: { paused: true } });
  await world.settle();
  expect([await policyOf(), await blocked()]).toEqual(["skip", undefined]);
  const agentPool = await get(world, ManagedClustersAgentPool, `${NAME}-workers`);
  expect(agentPool.metadata.annotations?.[POLICY]).toBe("skip");
  await patch(world, Cluster, NAME, { spec: { paused: false } });
  await world.settle();
  expect([await policyOf(), await blocked()]).toEqual(["manage", "true"]);
});

test("what CAPZ applied to a ManagedCluster of ours is taken over: fields that we do not send go, and CAPZ owns none", async () => {
  const world = await started();
  await createCluster(world);
  await world.settle();
  const name = { name: NAME, namespace: "default" };
  const managersOf = async (): Promise<unknown[]> =>
    ((await get(world, ManagedCluster, NAME)).metadata.managedFields ?? []).map(
      (entry) => (entry as { manager?: string }).manager,
    );
  const body = { spec: { supportPlan: "AKSLongTermSupport", dnsPrefix: NAME } };
  const { spec } = await get(world, ManagedCluster, NAME);
  await world.run(
    world.user.patch(ManagedCluster, name, {
      type: "apply",
      fieldManager: "capz-manager",
      force: true,
      body,
    }),
  );
  expect(await managersOf()).toContain("capz-manager");

  await world.settle();

  expect(await managersOf()).not.toContain("capz-manager");
  expect((await get(world, ManagedCluster, NAME)).spec).toEqual(spec);
});
