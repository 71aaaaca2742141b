import type { ManagedCluster } from "@azure/arm-containerservice";
import { DEFAULT_SUBSCRIPTION } from "@capstan/azure-sim";
import { describe, expect, test } from "vitest";
import { all, type Cloud, finish, GROUP, LOCATION, startCloud, withNetwork } from "./cloud.ts";

const NODES = `MC_${GROUP}_aks_${LOCATION}`;

const cluster = (change: Partial<ManagedCluster> = {}): ManagedCluster => ({
  location: LOCATION,
  identity: { type: "SystemAssigned" },
  dnsPrefix: "aks",
  kubernetesVersion: "1.33",
  agentPoolProfiles: [{ name: "system", mode: "System", count: 2, vmSize: "Standard_D2s_v3" }],
  ...change,
});

async function withCluster(cloud: Cloud, change: Partial<ManagedCluster> = {}): Promise<ManagedCluster> {
  await withNetwork(cloud);
  return await finish(
    cloud,
    cloud.containerService.managedClusters.createOrUpdate(GROUP, "aks", cluster(change)),
  );
}

async function codeOf(promise: Promise<unknown>): Promise<string> {
  return await promise.then(
    () => "accepted",
    (error: unknown) => String((error as { code?: string }).code),
  );
}

describe("a managed cluster, through the official SDK", () => {
  test("is created with its pools as scale sets in a group of its own", async () => {
    const cloud = startCloud();
    const made = await withCluster(cloud);
    expect(made).toMatchObject({
      provisioningState: "Succeeded",
      currentKubernetesVersion: "1.33.5",
      nodeResourceGroup: NODES,
      powerState: { code: "Running" },
      sku: { name: "Base", tier: "Free" },
    });
    expect(made.fqdn).toMatch(/^aks-[0-9a-f]{8}\.hcp\.westus\.azmk8s\.io$/);
    const [set] = await all(cloud.compute.virtualMachineScaleSets.list(NODES));
    expect(set).toMatchObject({ sku: { capacity: 2 }, tags: { "aks-managed-poolName": "system" } });
  });

  test("keeps fields that no release of ours has heard of", async () => {
    const cloud = startCloud();
    await withCluster(cloud);
    const id = `/subscriptions/${DEFAULT_SUBSCRIPTION}/resourceGroups/${GROUP}/providers/Microsoft.ContainerService/managedClusters/aks`;
    const body = {
      location: LOCATION,
      properties: { dnsPrefix: "aks", featureOfTomorrow: { enabled: true } },
    };
    await cloud.send("PUT", `${id}?api-version=2025-08-01`, { body });
    const { body: shown } = await cloud.send("GET", `${id}?api-version=2025-08-01`);
    expect(shown).toMatchObject({ properties: { featureOfTomorrow: { enabled: true } } });
  });

  test("takes one write at a time", async () => {
    const cloud = startCloud();
    await withNetwork(cloud);
    const { managedClusters } = cloud.containerService;
    const first = finish(cloud, managedClusters.createOrUpdate(GROUP, "aks", cluster()));
    await cloud.scheduler.advance(1000);
    expect(await codeOf(finish(cloud, managedClusters.createOrUpdate(GROUP, "aks", cluster())))).toBe(
      "OperationNotAllowed",
    );
    await first;
  });

  test("has pools that scale, upgrade and go, but never the last System pool", async () => {
    const cloud = startCloud();
    await withCluster(cloud);
    const { agentPools } = cloud.containerService;
    const pool = { vmSize: "Standard_D2s_v3", count: 1, mode: "User" as const };
    await finish(cloud, agentPools.createOrUpdate(GROUP, "aks", "workers", pool));
    const scaled = await finish(
      cloud,
      agentPools.createOrUpdate(GROUP, "aks", "workers", { ...pool, count: 3 }),
    );
    expect(scaled).toMatchObject({ count: 3, provisioningState: "Succeeded" });
    expect((await all(agentPools.list(GROUP, "aks"))).map(({ name }) => name)).toEqual(["system", "workers"]);
    expect(await codeOf(finish(cloud, agentPools.delete(GROUP, "aks", "system")))).toBe(
      "OperationNotAllowed",
    );
    await finish(cloud, agentPools.delete(GROUP, "aks", "workers"));
    expect((await all(agentPools.list(GROUP, "aks"))).map(({ name }) => name)).toEqual(["system"]);
  });

  test.each<[string, Partial<ManagedCluster>]>([
    ["K8sVersionNotSupported", { kubernetesVersion: "1.10.0" }],
    ["InvalidParameter", { networkProfile: { networkPlugin: "token-ring" } }],
    ["InvalidParameter", { agentPoolProfiles: [] }],
    [
      "InvalidParameter",
      { agentPoolProfiles: [{ name: "Bad_Name", mode: "System", vmSize: "Standard_D2s_v3" }] },
    ],
    [
      "AvailabilityZoneNotSupported",
      {
        agentPoolProfiles: [
          { name: "s", mode: "System", availabilityZones: ["9"], vmSize: "Standard_DS2_v2" },
        ],
      },
    ],
    [
      "NodePoolMcVersionIncompatible",
      {
        agentPoolProfiles: [
          { name: "s", mode: "System", orchestratorVersion: "1.34.1", vmSize: "Standard_D2s_v3" },
        ],
      },
    ],
  ])("is refused with %s: %j", async (code, change) => {
    expect(await codeOf(withCluster(startCloud(), change))).toBe(code);
  });

  test.each<[string, Partial<ManagedCluster>]>([
    ["OperationNotAllowed", { kubernetesVersion: "1.32.7" }],
    ["OperationNotAllowed", { kubernetesVersion: "1.35.0" }],
    ["PropertyChangeNotAllowed", { dnsPrefix: "other" }],
  ])("cannot be changed: %s for %j", async (code, change) => {
    const cloud = startCloud();
    await withCluster(cloud);
    const changed = cloud.containerService.managedClusters.createOrUpdate(GROUP, "aks", cluster(change));
    expect(await codeOf(finish(cloud, changed))).toBe(code);
  });

  test("stops, starts, hands out kubeconfigs, and takes the group of its nodes with it", async () => {
    const cloud = startCloud();
    await withCluster(cloud);
    const { managedClusters } = cloud.containerService;
    await finish(cloud, managedClusters.stop(GROUP, "aks"));
    expect((await managedClusters.get(GROUP, "aks")).powerState?.code).toBe("Stopped");
    await finish(cloud, managedClusters.start(GROUP, "aks"));
    const { kubeconfigs } = await managedClusters.listClusterAdminCredentials(GROUP, "aks");
    expect(Buffer.from(kubeconfigs?.[0]?.value ?? "").toString()).toContain("azmk8s.io:443");
    await finish(cloud, managedClusters.delete(GROUP, "aks"));
    expect((await all(cloud.resources.resourceGroups.list())).map(({ name }) => name)).toEqual([GROUP]);
  });

  test("has maintenance configurations of the names that AKS accepts", async () => {
    const cloud = startCloud();
    await withCluster(cloud);
    const { maintenanceConfigurations } = cloud.containerService;
    await maintenanceConfigurations.createOrUpdate(GROUP, "aks", "default", {
      timeInWeek: [{ day: "Sunday", hourSlots: [1] }],
    });
    expect(await all(maintenanceConfigurations.listByManagedCluster(GROUP, "aks"))).toMatchObject([
      { name: "default" },
    ]);
    expect(await codeOf(maintenanceConfigurations.createOrUpdate(GROUP, "aks", "mine", {}))).toBe(
      "InvalidParameter",
    );
  });
});
