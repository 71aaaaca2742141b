import { conditionMatchers } from "@capstan/runtime/testing/matchers";
import { describe, expect, test } from "vitest";
import {
  armCalls,
  bodyOf,
  changeCluster,
  clusterIn,
  createCluster,
  createIdentity,
  idIn,
  networkWorld,
  portal,
  resourcesIn,
  settledWith,
  tagsOf,
} from "../kit/network-world.ts";

expect.extend(conditionMatchers);

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const OWNED = "sigs.k8s.io_cluster-api-provider-azure_cluster_c1";

const names = (items: unknown): string[] => (items as { name: string }[]).map(({ name }) => name);

describe("a cluster", () => {
  test("is built with one PUT for each resource and no repeated read", async () => {
    const world = await settledWith("c1");
    expect(resourcesIn(world)).toEqual([
      "c1 Succeeded",
      "c1/loadBalancers/c1 Succeeded",
      "c1/loadBalancers/c1-public-lb Succeeded",
      "c1/natGateways/c1-node-natgw Succeeded",
      "c1/networkSecurityGroups/c1-controlplane-nsg Succeeded",
      "c1/networkSecurityGroups/c1-node-nsg Succeeded",
      "c1/publicIPAddresses/pip-c1-apiserver Succeeded",
      "c1/publicIPAddresses/pip-c1-node-natgw Succeeded",
      "c1/publicIPAddresses/pip-c1-node-outbound Succeeded",
      "c1/routeTables/c1-node-routetable Succeeded",
      "c1/virtualNetworks/c1-vnet Succeeded",
    ]);
    const { POLL: polls = 0, ...calls } = armCalls(world);
    expect(calls).toEqual({
      "LIST skus": 1,
      "GET resourceGroups": 1,
      "PUT resourceGroups": 1,
      "PUT natGateways": 1,
      "PUT publicIPAddresses": 3,
      "PUT networkSecurityGroups": 2,
      "PUT routeTables": 1,
      "PUT virtualNetworks": 1,
      "PUT loadBalancers": 2,
    });
    expect(polls).toBeLessThanOrEqual(2 * 10);
    expect(world.testedWrites - 11, "Kubernetes is written to").toBeLessThanOrEqual(12);
  });

  test("polls operations no more often than Azure's Retry-After, however often it is enqueued", async () => {
    const world = await networkWorld();
    await createIdentity(world);
    await createCluster(world, "c1");
    world.start();
    for (let second = 0; second < 120; second++) {
      await changeCluster(world, "c1", { metadata: { annotations: { touched: String(second) } } });
      await world.advance(1000);
    }
    expect(await clusterIn(world, "c1")).toHaveCondition("Ready", "True");
    expect(armCalls(world)["POLL"]).toBeLessThanOrEqual(2 * 10);
  });

  test("reports its endpoint, its failure domains and that it is ready, under CAPZ's names", async () => {
    const cluster = await clusterIn(await settledWith("c1"), "c1");
    expect(cluster).toHaveCondition("Paused", "False", "NotPaused");
    expect(cluster.status).toMatchObject({
      ready: true,
      initialization: { provisioned: true },
      failureDomains: { "1": { controlPlane: true }, "3": {} },
    });
    expect(cluster.status).not.toHaveProperty("longRunningOperationStates");
    expect(cluster.spec.controlPlaneEndpoint).toEqual({
      host: "c1-a712ef7d.westeurope.cloudapp.azure.com",
      port: 6443,
    });
    for (const type of [
      "Ready",
      "NetworkInfrastructureReady",
      "ResourceGroupReady",
      "VNetReady",
      "SubnetsReady",
      "SecurityGroupsReady",
      "RouteTablesReady",
      "PublicIPsReady",
      "NATGatewaysReady",
      "LoadBalancersReady",
    ]) {
      expect(cluster).toHaveCondition(type, "True", "Reconciled");
    }
  });

  test("with an internal load balancer has its private address as the endpoint", async () => {
    const world = await settledWith("c1", { networkSpec: { apiServerLB: { type: "Internal" } } });
    const cluster = await clusterIn(world, "c1");
    expect(cluster.spec.controlPlaneEndpoint).toEqual({ host: "10.0.0.100", port: 6443 });
    expect(cluster).toHaveCondition("Ready", "True");
    expect(resourcesIn(world)).not.toContain("c1/publicIPAddresses/pip-c1-apiserver Succeeded");
  });

  test("that is settled costs no write, and the lists of its types every ten minutes", async () => {
    const world = await settledWith("c1");
    const [writes, calls] = [world.testedWrites, armCalls(world)];
    await world.advance(HOUR_MS);
    expect(world.testedWrites).toBe(writes);
    const now = armCalls(world);
    const more = Object.fromEntries(Object.entries(now).filter(([name, count]) => count !== calls[name]));
    const types = [
      "loadBalancers",
      "natGateways",
      "networkSecurityGroups",
      "publicIPAddresses",
      "routeTables",
      "virtualNetworks",
    ];
    expect(Object.keys(more).toSorted()).toEqual(
      ["LIST resourcegroups", ...types.map((type) => `LIST ${type}`)].toSorted(),
    );
    expect(Math.max(...Object.values(more))).toBeLessThanOrEqual(7);
  });

  test("shares those lists with all others", async () => {
    const world = await networkWorld();
    await createIdentity(world);
    for (const name of ["a", "b", "c", "d"]) await createCluster(world, name);
    world.start();
    await world.settle();
    await world.advance(11 * MINUTE_MS);
    expect(armCalls(world)["LIST virtualNetworks"]).toBe(1);
  });
});

describe("drift", () => {
  test.each([
    ["a changed rule", (nsg: string) => ({ id: `${nsg}/securityRules/allow_apiserver`, method: "PUT" })],
    ["a deleted rule", (nsg: string) => ({ id: `${nsg}/securityRules/allow_apiserver`, method: "DELETE" })],
  ])("%s is put right, and rules of others stay", async (_, change) => {
    const world = await settledWith("c1");
    const nsg = idIn("c1", "networkSecurityGroups/c1-controlplane-nsg");
    const before = bodyOf(world, nsg)["properties"];
    const rule = { direction: "Inbound", priority: 300, access: "Deny", protocol: "*" };
    await portal(world, "PUT", `${nsg}/securityRules/theirs`, { properties: rule });
    const { id, method } = change(nsg);
    await portal(
      world,
      method,
      id,
      method === "PUT" ? { properties: { ...rule, priority: 301 } } : undefined,
    );
    await world.advance(12 * MINUTE_MS);
    await world.settle();
    const rules = (bodyOf(world, nsg)["properties"] as { securityRules: { name: string }[] }).securityRules;
    expect(names(rules).toSorted()).toEqual(["allow_apiserver", "allow_ssh", "theirs"]);
    const own = (body: unknown): unknown =>
      (body as { securityRules: { name: string }[] }).securityRules.find(
        ({ name }) => name === "allow_apiserver",
      );
    expect(own(bodyOf(world, nsg)["properties"])).toMatchObject({
      properties: (own(before) as { properties: object }).properties,
    });
    expect(armCalls(world)["PUT networkSecurityGroups"]).toBe(3);
  });

  test("a deleted load balancer is created again, and the cloud provider's additions to others stay", async () => {
    const world = await settledWith("c1");
    const outbound = idIn("c1", "loadBalancers/c1");
    await portal(world, "PUT", `${outbound}/backendAddressPools/kubernetes`, { properties: {} });
    await portal(world, "PUT", idIn("c1", "routeTables/c1-node-routetable/routes/node-1"), {
      properties: { addressPrefix: "10.244.0.0/24" },
    });
    await portal(world, "DELETE", idIn("c1", "loadBalancers/c1-public-lb"));
    await portal(world, "DELETE", `${outbound}/outboundRules/OutboundNATAllProtocols`);
    await world.advance(12 * MINUTE_MS);
    await world.settle();
    expect(resourcesIn(world)).toContain("c1/loadBalancers/c1-public-lb Succeeded");
    const { backendAddressPools, outboundRules } = bodyOf(world, outbound)["properties"] as Record<
      string,
      unknown
    >;
    expect(names(backendAddressPools)).toEqual(["c1-outboundBackendPool", "kubernetes"]);
    expect(names(outboundRules)).toEqual(["OutboundNATAllProtocols"]);
    const routes = bodyOf(world, idIn("c1", "routeTables/c1-node-routetable"))["properties"];
    expect(names((routes as { routes: unknown }).routes)).toEqual(["node-1"]);
    expect(await clusterIn(world, "c1")).toHaveCondition("Ready", "True");
  });
});

describe("a changed spec", () => {
  test("adds and removes tags everywhere, and keeps tags of other clients", async () => {
    const world = await settledWith("c1", { additionalTags: { team: "a", old: "x" } });
    const vnet = idIn("c1", "virtualNetworks/c1-vnet");
    await portal(world, "PATCH", vnet, { tags: { ...tagsOf(world, vnet), theirs: "yes" } });
    await changeCluster(world, "c1", { spec: { additionalTags: { team: "b", old: null, new: "y" } } });
    await world.settle();
    expect(tagsOf(world, vnet)).toMatchObject({ team: "b", new: "y", theirs: "yes", [OWNED]: "owned" });
    for (const id of [
      vnet,
      idIn("c1"),
      idIn("c1", "loadBalancers/c1"),
      idIn("c1", "publicIPAddresses/pip-c1-apiserver"),
    ]) {
      expect(tagsOf(world, id), id).toMatchObject({ team: "b", new: "y" });
      expect(tagsOf(world, id), id).not.toHaveProperty("old");
    }
    const { metadata } = await clusterIn(world, "c1");
    const remembered =
      metadata.annotations?.["sigs.k8s.io/cluster-api-provider-azure-last-applied-tags-rg"] ?? "";
    expect(JSON.parse(remembered)).toEqual({ team: "b", new: "y" });
  });

  test("adds and removes rules of a security group", async () => {
    const world = await settledWith("c1");
    const nsg = idIn("c1", "networkSecurityGroups/c1-controlplane-nsg");
    const { spec } = await clusterIn(world, "c1");
    const rule = {
      name: "web",
      description: "d",
      protocol: "Tcp",
      direction: "Inbound",
      priority: 200,
      destinationPorts: "443",
    };
    const subnets = (spec.networkSpec?.subnets ?? []).map((subnet) =>
      subnet.role === "control-plane"
        ? { ...subnet, securityGroup: { name: "c1-controlplane-nsg", securityRules: [rule] } }
        : subnet,
    );
    await changeCluster(world, "c1", { spec: { networkSpec: { subnets } } });
    await world.settle();
    const { securityRules } = bodyOf(world, nsg)["properties"] as { securityRules: unknown };
    expect(names(securityRules)).toEqual(["web"]);
  });
});
