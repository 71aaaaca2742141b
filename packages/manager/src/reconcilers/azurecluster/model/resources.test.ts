import { isJsonObject } from "@capstan/api";
import { describe, expect, test } from "vitest";
import { idOf, planOf } from "./cluster.fixture.ts";
import type { ClusterSpecView } from "../../../azure-cluster/spec-view.ts";
import type { DesiredResource } from "./resource.ts";
import { desiredResources } from "./resources.ts";

const short = (id: string): string => id.split("/").slice(-2).join("/");
const listed = (plan: ClusterSpecView): string[] =>
  desiredResources(plan).map(({ id, dependsOn }) => `${short(id)} <- ${dependsOn.map(short).join(", ")}`);
const found = (plan: ClusterSpecView, id: string): DesiredResource | undefined =>
  desiredResources(plan).find((resource) => resource.id === id);

describe("the resources of a cluster", () => {
  test("are those of CAPZ, each after what it depends on", () => {
    const plan = planOf();
    expect(listed(plan)).toEqual([
      "resourceGroups/c1 <- ",
      "publicIPAddresses/pip-c1-apiserver <- resourceGroups/c1",
      "publicIPAddresses/pip-c1-node-natgw <- resourceGroups/c1",
      "networkSecurityGroups/c1-controlplane-nsg <- resourceGroups/c1",
      "networkSecurityGroups/c1-node-nsg <- resourceGroups/c1",
      "routeTables/c1-node-routetable <- resourceGroups/c1",
      "natGateways/c1-node-natgw <- resourceGroups/c1, publicIPAddresses/pip-c1-node-natgw",
      "virtualNetworks/c1-vnet <- resourceGroups/c1, networkSecurityGroups/c1-controlplane-nsg, routeTables/c1-node-routetable, networkSecurityGroups/c1-node-nsg, natGateways/c1-node-natgw",
      "loadBalancers/c1-public-lb <- resourceGroups/c1, publicIPAddresses/pip-c1-apiserver",
    ]);
    const resources = desiredResources(plan);
    for (const [index, { dependsOn }] of resources.entries()) {
      const before = new Set(resources.slice(0, index).map(({ id }) => id));
      for (const other of dependsOn) expect(before).toContain(other);
    }
  });

  test("of a private cluster have its load balancer in the subnet of the control plane", () => {
    const plan = planOf({
      networkSpec: { apiServerLB: { type: "Internal" }, controlPlaneOutboundLB: { frontendIPsCount: 2 } },
    });
    const balancer = found(plan, idOf("loadBalancers/c1-internal-lb"));
    expect(balancer?.dependsOn).toContain(idOf("virtualNetworks/c1-vnet"));
    expect(balancer?.body["properties"]).toMatchObject({
      frontendIPConfigurations: [
        {
          properties: {
            subnet: { id: idOf("virtualNetworks/c1-vnet/subnets/c1-controlplane-subnet") },
            privateIPAddress: "10.0.0.100",
          },
        },
      ],
      outboundRules: [],
    });
    expect(found(plan, idOf("loadBalancers/c1-outbound-lb"))?.body["properties"]).toMatchObject({
      outboundRules: [{ properties: { frontendIPConfigurations: [{}, {}] } }],
      loadBalancingRules: [],
    });
  });

  test("of a network in another group are in that group, and the other ones in the cluster's", () => {
    const plan = planOf({ networkSpec: { vnet: { name: "net", resourceGroup: "hub" } } });
    const groups = desiredResources(plan).map(({ id }) => `${id.split("/")[4]} ${id.split("/").at(-2)}`);
    expect(groups).toEqual([
      "c1 resourceGroups",
      "c1 publicIPAddresses",
      "c1 publicIPAddresses",
      "hub networkSecurityGroups",
      "hub networkSecurityGroups",
      "hub routeTables",
      "c1 natGateways",
      "hub virtualNetworks",
      "c1 loadBalancers",
    ]);
  });

  test("without a control plane have no load balancer and no inbound rule", () => {
    const plan = planOf({ controlPlaneEnabled: false });
    expect(listed(plan).some((line) => line.startsWith("loadBalancers"))).toBe(false);
    expect(found(plan, idOf("networkSecurityGroups/c1-node-nsg"))?.body["properties"]).toEqual({
      securityRules: [],
    });
  });

  test("peer in both directions", () => {
    const plan = planOf({
      networkSpec: { vnet: { name: "net", peerings: [{ remoteVnetName: "hub", resourceGroup: "hubs" }] } },
    });
    expect(
      desiredResources(plan)
        .filter(({ hasNoTags }) => hasNoTags)
        .map(({ id }) => id),
    ).toEqual([
      idOf("virtualNetworks/net/virtualNetworkPeerings/net-To-hub"),
      idOf("virtualNetworks/hub/virtualNetworkPeerings/hub-To-net", "hubs"),
    ]);
  });
});

describe("the API server", () => {
  const balancer = (plan: ClusterSpecView) =>
    found(plan, idOf("loadBalancers/c1-public-lb"))?.body["properties"];

  test("has a rule, a probe and an outbound rule, and the additional ports of the spec", () => {
    const plan = planOf(
      { networkSpec: { additionalAPIServerLBPorts: [{ name: "more", port: 8132 }] } },
      { apiServerPort: 443 },
    );
    expect(balancer(plan)).toMatchObject({
      loadBalancingRules: [
        {
          name: "LBRuleHTTPS",
          properties: { frontendPort: 443, backendPort: 443, disableOutboundSnat: true },
        },
        { name: "more", properties: { frontendPort: 8132 } },
      ],
      probes: [{ name: "HTTPSProbe", properties: { protocol: "Https", port: 443, requestPath: "/readyz" } }],
      outboundRules: [{ name: "OutboundNATAllProtocols", properties: { protocol: "All" } }],
    });
  });

  test.each([
    [undefined, "c1-d39b86e5.westeurope.cloudapp.azure.com"],
    ["Mine.westeurope.cloudapp.azure.com", "mine.westeurope.cloudapp.azure.com"],
  ])("is named %s: %s", (dnsName, fqdn) => {
    const publicIP = { name: "ip", ...(dnsName !== undefined && { dnsName }) };
    const plan = planOf({ networkSpec: { apiServerLB: { frontendIPs: [{ name: "f", publicIP }] } } });
    expect(found(plan, idOf("publicIPAddresses/ip"))?.body["properties"]).toMatchObject({
      dnsSettings: { fqdn, domainNameLabel: fqdn.split(".")[0] },
    });
  });

  test("has an address in all zones of the region, sent only at creation", () => {
    const address = found(planOf(), idOf("publicIPAddresses/pip-c1-apiserver"));
    expect(address?.atCreation).toMatchObject({ zones: ["1", "2"], sku: { name: "Standard" } });
    expect(address?.body).not.toHaveProperty("zones");
  });
});

describe("security groups", () => {
  const rules = (plan: ClusterSpecView, name: string): unknown => {
    const properties = found(plan, idOf(`networkSecurityGroups/${name}`))?.body["properties"];
    return isJsonObject(properties) ? properties["securityRules"] : undefined;
  };

  test("allow SSH and the API unless the spec has rules", () => {
    expect(rules(planOf(), "c1-controlplane-nsg")).toMatchObject([
      { name: "allow_ssh", properties: { priority: 2200, destinationPortRange: "22", access: "Allow" } },
      { name: "allow_apiserver", properties: { priority: 2201, destinationPortRange: "6443" } },
    ]);
  });

  test("have the rules of all subnets that share them, each once", () => {
    const rule = { description: "d", protocol: "*" as const, direction: "Inbound" as const, priority: 100 };
    const subnet = (name: string, ...names: string[]) => ({
      name,
      role: "node" as const,
      securityGroup: { name: "g", securityRules: names.map((one) => ({ ...rule, name: one })) },
    });
    const plan = planOf({ networkSpec: { subnets: [subnet("x", "a", "b"), subnet("y", "b", "c")] } });
    expect(rules(plan, "g")).toMatchObject([{ name: "a" }, { name: "b" }, { name: "c" }]);
  });
});
