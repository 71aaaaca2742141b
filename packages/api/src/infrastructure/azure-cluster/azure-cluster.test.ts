import { describe, expect, test } from "vitest";
import { withDefaults } from "../../admission.ts";
import { formatFieldError } from "../../values/field-error.ts";
import { AzureCluster } from "./azure-cluster.ts";
import type { LoadBalancer } from "./load-balancer.ts";
import type { NetworkSpec } from "./schema.ts";
import type { Subnet } from "./subnet.ts";

type Spec = AzureCluster["spec"];

const cluster = (spec: Partial<Spec> = {}, name = "c1"): AzureCluster => ({
  apiVersion: AzureCluster.apiVersion,
  kind: AzureCluster.kind,
  metadata: { name, namespace: "default" },
  spec: {
    location: "westeurope",
    controlPlaneEnabled: true,
    identityRef: { apiVersion: AzureCluster.apiVersion, kind: "AzureClusterIdentity", name: "id" },
    ...spec,
  },
});
const admitted = (spec: Partial<Spec> = {}): AzureCluster => withDefaults(AzureCluster, cluster(spec));
const network = (networkSpec: NetworkSpec): AzureCluster => admitted({ networkSpec });
const subnets = (...list: Subnet[]): AzureCluster => network({ subnets: list });

/** A cluster with two subnets, the second with the given changes. */
const nodeSubnet = (node: Partial<Subnet>): AzureCluster =>
  subnets({ name: "cp", role: "control-plane" }, { name: "nodes", role: "node", ...node });

const errors = (object: AzureCluster, old?: AzureCluster): string[] =>
  AzureCluster.validate({ object, ...(old && { old }) }).map(formatFieldError);

describe("defaults of a cluster", () => {
  test("describe the whole network as CAPZ would", () => {
    const { spec } = admitted();
    expect(spec).toMatchObject({ resourceGroup: "c1", azureEnvironment: "AzurePublicCloud" });
    expect(spec.networkSpec).toEqual({
      vnet: { name: "c1-vnet", resourceGroup: "c1", cidrBlocks: ["10.0.0.0/8"] },
      subnets: [
        {
          name: "c1-controlplane-subnet",
          role: "control-plane",
          cidrBlocks: ["10.0.0.0/16"],
          securityGroup: { name: "c1-controlplane-nsg" },
          routeTable: { name: "c1-node-routetable" },
        },
        {
          name: "c1-node-subnet",
          role: "node",
          cidrBlocks: ["10.1.0.0/16"],
          securityGroup: { name: "c1-node-nsg" },
          routeTable: { name: "c1-node-routetable" },
          natGateway: { name: "c1-node-natgw", ip: { name: "pip-c1-node-natgw" } },
        },
      ],
      apiServerLB: {
        name: "c1-public-lb",
        type: "Public",
        sku: "Standard",
        idleTimeoutInMinutes: 4,
        frontendIPs: [{ name: "c1-public-lb-frontEnd", publicIP: { name: "pip-c1-apiserver" } }],
        backendPool: { name: "c1-public-lb-backendPool" },
      },
    });
  });

  test("keep the ids of subnets that a manifest, applied again, does not have", () => {
    const manifest = cluster({ networkSpec: { subnets: [{ name: "a", role: "node" }] } });
    const old = withDefaults(AzureCluster, manifest);
    const [written] = old.spec.networkSpec?.subnets ?? [];
    Object.assign(written ?? {}, { id: "/subnets/a" });
    const { networkSpec } = withDefaults(AzureCluster, manifest, old).spec;
    expect(networkSpec?.subnets?.[0]).toEqual(written);
    expect(written?.natGateway?.ip).toEqual({ name: "pip-c1-node-natgw-1" });
  });

  test("do not give an existing subnet another way out when a manifest leaves out its id", () => {
    const existing: Subnet = { name: "a", role: "node", id: "/subnets/a" };
    const old = withDefaults(AzureCluster, cluster({ networkSpec: { subnets: [existing] } }));
    const manifest = cluster({ networkSpec: { subnets: [{ name: "a", role: "node" }] } });
    const [subnet] = withDefaults(AzureCluster, manifest, old).spec.networkSpec?.subnets ?? [];
    expect([subnet?.id, subnet?.natGateway]).toEqual(["/subnets/a", undefined]);
  });

  test("take another gateway from a manifest, with a new address", () => {
    const old = withDefaults(
      AzureCluster,
      cluster({ networkSpec: { subnets: [{ name: "a", role: "node" }] } }),
    );
    const natGateway = { name: "other" };
    const manifest = cluster({ networkSpec: { subnets: [{ name: "a", role: "node", natGateway }] } });
    const [subnet] = withDefaults(AzureCluster, manifest, old).spec.networkSpec?.subnets ?? [];
    expect(subnet?.natGateway).toEqual({ name: "other", ip: { name: "pip-other" } });
  });

  test("number the ranges and gateways of several node subnets", () => {
    const { networkSpec } = subnets(
      { name: "a", role: "node" },
      { name: "b", role: "node", routeTable: { name: "mine" } },
    ).spec;
    expect(networkSpec?.subnets).toMatchObject([
      { name: "a", cidrBlocks: ["10.1.0.0/16"], natGateway: { name: "c1-node-natgw-1" } },
      {
        name: "b",
        cidrBlocks: ["10.2.0.0/16"],
        natGateway: { name: "c1-node-natgw-2" },
        routeTable: { name: "mine" },
      },
      { name: "c1-controlplane-subnet", routeTable: { name: "c1-node-routetable" } },
    ]);
  });

  test("need no other subnet beside one for the whole cluster", () => {
    expect(subnets({ name: "all", role: "cluster" }).spec.networkSpec?.subnets).toEqual([
      {
        name: "all",
        role: "cluster",
        cidrBlocks: ["10.0.0.0/16"],
        securityGroup: { name: "c1-nsg" },
        routeTable: { name: "c1-routetable" },
        natGateway: { name: "c1-natgw", ip: { name: "pip-c1-natgw" } },
      },
    ]);
  });

  test("do not change the outbound connection of an existing subnet", () => {
    const { networkSpec } = subnets({ name: "a", role: "node", id: "/there" }).spec;
    expect(networkSpec?.subnets?.[0]).not.toHaveProperty("natGateway");
  });

  test("give IPv6 nodes an outbound load balancer instead of a NAT gateway", () => {
    const { networkSpec } = subnets({
      name: "a",
      role: "node",
      cidrBlocks: ["10.1.0.0/16", "fd00::/64"],
    }).spec;
    expect(networkSpec?.subnets?.[0]).not.toHaveProperty("natGateway");
    expect(networkSpec?.nodeOutboundLB).toEqual({
      name: "c1",
      type: "Public",
      sku: "Standard",
      idleTimeoutInMinutes: 4,
      frontendIPsCount: 1,
      frontendIPs: [{ name: "c1-frontEnd", publicIP: { name: "pip-c1-node-outbound" } }],
      backendPool: { name: "c1-outboundBackendPool" },
    });
  });

  test("give a private cluster an internal address and the requested number of outbound addresses", () => {
    const { networkSpec } = network({
      apiServerLB: { type: "Internal" },
      controlPlaneOutboundLB: { frontendIPsCount: 2 },
    }).spec;
    expect(networkSpec?.apiServerLB).toMatchObject({
      name: "c1-internal-lb",
      frontendIPs: [{ name: "c1-internal-lb-frontEnd", privateIP: "10.0.0.100" }],
    });
    expect(networkSpec?.controlPlaneOutboundLB?.frontendIPs).toEqual([
      { name: "c1-outbound-lb-frontEnd-1", publicIP: { name: "pip-c1-controlplane-outbound-1" } },
      { name: "c1-outbound-lb-frontEnd-2", publicIP: { name: "pip-c1-controlplane-outbound-2" } },
    ]);
  });

  test("create no load balancer for a control plane elsewhere", () => {
    const { networkSpec } = admitted({ controlPlaneEnabled: false, networkSpec: { apiServerLB: {} } }).spec;
    expect(networkSpec).not.toHaveProperty("apiServerLB");
    expect(networkSpec?.subnets?.map((subnet) => subnet.role)).toEqual(["node"]);
  });

  test("complete a bastion and peerings", () => {
    const { spec } = admitted({
      bastionSpec: { azureBastion: { sku: "Basic" } },
      networkSpec: { vnet: { name: "v", peerings: [{ remoteVnetName: "hub" }] } },
    });
    expect(spec.bastionSpec?.azureBastion).toMatchObject({
      name: "c1-azure-bastion",
      subnet: { name: "AzureBastionSubnet", role: "bastion", cidrBlocks: ["10.255.255.224/27"] },
      publicIP: { name: "c1-azure-bastion-pip" },
    });
    expect(spec.networkSpec?.vnet?.peerings).toEqual([{ remoteVnetName: "hub", resourceGroup: "c1" }]);
  });

  test.each<Partial<Spec>>([
    {},
    { networkSpec: { apiServerLB: { type: "Internal" }, controlPlaneOutboundLB: { frontendIPsCount: 3 } } },
    { networkSpec: { subnets: [{ name: "a", role: "node", cidrBlocks: ["10.3.0.0/16"] }] } },
    { bastionSpec: { azureBastion: {} }, controlPlaneEnabled: false },
  ])("are accepted, and change nothing the second time: %j", (spec) => {
    const once = admitted(spec);
    expect(errors(once)).toEqual([]);
    expect(withDefaults(AzureCluster, once)).toEqual(once);
    expect(errors(once, once)).toEqual([]);
  });
});

describe("a cluster is rejected", () => {
  const SUBNET = "spec.networkSpec.subnets[1]";
  const rule = { name: "r", description: "d", protocol: "Tcp", direction: "Inbound" } as const;
  const endpoint = (locations: string[], service = "Microsoft.Storage") =>
    nodeSubnet({ serviceEndpoints: [{ service, locations }] });

  test.each<[string, AzureCluster, string]>([
    [
      "with a name that machines cannot start with",
      cluster({ networkSpec: admitted().spec.networkSpec ?? {} }, "C1"),
      `metadata.name: Invalid value: "C1": must be 1 to 44 lower-case letters, digits or '-', and start and end with a letter or digit`,
    ],
    [
      "in a sovereign cloud",
      admitted({ azureEnvironment: "AzureChinaCloud" }),
      'spec.azureEnvironment: Unsupported value: "AzureChinaCloud": supported values: "AzurePublicCloud"',
    ],
    [
      "in an edge zone",
      admitted({ extendedLocation: { name: "x", type: "EdgeZone" } }),
      "spec.extendedLocation: Forbidden: edge zones are not supported yet",
    ],
    [
      "with an invalid subscription",
      admitted({ subscriptionID: "mine" }),
      'spec.subscriptionID: Invalid value: "mine": must be a subscription id, a GUID',
    ],
    [
      "with another kind of identity",
      admitted({ identityRef: { kind: "Secret", name: "x" } }),
      'spec.identityRef.kind: Unsupported value: "Secret": supported values: "AzureClusterIdentity"',
    ],
    [
      "with an identity without a name",
      admitted({ identityRef: { kind: "AzureClusterIdentity" } }),
      "spec.identityRef.name: Required value: the name of the AzureClusterIdentity",
    ],
    [
      "with an invalid network range",
      network({ vnet: { name: "v", cidrBlocks: ["10.0.0.0/8", "10.0.0.0"] } }),
      'spec.networkSpec.vnet.cidrBlocks[1]: Invalid value: "10.0.0.0": must be a CIDR block, such as 10.0.0.0/16 or fd00::/64',
    ],
    [
      "with the same peering twice",
      network({ vnet: { name: "v", peerings: [{ remoteVnetName: "a" }, { remoteVnetName: "a" }] } }),
      'spec.networkSpec.vnet.peerings[1]: Duplicate value: "c1/a"',
    ],
    [
      "with an invalid subnet range",
      nodeSubnet({ cidrBlocks: ["x"] }),
      `${SUBNET}.cidrBlocks[0]: Invalid value: "x": must be a CIDR block, such as 10.0.0.0/16 or fd00::/64`,
    ],
    [
      "with a subnet outside its network",
      nodeSubnet({ cidrBlocks: ["192.168.0.0/16"] }),
      `${SUBNET}.cidrBlocks[0]: Invalid value: "192.168.0.0/16": must lie in an address range of the virtual network`,
    ],
    [
      "with a subnet that overlaps another",
      nodeSubnet({ cidrBlocks: ["10.0.128.0/17"] }),
      `${SUBNET}.cidrBlocks[0]: Invalid value: "10.0.128.0/17": must not overlap with subnet "cp"`,
    ],
    [
      "with a gateway whose name Azure refuses",
      nodeSubnet({ natGateway: { name: "way out" } }),
      `${SUBNET}.natGateway.name: Invalid value: "way out": must be 1 to 80 letters, digits, '-', '_' or '.', start with a letter, digit or '_' and not end with '-' or '.'`,
    ],
    [
      "with two rules of one priority",
      nodeSubnet({
        securityGroup: {
          name: "g",
          securityRules: [
            { ...rule, priority: 100 },
            { ...rule, name: "again", priority: 100 },
          ],
        },
      }),
      `${SUBNET}.securityGroup.securityRules[1].priority: Duplicate value: 100`,
    ],
    [
      "with a tag that Azure refuses",
      admitted({ additionalTags: { "a/b": "c" } }),
      `spec.additionalTags: Invalid value: "a/b": the name of a tag has 1 to 512 characters, none of them < > % & \\ ? or /`,
    ],
    [
      "with a tag that is too long",
      admitted({ additionalTags: { team: "x".repeat(257) } }),
      `spec.additionalTags[team]: Invalid value: "${"x".repeat(257)}": must have at most 256 characters, not 257`,
    ],
    [
      "with more tags than Azure allows",
      admitted({ additionalTags: Object.fromEntries(Array.from({ length: 48 }, (_, i) => [`t${i}`, ""])) }),
      "spec.additionalTags: Invalid value: 48: must be at most 42: Azure allows 50, and Capstan uses 8",
    ],
    [
      "with a rule without priority",
      nodeSubnet({ securityGroup: { name: "g", securityRules: [rule] } }),
      `${SUBNET}.securityGroup.securityRules[0].priority: Invalid value: null: must be between 100 and 4096`,
    ],
    [
      "with a rule with two kinds of sources",
      nodeSubnet({
        securityGroup: {
          name: "g",
          securityRules: [{ ...rule, priority: 100, source: "*", sources: ["*"] }],
        },
      }),
      `${SUBNET}.securityGroup.securityRules[0].sources: Forbidden: source is set as well; use one of them`,
    ],
    [
      "with an invalid service",
      endpoint(["*"], "Storage"),
      `${SUBNET}.serviceEndpoints[0].service: Invalid value: "Storage": must be a service such as Microsoft.Storage`,
    ],
    [
      "with a service without regions",
      endpoint([]),
      `${SUBNET}.serviceEndpoints[0].locations: Required value: at least one region, or *`,
    ],
    [
      "with a service in a region twice",
      endpoint(["westus2", "westus2"]),
      `${SUBNET}.serviceEndpoints[0].locations[1]: Duplicate value: "westus2"`,
    ],
    [
      "with a private endpoint without a service",
      nodeSubnet({ privateEndpoints: [{ name: "e" }] }),
      `${SUBNET}.privateEndpoints[0].privateLinkServiceConnections: Required value: at least one service to connect to`,
    ],
    [
      "with a tunnel through a basic bastion",
      admitted({ bastionSpec: { azureBastion: { sku: "Basic", enableTunneling: true } } }),
      'spec.bastionSpec.azureBastion.sku: Invalid value: "Basic": must be Standard when enableTunneling is true',
    ],
    [
      "with a private zone although it is public",
      network({ privateDNSZoneName: "a.example" }),
      "spec.networkSpec.privateDNSZoneName: Forbidden: only a cluster whose apiServerLB is Internal has one",
    ],
    [
      "with the resource group of a missing zone",
      network({ privateDNSZoneResourceGroup: "rg" }),
      "spec.networkSpec.privateDNSZoneResourceGroup: Forbidden: needs privateDNSZoneName",
    ],
    [
      "with an invalid zone name",
      network({ apiServerLB: { type: "Internal" }, privateDNSZoneName: "a b" }),
      'spec.networkSpec.privateDNSZoneName: Invalid value: "a b": must be a DNS name such as example.internal',
    ],
  ])("%s", (_, object, message) => {
    expect(errors(object)).toEqual([message]);
  });

  test("without an identity", () => {
    const { identityRef: _, ...spec } = admitted().spec;
    expect(errors({ ...cluster(), spec })).toEqual([
      "spec.identityRef: Required value: the AzureClusterIdentity to use",
    ]);
  });

  test("without the subnets it needs", () => {
    const object = admitted();
    object.spec.networkSpec = { ...object.spec.networkSpec, subnets: [] };
    expect(errors(object)).toEqual([
      "spec.networkSpec.subnets: Required value: a subnet with role control-plane, or one with role cluster",
      "spec.networkSpec.subnets: Required value: a subnet with role node, or one with role cluster",
    ]);
  });
});

describe("load balancers are rejected", () => {
  const LB = "spec.networkSpec.apiServerLB";
  const apiServer = (apiServerLB: LoadBalancer): AzureCluster => network({ apiServerLB });
  const frontend = (name: string, privateIP?: string) => ({
    name,
    ...(privateIP !== undefined && { privateIP }),
  });

  test.each<[string, AzureCluster, string[]]>([
    [
      "of another tier",
      apiServer({ sku: "Basic" }),
      [`${LB}.sku: Unsupported value: "Basic": supported values: "Standard"`],
    ],
    [
      "with too short an idle timeout",
      apiServer({ idleTimeoutInMinutes: 3 }),
      [`${LB}.idleTimeoutInMinutes: Invalid value: 3: must be between 4 and 30`],
    ],
    [
      "without the address they need",
      apiServer({ frontendIPs: [frontend("a")] }),
      [`${LB}.frontendIPs: Invalid value: [{"name":"a"}]: must have exactly one public address`],
    ],
    [
      "that are internal and have an address elsewhere",
      apiServer({ type: "Internal", frontendIPs: [frontend("a", "10.9.0.1")] }),
      [`${LB}.frontendIPs[0].privateIP: Invalid value: "10.9.0.1": must lie in the subnet, 10.0.0.0/16`],
    ],
    [
      "that are internal and have an invalid address",
      apiServer({ type: "Internal", frontendIPs: [frontend("a", "here")] }),
      [`${LB}.frontendIPs[0].privateIP: Invalid value: "here": must be an IPv4 or IPv6 address`],
    ],
    [
      "that are internal and public",
      apiServer({
        type: "Internal",
        frontendIPs: [{ name: "a", publicIP: { name: "p" }, privateIP: "10.0.0.9" }],
      }),
      [`${LB}.frontendIPs[0].publicIP: Forbidden: an Internal load balancer has no public address`],
    ],
    [
      "that are public and internal",
      apiServer({ frontendIPs: [{ name: "a", publicIP: { name: "p" }, privateIP: "10.0.0.9" }] }),
      [`${LB}.frontendIPs[0].privateIP: Forbidden: a Public load balancer has no private address`],
    ],
    [
      "for the outbound traffic of a public control plane",
      network({ controlPlaneOutboundLB: {} }),
      [
        "spec.networkSpec.controlPlaneOutboundLB: Forbidden: only a cluster whose apiServerLB is Internal has one",
      ],
    ],
    [
      "with more addresses than Azure allows",
      network({ nodeOutboundLB: { frontendIPsCount: 17 } }),
      ["spec.networkSpec.nodeOutboundLB.frontendIPsCount: Invalid value: 17: must be between 0 and 16"],
    ],
  ])("%s", (_, object, messages) => {
    expect(errors(object)).toEqual(messages);
  });

  test("of no known type", () => {
    expect(errors(apiServer({ type: "Secret" }))).toEqual([
      `${LB}.type: Unsupported value: "Secret": supported values: "Public", "Internal"`,
    ]);
  });
});

describe("a running cluster", () => {
  const NEW = "the cluster is built on it; create a new cluster";

  test("may get an endpoint, tags and another subnet", () => {
    const old = admitted();
    const changed = structuredClone(old);
    changed.spec.controlPlaneEndpoint = { host: "c1.example", port: 6443 };
    changed.spec.additionalTags = { a: "b" };
    changed.spec.networkSpec?.subnets?.push({ name: "more", role: "node" });
    expect(errors(withDefaults(AzureCluster, changed), old)).toEqual([]);
  });

  test.each<[Partial<Spec>, Partial<Spec>, string]>([
    [
      {},
      { location: "eastus" },
      `spec.location: Forbidden: cannot change from "westeurope" to "eastus": ${NEW}`,
    ],
    [
      { resourceGroup: "a" },
      { resourceGroup: "b" },
      `spec.resourceGroup: Forbidden: cannot change from "a" to "b": ${NEW}`,
    ],
    [
      { controlPlaneEndpoint: { host: "a", port: 6443 } },
      { controlPlaneEndpoint: { host: "b", port: 6443 } },
      `spec.controlPlaneEndpoint.host: Forbidden: cannot change from "a" to "b": ${NEW}`,
    ],
  ])("keeps immutable fields: %j, then %j", (before, after, message) => {
    const old = admitted(before);
    const changed = { ...old, spec: { ...old.spec, ...after } };
    expect(errors(changed, old)).toEqual([message]);
  });

  test("is not stopped by a bastion, which Capstan cannot create yet", () => {
    const old = admitted();
    const changed = { ...old, spec: { ...old.spec, bastionSpec: { azureBastion: {} } } };
    const refusal =
      "spec.bastionSpec.azureBastion: Forbidden: Azure Bastion hosts are not supported yet; remove it";
    expect(errors(changed, old)).toEqual([refusal]);
    expect(errors(changed, changed)).toEqual([]);
    expect(errors(changed)).toEqual([]);
  });

  test("keeps the network that its machines are in", () => {
    const old = network({ vnet: { name: "v", resourceGroup: "a" } });
    const changed = network({ vnet: { name: "w", resourceGroup: "b" } });
    expect(errors(changed, old)).toEqual([]);
    const built = { ...old, status: { initialization: { provisioned: true } } };
    expect(errors(changed, built)).toEqual([
      `spec.networkSpec.vnet.name: Forbidden: cannot change from "v" to "w": ${NEW}`,
      `spec.networkSpec.vnet.resourceGroup: Forbidden: cannot change from "a" to "b": ${NEW}`,
    ]);
  });

  test("keeps the names of the resources around its subnets, and the ranges of its own network", () => {
    const tags = { "sigs.k8s.io_cluster-api-provider-azure_cluster_c1": "owned" };
    const old = network({ vnet: { name: "v", tags } });
    const changed = structuredClone(old);
    const [first] = changed.spec.networkSpec?.subnets ?? [];
    Object.assign(first ?? {}, { cidrBlocks: ["10.9.0.0/16"], routeTable: { name: "other" } });
    const at = "spec.networkSpec.subnets[0]";
    expect(errors(changed, old)).toEqual([
      `${at}.routeTable.name: Forbidden: cannot change from "c1-node-routetable": ${NEW}`,
      `${at}.cidrBlocks: Forbidden: cannot change from ["10.0.0.0/16"]: ${NEW}`,
    ]);
  });

  test("accepts new ranges of a network that it does not own", () => {
    const range = (block: string) =>
      network({ subnets: [{ name: "nodes", role: "node", cidrBlocks: [block] }] });
    expect(errors(range("10.8.0.0/16"), range("10.9.0.0/16"))).toEqual([]);
  });

  test("keeps its load balancer, but may have more outbound addresses", () => {
    const outbound = (frontendIPsCount: number) => network({ nodeOutboundLB: { frontendIPsCount } });
    expect(errors(outbound(2), outbound(1))).toEqual([]);
    const renamed = network({ apiServerLB: { name: "other" } });
    expect(errors(renamed, admitted())).toEqual([
      'spec.networkSpec.apiServerLB.name: Forbidden: cannot change from "c1-public-lb" to "other": Azure cannot change it on a load balancer in use; create a new cluster',
    ]);
  });
});
