import { conditionMatchers } from "@capstan/runtime/testing/matchers";
import type { World } from "@capstan/sim";
import { describe, expect, test } from "vitest";
import {
  armCalls,
  bodyOf,
  clusterIn,
  createCluster,
  createIdentity,
  deleteCluster,
  idIn,
  LOCATION,
  networkWorld,
  portal,
  resourcesIn,
  settledWith,
  tagsOf,
} from "../kit/network-world.ts";

expect.extend(conditionMatchers);

const MINUTE_MS = 60_000;

/** A world with a group and, in it, a network that a user has created. */
async function worldWithNetwork(group: string, subnets: readonly string[]): Promise<World> {
  const world = await networkWorld();
  await createIdentity(world);
  await portal(world, "PUT", idIn(group), { location: LOCATION, tags: { theirs: "yes" } });
  await portal(world, "PUT", idIn(group, "virtualNetworks/net"), {
    location: LOCATION,
    properties: {
      addressSpace: { addressPrefixes: ["10.0.0.0/8"] },
      subnets: subnets.map((name, index) => ({ name, properties: { addressPrefix: `10.${index}.0.0/16` } })),
    },
  });
  return world;
}

const theirSubnets = (group: string) =>
  (["control-plane", "node"] as const).map((role, index) => ({
    name: role,
    role,
    cidrBlocks: [`10.${index}.0.0/16`],
    id: idIn(group, `virtualNetworks/net/subnets/${role}`),
  }));

describe("a network that the user brings", () => {
  test("is used as it is, and stays when the cluster is deleted", async () => {
    const world = await worldWithNetwork("shared", ["control-plane", "node"]);
    const before = bodyOf(world, idIn("shared", "virtualNetworks/net"));
    await createCluster(world, "c1", {
      networkSpec: { vnet: { name: "net", resourceGroup: "shared" }, subnets: theirSubnets("shared") },
    });
    world.start();
    await world.settle();
    expect(await clusterIn(world, "c1")).toHaveCondition("Ready", "True");
    expect(resourcesIn(world)).toEqual([
      "c1 Succeeded",
      "c1/loadBalancers/c1 Succeeded",
      "c1/loadBalancers/c1-public-lb Succeeded",
      "c1/publicIPAddresses/pip-c1-apiserver Succeeded",
      "c1/publicIPAddresses/pip-c1-node-outbound Succeeded",
      "shared Succeeded",
      "shared/virtualNetworks/net Succeeded",
    ]);
    expect(bodyOf(world, idIn("shared", "virtualNetworks/net"))).toEqual(before);
    await deleteCluster(world, "c1");
    await world.settle();
    expect(resourcesIn(world)).toEqual(["shared Succeeded", "shared/virtualNetworks/net Succeeded"]);
    expect(bodyOf(world, idIn("shared", "virtualNetworks/net"))).toEqual(before);
  });

  test("must have the subnets that the spec names", async () => {
    const world = await worldWithNetwork("shared", ["node"]);
    await createCluster(world, "c1", {
      networkSpec: { vnet: { name: "net", resourceGroup: "shared" }, subnets: theirSubnets("shared") },
    });
    world.start();
    await world.advance(5 * MINUTE_MS);
    const cluster = await clusterIn(world, "c1");
    expect(cluster).toHaveCondition("SubnetsReady", "False", "SubnetNotFound");
    expect(cluster.status?.conditions?.find(({ type }) => type === "Ready")?.message).toContain(
      `has no subnet "control-plane"`,
    );
  });
});

describe("a resource group that the user brings", () => {
  test("gets only the cluster's resources, and keeps all others", async () => {
    const world = await worldWithNetwork("shared", []);
    await createCluster(world, "c1", { resourceGroup: "shared" });
    world.start();
    await world.settle();
    expect(await clusterIn(world, "c1")).toHaveCondition("Ready", "True");
    expect(tagsOf(world, idIn("shared"))).toEqual({ theirs: "yes" });
    expect(resourcesIn(world)).toHaveLength(12);
    await deleteCluster(world, "c1");
    await world.settle();
    expect(resourcesIn(world)).toEqual(["shared Succeeded", "shared/virtualNetworks/net Succeeded"]);
  });

  test("is shared by clusters with the same name prefix, which do not touch each other", async () => {
    const world = await worldWithNetwork("shared", []);
    for (const name of ["c1", "c1-b"]) await createCluster(world, name, { resourceGroup: "shared" });
    world.start();
    await world.settle();
    const before = resourcesIn(world).filter((line) => line.includes("c1-b"));
    expect(before).toHaveLength(10);
    await deleteCluster(world, "c1");
    await world.settle();
    expect(resourcesIn(world)).toEqual(
      ["shared Succeeded", ...before, "shared/virtualNetworks/net Succeeded"].toSorted(),
    );
    expect(await clusterIn(world, "c1-b")).toHaveCondition("Ready", "True");
  });
});

test("an existing address is used and not deleted", async () => {
  const world = await networkWorld();
  await createIdentity(world);
  await portal(world, "PUT", idIn("c1"), { location: LOCATION });
  const address = idIn("c1", "publicIPAddresses/pip-c1-apiserver");
  const properties = { publicIPAllocationMethod: "Static", dnsSettings: { domainNameLabel: "mine" } };
  await portal(world, "PUT", address, { location: LOCATION, sku: { name: "Standard" }, properties });
  const before = bodyOf(world, address);
  await createCluster(world, "c1");
  world.start();
  await world.settle();
  const { spec } = await clusterIn(world, "c1");
  expect(spec.controlPlaneEndpoint?.host).toBe("mine.westeurope.cloudapp.azure.com");
  await deleteCluster(world, "c1");
  await world.settle();
  expect(bodyOf(world, address)).toEqual(before);
  expect(resourcesIn(world)).toEqual(["c1 Succeeded", "c1/publicIPAddresses/pip-c1-apiserver Succeeded"]);
});

test("a load balancer of another owner with that name is not touched, and a condition reports it", async () => {
  const world = await networkWorld();
  await createIdentity(world);
  await portal(world, "PUT", idIn("c1"), { location: LOCATION });
  await portal(world, "PUT", idIn("c1", "loadBalancers/c1"), { location: LOCATION, tags: { theirs: "yes" } });
  await createCluster(world, "c1");
  world.start();
  await world.advance(5 * MINUTE_MS);
  const cluster = await clusterIn(world, "c1");
  expect(cluster).toHaveCondition("LoadBalancersReady", "False", "ResourceNotOwned");
  expect(cluster).toHaveCondition("VNetReady", "True");
  expect(tagsOf(world, idIn("c1", "loadBalancers/c1"))).toEqual({ theirs: "yes" });
});

describe("deletion", () => {
  test("deletes the whole group when the cluster owns it", async () => {
    const world = await settledWith("c1");
    const calls = armCalls(world);
    await deleteCluster(world, "c1");
    await world.settle();
    expect(resourcesIn(world)).toEqual([]);
    expect(armCalls(world)["DELETE resourceGroups"]).toBe(1);
    expect(armCalls(world)["LIST resourceGroups/resources"]).toBe(1);
    expect((armCalls(world)["GET resourceGroups"] ?? 0) - (calls["GET resourceGroups"] ?? 0)).toBe(2);
  });

  test.each([
    ["at once", {}],
    ["seconds later", { consistencyLag: { p50: 14, p90: 20 } }],
  ])(
    "in the middle of building leaves nothing behind when reads show %s of the resources",
    async (_, azure) => {
      for (const [index, afterMs] of [50, 100, 200, 500, 1_000, 5_000, 15_000, 25_000].entries()) {
        const world = await networkWorld({ azure, seed: String(index) });
        await createIdentity(world);
        await portal(world, "PUT", idIn("shared"), { location: LOCATION });
        await createCluster(world, "c1", { resourceGroup: "shared" });
        world.start();
        await world.advance(afterMs);
        await deleteCluster(world, "c1");
        await world.settle();
        expect(resourcesIn(world), `after ${afterMs} ms`).toEqual(["shared Succeeded"]);
      }
    },
  );

  test("waits for machines that still use the network, and reports it", async () => {
    const world = await worldWithNetwork("shared", []);
    await createCluster(world, "c1", { resourceGroup: "shared" });
    world.start();
    await world.settle();
    const nic = idIn("shared", "networkInterfaces/nic");
    const subnet = { id: idIn("shared", "virtualNetworks/c1-vnet/subnets/c1-node-subnet") };
    await portal(world, "PUT", nic, {
      location: LOCATION,
      properties: { ipConfigurations: [{ name: "ip", properties: { subnet } }] },
    });
    await deleteCluster(world, "c1");
    await world.advance(10 * MINUTE_MS);
    const cluster = await clusterIn(world, "c1");
    expect(cluster).toHaveCondition("Ready", "False", "InUseSubnetCannotBeDeleted");
    await portal(world, "DELETE", nic);
    await world.settle();
    expect(resourcesIn(world)).toEqual(["shared Succeeded", "shared/virtualNetworks/net Succeeded"]);
  });
});
