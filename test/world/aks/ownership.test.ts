import {
  AzureManagedControlPlane,
  AzureManagedMachinePool,
  Cluster,
  getCondition,
  type KubernetesObject,
  MachinePool,
  ManagedCluster,
  ManagedClustersAgentPool,
} from "@capstan/api";
import { createWorld, type World } from "@capstan/sim";
import { describe, expect, test } from "vitest";
import { find, get, NAMESPACE, patch, remove } from "../fleet/fleet-world.ts";
import { armWrites } from "../azurecluster/life.ts";
import {
  changeControlPlane,
  CLUSTER_ID,
  createAll,
  createCluster,
  examples,
  GROUP,
  inAzure,
  NAME,
  WORLD,
} from "./aks-world.ts";

const ADOPT = "sigs.k8s.io/cluster-api-provider-azure-adopt";
const POLICY = "serviceoperator.azure.com/reconcile-policy";

async function started(): Promise<World> {
  const world = await createWorld(WORLD);
  world.start();
  return world;
}

/** Creates by hand in Azure what the examples describe. */
async function createInAzure(world: World): Promise<void> {
  const body = (path: string, content: object): Promise<unknown> =>
    world.arm("PUT", `${path}?api-version=2024-05-01`, content);
  await body(GROUP, { location: "westeurope" });
  const network = `${GROUP}/providers/Microsoft.Network/virtualNetworks/${NAME}`;
  const subnet = { name: NAME, properties: { addressPrefixes: ["10.240.0.0/16"] } };
  await body(network, {
    location: "westeurope",
    properties: { addressSpace: { addressPrefixes: ["10.0.0.0/8"] }, subnets: [subnet] },
  });
  await world.advance(60_000);
  const pool = { vmSize: "Standard_D2s_v5", vnetSubnetID: `${network}/subnets/${NAME}`, osType: "Linux" };
  await body(CLUSTER_ID, {
    location: "westeurope",
    sku: { name: "Base", tier: "Free" },
    identity: { type: "SystemAssigned" },
    properties: {
      kubernetesVersion: "1.33.5",
      dnsPrefix: NAME,
      nodeResourceGroup: `MC_${NAME}_${NAME}_westeurope`,
      enableRBAC: true,
      networkProfile: {
        networkPlugin: "azure",
        loadBalancerSku: "standard",
        serviceCidr: "192.168.0.0/16",
        dnsServiceIP: "192.168.0.10",
      },
      workloadAutoScalerProfile: { keda: { enabled: true } },
      agentPoolProfiles: [
        { ...pool, name: "system", mode: "System", count: 1 },
        {
          ...pool,
          name: "workers",
          mode: "User",
          count: 2,
          vmSize: "Standard_D4s_v5",
          upgradeSettings: { maxSurge: "33%" },
        },
      ],
    },
  });
  await world.advance(15 * 60_000);
}

describe("an AKS cluster that exists before its manifests", () => {
  test("83: is not touched without the annotation, and a condition names it", async () => {
    const world = await started();
    await createInAzure(world);
    const before = armWrites(world);
    await createCluster(world);
    await world.settle();
    const { status } = await get(world, AzureManagedControlPlane, NAME);
    const condition = getCondition(status?.conditions, "ManagedClusterRunning");
    expect(condition).toMatchObject({ status: "False", reason: "ClusterNotAdopted" });
    expect(condition?.message).toContain(`set the annotation ${ADOPT}: "true"`);
    expect(armWrites(world)).toEqual(before);
  });

  test("is adopted with the annotation, without a single write to Azure", async () => {
    const world = await started();
    await createInAzure(world);
    const before = armWrites(world);
    await createCluster(world, (object) => {
      if (object.kind !== AzureManagedControlPlane.kind) return;
      object.metadata.annotations = { [ADOPT]: "true" };
      // Tags are part of the description: without those of a user, none are written.
    });
    await world.settle();
    const { status } = await get(world, AzureManagedControlPlane, NAME);
    expect(status).toMatchObject({ ready: true, version: "v1.33.5" });
    const after = Object.entries(armWrites(world)).filter(([path]) => !path.includes("credential"));
    expect(Object.fromEntries(after)).toEqual(before);
    await patch(world, MachinePool, `${NAME}-workers`, { spec: { replicas: 3 } });
    await world.settle();
    expect((await inAzure(world, `${CLUSTER_ID}/agentPools/workers`))?.properties["count"]).toBe(3);
  });
});

/** The ManagedCluster that a user writes: with its first pool, as AKS requires. */
const own = (profiles: readonly object[]): KubernetesObject =>
  ({
    apiVersion: "containerservice.azure.com/v1api20240901",
    kind: ManagedCluster.kind,
    metadata: { name: NAME, namespace: NAMESPACE },
    spec: {
      azureName: NAME,
      owner: { name: NAME },
      location: "westeurope",
      dnsPrefix: NAME,
      kubernetesVersion: "1.33.5",
      identity: { type: "SystemAssigned" },
      agentPoolProfiles: profiles,
      operatorSpec: { secrets: { adminCredentials: { name: "my-kubeconfig", key: "value" } } },
    },
  }) as unknown as KubernetesObject;

test("a ManagedCluster that its user brings is read, never modified, and the condition says what its user has to do", async () => {
  const world = await started();
  await createAll(world, [own([{ name: "system", mode: "System", count: 1, vmSize: "Standard_D2s_v5" }])]);
  await createCluster(world);
  await world.settle();
  // AKS has created the pools: from now on they have objects of their own.
  await patch(world, ManagedCluster, NAME, { spec: { agentPoolProfiles: null } });
  await world.settle();
  expect((await get(world, AzureManagedControlPlane, NAME)).status).toMatchObject({ ready: true });
  expect((await get(world, AzureManagedMachinePool, `${NAME}-workers`)).status).toMatchObject({
    ready: true,
  });
  const { metadata, spec } = await get(world, ManagedCluster, NAME);
  expect(metadata.ownerReferences).toBeUndefined();
  await changeControlPlane(world, { version: "v1.34.1" });
  await world.settle();
  expect((await get(world, ManagedCluster, NAME)).spec).toEqual(spec);
  const { status } = await get(world, AzureManagedControlPlane, NAME);
  expect(getCondition(status?.conditions, "SpecFulfilled")?.message).toContain(
    "set its spec.kubernetesVersion to 1.34.1, it runs 1.33.5; patches do not apply to it",
  );
  await remove(world, Cluster, NAME);
  await world.settle();
  expect(await find(world, Cluster, NAME)).toBeUndefined();
  expect(await find(world, ManagedCluster, NAME)).toBeDefined();
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

test("objects of the examples name the kinds that a release serves", () => {
  expect(examples("cluster.yaml").map(({ kind }) => kind)).toContain(AzureManagedControlPlane.kind);
});
