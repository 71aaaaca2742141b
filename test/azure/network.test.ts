import { expect, test } from "vitest";
import {
  all,
  type Cloud,
  finish,
  GROUP,
  LOCATION,
  startCloud,
  SUBNET_ID,
  withNetwork,
  withScaleSet,
} from "./cloud.ts";

const location = LOCATION;
const NETWORK_ID = SUBNET_ID.split("/").slice(0, 7).join("/");

test("a virtual network is created, read, listed, tagged and deleted", async () => {
  const cloud = startCloud();
  await withNetwork(cloud);
  const networks = cloud.network.virtualNetworks;
  const network = await networks.get(GROUP, "NET");
  expect(network).toMatchObject({
    name: "net",
    provisioningState: "Succeeded",
    subnets: [{ name: "nodes" }],
  });
  expect(network.etag).toMatch(/^W\/"[0-9a-f-]{36}"$/);
  expect((await all(networks.list(GROUP))).length).toBe(1);
  expect((await all(networks.listAll())).length).toBe(1);
  expect((await networks.updateTags(GROUP, "net", { tags: { team: "a" } })).tags).toEqual({ team: "a" });
  await finish(cloud, networks.delete(GROUP, "net"));
  await expect(networks.get(GROUP, "net")).rejects.toMatchObject({
    statusCode: 404,
    code: "ResourceNotFound",
  });
});

test("a subnet is added to its network, read, listed and removed", async () => {
  const cloud = startCloud();
  await withNetwork(cloud);
  const { subnets } = cloud.network;
  const made = await finish(
    cloud,
    subnets.createOrUpdate(GROUP, "net", "more", { addressPrefix: "10.2.0.0/24" }),
  );
  expect(made).toMatchObject({ name: "more", provisioningState: "Succeeded", addressPrefix: "10.2.0.0/24" });
  expect((await subnets.get(GROUP, "net", "more")).id).toBe(SUBNET_ID.replace(/nodes$/, "more"));
  expect((await all(subnets.list(GROUP, "net"))).map(({ name }) => name)).toEqual(["nodes", "more"]);
  await finish(cloud, subnets.delete(GROUP, "net", "more"));
  expect((await all(subnets.list(GROUP, "net"))).map(({ name }) => name)).toEqual(["nodes"]);
});

test("a subnet with instances in it cannot be deleted, nor its network", async () => {
  const cloud = startCloud();
  await withScaleSet(cloud, 1);
  const refused = { statusCode: 400, code: "InUseSubnetCannotBeDeleted" };
  await expect(cloud.network.subnets.delete(GROUP, "net", "nodes").submitted()).rejects.toMatchObject(
    refused,
  );
  await expect(cloud.network.virtualNetworks.delete(GROUP, "net").submitted()).rejects.toMatchObject(refused);
});

test("a security group and its rules are created, read, listed and deleted", async () => {
  const cloud = startCloud();
  await withNetwork(cloud);
  const { networkSecurityGroups: groups, securityRules: rules } = cloud.network;
  await finish(cloud, groups.createOrUpdate(GROUP, "nsg", { location, securityRules: [] }));
  const rule = {
    protocol: "Tcp",
    access: "Allow",
    direction: "Inbound",
    priority: 100,
    sourceAddressPrefix: "*",
    sourcePortRange: "*",
    destinationAddressPrefix: "*",
    destinationPortRange: "6443",
  } as const;
  await finish(cloud, rules.createOrUpdate(GROUP, "nsg", "api", rule));
  expect((await rules.get(GROUP, "nsg", "api")).destinationPortRange).toBe("6443");
  expect((await all(rules.list(GROUP, "nsg"))).length).toBe(1);
  await expect(rules.createOrUpdate(GROUP, "nsg", "same", rule).submitted()).rejects.toMatchObject({
    code: "SecurityRuleConflict",
  });
  await finish(cloud, rules.delete(GROUP, "nsg", "api"));
  expect((await groups.get(GROUP, "nsg")).securityRules).toEqual([]);
  expect((await all(groups.list(GROUP))).length).toBe(1);
  await finish(cloud, groups.delete(GROUP, "nsg"));
});

test("a route table and its routes are created, read, listed and deleted", async () => {
  const cloud = startCloud();
  await withNetwork(cloud);
  const { routeTables, routes } = cloud.network;
  await finish(cloud, routeTables.createOrUpdate(GROUP, "table", { location }));
  const route = {
    addressPrefix: "10.9.0.0/16",
    nextHopType: "VirtualAppliance",
    nextHopIpAddress: "10.1.0.4",
  };
  await finish(cloud, routes.createOrUpdate(GROUP, "table", "pods", route));
  expect((await routes.get(GROUP, "table", "pods")).addressPrefix).toBe("10.9.0.0/16");
  expect((await all(routes.list(GROUP, "table"))).length).toBe(1);
  await finish(cloud, routes.delete(GROUP, "table", "pods"));
  expect((await routeTables.get(GROUP, "table")).routes).toEqual([]);
  expect((await all(routeTables.list(GROUP))).length).toBe(1);
  await finish(cloud, routeTables.delete(GROUP, "table"));
});

async function publicIp(cloud: Cloud): Promise<string> {
  const made = await finish(
    cloud,
    cloud.network.publicIPAddresses.createOrUpdate(GROUP, "ip", {
      location,
      sku: { name: "Standard" },
      publicIPAllocationMethod: "Static",
      dnsSettings: { domainNameLabel: "api" },
    }),
  );
  return made.id ?? "";
}

test("a NAT gateway is created, read, listed and deleted, and not while a subnet uses it", async () => {
  const cloud = startCloud();
  await withNetwork(cloud);
  const { natGateways, subnets } = cloud.network;
  const publicIpAddresses = [{ id: await publicIp(cloud) }];
  const made = await finish(
    cloud,
    natGateways.createOrUpdate(GROUP, "nat", { location, sku: { name: "Standard" }, publicIpAddresses }),
  );
  expect((await natGateways.get(GROUP, "nat")).publicIpAddresses).toEqual(publicIpAddresses);
  expect((await all(natGateways.list(GROUP))).length).toBe(1);
  const subnet = { addressPrefix: "10.2.77.0/24", natGateway: { id: made.id ?? "" } };
  await finish(cloud, subnets.createOrUpdate(GROUP, "net", "out", subnet));
  await expect(natGateways.delete(GROUP, "nat").submitted()).rejects.toMatchObject({
    code: "InUseNatGatewayCannotBeDeleted",
  });
  await finish(cloud, subnets.delete(GROUP, "net", "out"));
  await finish(cloud, natGateways.delete(GROUP, "nat"));
});

test("a public IP address gets an address that it keeps", async () => {
  const cloud = startCloud();
  await withNetwork(cloud);
  await publicIp(cloud);
  const { publicIPAddresses: addresses } = cloud.network;
  const first = await addresses.get(GROUP, "ip");
  expect(first.ipAddress).toMatch(/^20\.\d+\.\d+\.\d+$/);
  expect(first.dnsSettings?.fqdn).toBe("api.westus.cloudapp.azure.com");
  await publicIp(cloud);
  expect((await addresses.get(GROUP, "ip")).ipAddress).toBe(first.ipAddress);
  expect((await all(addresses.list(GROUP))).length).toBe(1);
  await finish(cloud, addresses.delete(GROUP, "ip"));
});

test("a load balancer is created with its parts, which are read alone, and holds its address", async () => {
  const cloud = startCloud();
  await withNetwork(cloud);
  const {
    loadBalancers,
    loadBalancerBackendAddressPools: pools,
    inboundNatRules,
    publicIPAddresses,
  } = cloud.network;
  const id = await publicIp(cloud);
  await finish(
    cloud,
    loadBalancers.createOrUpdate(GROUP, "lb", {
      location,
      sku: { name: "Standard" },
      frontendIPConfigurations: [{ name: "front", publicIPAddress: { id } }],
      backendAddressPools: [{ name: "back" }],
    }),
  );
  expect((await pools.get(GROUP, "lb", "back")).provisioningState).toBe("Succeeded");
  await finish(cloud, pools.createOrUpdate(GROUP, "lb", "other", {}));
  expect((await all(pools.list(GROUP, "lb"))).map(({ name }) => name)).toEqual(["back", "other"]);
  await finish(
    cloud,
    inboundNatRules.createOrUpdate(GROUP, "lb", "ssh", {
      protocol: "Tcp",
      frontendPort: 2222,
      backendPort: 22,
    }),
  );
  expect((await inboundNatRules.get(GROUP, "lb", "ssh")).frontendPort).toBe(2222);
  await finish(cloud, inboundNatRules.delete(GROUP, "lb", "ssh"));
  await finish(cloud, pools.delete(GROUP, "lb", "other"));
  await expect(publicIPAddresses.delete(GROUP, "ip").submitted()).rejects.toMatchObject({
    code: "PublicIPAddressCannotBeDeleted",
  });
  expect((await all(loadBalancers.list(GROUP))).length).toBe(1);
  await finish(cloud, loadBalancers.delete(GROUP, "lb"));
  await finish(cloud, publicIPAddresses.delete(GROUP, "ip"));
});

test("a network interface takes an address of its subnet and gives it back", async () => {
  const cloud = startCloud();
  await withNetwork(cloud);
  const { networkInterfaces } = cloud.network;
  const nic = { location, ipConfigurations: [{ name: "ip", subnet: { id: SUBNET_ID } }] };
  const made = await finish(cloud, networkInterfaces.createOrUpdate(GROUP, "nic", nic));
  expect(made.ipConfigurations?.[0]?.privateIPAddress).toBe("10.1.0.4");
  expect((await networkInterfaces.get(GROUP, "nic")).provisioningState).toBe("Succeeded");
  expect((await all(networkInterfaces.list(GROUP))).length).toBe(1);
  await finish(cloud, networkInterfaces.delete(GROUP, "nic"));
  expect(cloud.azure.core.world.addresses.usedIn(SUBNET_ID)).toBe(0);
});

test("a network interface that is refused takes no address", async () => {
  const cloud = startCloud();
  await withNetwork(cloud);
  const networkSecurityGroup = { id: `${NETWORK_ID}/providers/Microsoft.Network/networkSecurityGroups/none` };
  const nic = {
    location,
    ipConfigurations: [{ name: "ip", subnet: { id: SUBNET_ID } }],
    networkSecurityGroup,
  };
  const refused = cloud.network.networkInterfaces.createOrUpdate(GROUP, "nic", nic).submitted();
  await expect(refused).rejects.toMatchObject({ code: "InvalidResourceReference" });
  expect(cloud.azure.core.world.addresses.usedIn(SUBNET_ID)).toBe(0);
});

test("a reference to what is not there is refused", async () => {
  const cloud = startCloud();
  await withNetwork(cloud);
  const subnet = { id: `${NETWORK_ID}/providers/Microsoft.Network/virtualNetworks/none/subnets/none` };
  const nic = { location, ipConfigurations: [{ name: "ip", subnet }] };
  await expect(
    cloud.network.networkInterfaces.createOrUpdate(GROUP, "nic", nic).submitted(),
  ).rejects.toMatchObject({
    statusCode: 400,
    code: "InvalidResourceReference",
  });
});

test("a second write on a busy network is to be tried again later", async () => {
  const cloud = startCloud();
  await withNetwork(cloud);
  const { subnets } = cloud.network;
  await subnets.createOrUpdate(GROUP, "net", "a", { addressPrefix: "10.2.0.0/24" }).submitted();
  await expect(
    subnets.createOrUpdate(GROUP, "net", "b", { addressPrefix: "10.3.0.0/24" }).submitted(),
  ).rejects.toMatchObject({ statusCode: 429, code: "RetryableErrorDueToAnotherOperation" });
});
