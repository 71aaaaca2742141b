import { AzureCluster, AzureClusterIdentity } from "@capstan/api";
import { conditionMatchers } from "@capstan/runtime/testing/matchers";
import type { World } from "@capstan/sim";
import { describe, expect, test } from "vitest";
import {
  armCalls,
  changeCluster,
  clusterIn,
  createCluster,
  createIdentity,
  deleteCluster,
  idIn,
  LOCATION,
  NAMESPACE,
  networkWorld,
  portal,
  resourcesIn,
  SUBSCRIPTION,
} from "../kit/network-world.ts";

expect.extend(conditionMatchers);

const MINUTE_MS = 60_000;

async function messageOf(world: World, type: string): Promise<string> {
  const { status } = await clusterIn(world, "c1");
  return status?.conditions?.find((condition) => condition.type === type)?.message ?? "";
}

describe("without a usable identity", () => {
  test("nothing is written until the identity exists", async () => {
    const world = await networkWorld();
    await createCluster(world, "c1");
    world.start();
    await world.advance(MINUTE_MS);
    const cluster = await clusterIn(world, "c1");
    expect(cluster).toHaveCondition("Ready", "False", "IdentityNotFound");
    expect(cluster).toHaveCondition("NetworkInfrastructureReady", "False", "IdentityNotFound");
    expect(await messageOf(world, "Ready")).toBe(
      `spec.identityRef: AzureClusterIdentity "identity" does not exist in namespace default`,
    );
    expect(armCalls(world)).toEqual({});
    await createIdentity(world);
    await world.settle();
    expect(await clusterIn(world, "c1")).toHaveCondition("Ready", "True");
  });

  test("nothing is written while the identity does not allow the namespace", async () => {
    const world = await networkWorld();
    await createIdentity(world, { list: ["other"] });
    await createCluster(world, "c1");
    world.start();
    await world.advance(5 * MINUTE_MS);
    const cluster = await clusterIn(world, "c1");
    expect(cluster).toHaveCondition("NetworkInfrastructureReady", "False", "NamespaceNotAllowedByIdentity");
    expect(await messageOf(world, "Ready")).toContain("does not include namespace default");
    expect(armCalls(world)).toEqual({});
    const body = { spec: { allowedNamespaces: { list: ["other", NAMESPACE] } } };
    await world.run(
      world.user.patch(
        AzureClusterIdentity,
        { name: "identity", namespace: NAMESPACE },
        { type: "merge", body },
      ),
    );
    await world.settle();
    expect(await clusterIn(world, "c1")).toHaveCondition("Ready", "True");
  });

  test("a cluster without any write to Azure can be deleted", async () => {
    const world = await networkWorld();
    await createCluster(world, "c1");
    world.start();
    await world.advance(MINUTE_MS);
    await deleteCluster(world, "c1");
    await world.settle();
    expect(
      await world.run(world.user.find(AzureCluster, { name: "c1", namespace: NAMESPACE })),
    ).toBeUndefined();
    expect(armCalls(world)).toEqual({});
  });

  test("a cluster that no Cluster refers to waits", async () => {
    const world = await networkWorld();
    await createIdentity(world);
    await createCluster(world, "c1");
    await changeCluster(world, "c1", { metadata: { ownerReferences: null } });
    world.start();
    await world.advance(MINUTE_MS);
    expect(await clusterIn(world, "c1")).toHaveCondition("Ready", "False", "WaitingForClusterOwner");
    expect(armCalls(world)).toEqual({});
  });
});

describe("a request that Azure refuses", () => {
  test("is reported with Azure's message and the field, while the rest is built", async () => {
    const world = await networkWorld();
    await createIdentity(world);
    await createCluster(world, "c1", {
      networkSpec: { vnet: { name: "c1-vnet", peerings: [{ remoteVnetName: "hub" }] } },
    });
    world.start();
    await world.advance(5 * MINUTE_MS);
    const cluster = await clusterIn(world, "c1");
    expect(cluster).toHaveCondition("VnetPeeringReady", "False", "Failed");
    expect(cluster).toHaveCondition("NetworkInfrastructureReady", "False", "Failed");
    expect(cluster).toHaveCondition("Ready", "False", "InvalidResourceType");
    for (const type of ["VNetReady", "LoadBalancersReady", "NATGatewaysReady"]) {
      expect(cluster).toHaveCondition(type, "True");
    }
    expect(await messageOf(world, "VnetPeeringReady")).toMatch(
      /^spec\.networkSpec\.vnet\.peerings\[0\]: virtualNetworkPeerings\/c1-vnet-To-hub: .*virtualNetworkPeerings/,
    );
    const isPeering = ({ method, path }: { method: string; path: string }): boolean =>
      method === "PUT" && path.includes("/virtualNetworkPeerings/c1-vnet-To-hub");
    const asked = world.azure.control.journal().filter(isPeering);
    expect(asked.length, "is not asked for again and again").toBeLessThanOrEqual(2);
    await deleteCluster(world, "c1");
    await world.settle();
    expect(resourcesIn(world)).toEqual([]);
  });
});

test("that a policy denies is not repeated while the rest is built", async () => {
  const world = await networkWorld();
  await createIdentity(world);
  await createCluster(world, "c1");
  const type = "Microsoft.Network/routeTables";
  world.azure.control.forbid({ name: "no-routes", scope: SUBSCRIPTION, kind: "DenyByPolicy", type });
  world.start();
  await world.advance(5 * MINUTE_MS);
  const cluster = await clusterIn(world, "c1");
  expect(cluster).toHaveCondition("RouteTablesReady", "False", "Failed");
  expect(cluster).toHaveCondition("Ready", "False", "RequestDisallowedByPolicy");
  expect(cluster).toHaveCondition("LoadBalancersReady", "True");
  expect(cluster).toHaveCondition("VNetReady", "False", "Creating");
  expect(armCalls(world)["PUT routeTables"]).toBeLessThanOrEqual(2);
  world.azure.control.allow("no-routes");
  await world.advance(11 * MINUTE_MS);
  expect(await clusterIn(world, "c1"), "is tried again slowly").toHaveCondition("Ready", "True");
});

describe("a spec that cannot be built", () => {
  test.each<[string, Partial<AzureCluster["spec"]>, string, string]>([
    [
      "an unknown region",
      { location: "mars" },
      "LocationUnknown",
      `spec.location: Invalid value: "mars": Azure offers no VMs in that location; use the name of a region such as westeurope`,
    ],
    [
      "a bastion",
      { bastionSpec: { azureBastion: {} } },
      "NotSupported",
      "spec.bastionSpec.azureBastion: Azure Bastion hosts are not supported yet; remove it",
    ],
  ])("names field and value: %s", async (_, spec, reason, message) => {
    const world = await networkWorld();
    await createIdentity(world);
    await createCluster(world, "c1", spec);
    world.start();
    await world.advance(MINUTE_MS);
    expect(await clusterIn(world, "c1")).toHaveCondition("NetworkInfrastructureReady", "False", reason);
    expect(await messageOf(world, "Ready")).toBe(message);
    expect(resourcesIn(world)).toEqual([]);
    await deleteCluster(world, "c1");
    await world.settle();
    expect(
      await world.run(world.user.find(AzureCluster, { name: "c1", namespace: NAMESPACE })),
    ).toBeUndefined();
  });
});

test("a virtual network in a resource group that does not exist says so, and is created once the group exists", async () => {
  const world = await networkWorld();
  await createIdentity(world);
  await createCluster(world, "c1", { networkSpec: { vnet: { name: "net", resourceGroup: "hub" } } });
  world.start();
  await world.advance(5 * MINUTE_MS);
  expect(await clusterIn(world, "c1")).toHaveCondition("Ready", "False", "ResourceGroupNotFound");
  expect(await messageOf(world, "Ready")).toMatch(
    /^spec\.networkSpec\..*Resource group 'hub' could not be found; create it, .*spec\.networkSpec\.vnet\.resourceGroup/,
  );
  await portal(world, "PUT", idIn("hub"), { location: LOCATION });
  await world.settle();
  expect(await clusterIn(world, "c1")).toHaveCondition("Ready", "True");
});
