/**
 * Sets the network of a cluster whose manifest does not describe one: names, ranges and load balancers are those that
 * CAPZ would choose, so that an existing cluster is recognized and not rebuilt.
 */
import type { CustomObject } from "../../kind.ts";
import type { Frozen } from "../../kubernetes/meta.ts";
import { deepCopy } from "../../values/deep-copy.ts";
import type { LoadBalancer } from "./load-balancer.ts";
import type { AzureClusterSpec, AzureClusterStatus, NetworkSpec } from "./schema.ts";
import type { Subnet } from "./subnet.ts";
import { PUBLIC_CLOUD } from "../cloud.ts";

type FrontendIP = NonNullable<LoadBalancer["frontendIPs"]>[number];
type Cluster = CustomObject<AzureClusterSpec, AzureClusterStatus>;

const IDLE_TIMEOUT_MINUTES = 4;
const INTERNAL_API_SERVER_ADDRESS = "10.0.0.100";

/** Sets the defaults of a cluster, beside its old state in an update. */
export function defaultAzureCluster(cluster: Cluster, old?: Frozen<Cluster>): void {
  const { spec } = cluster;
  const { name } = cluster.metadata;
  const resourceGroup = spec.resourceGroup || name;
  const network = spec.networkSpec ?? {};
  spec.resourceGroup = resourceGroup;
  spec.azureEnvironment ||= PUBLIC_CLOUD;
  spec.networkSpec = network;
  defaultVnet(network, name, resourceGroup);
  defaultBastion(spec, name);
  const withControlPlane = spec.controlPlaneEnabled !== false;
  keepSubnets(network.subnets, old?.spec.networkSpec?.subnets);
  defaultSubnets(network, name, withControlPlane);
  if (withControlPlane) {
    network.apiServerLB = defaultApiServerLB(network.apiServerLB ?? {}, name);
  } else {
    delete network.apiServerLB;
  }
  defaultOutboundLBs(network, name, withControlPlane);
}

function defaultVnet(network: NetworkSpec, cluster: string, resourceGroup: string): void {
  const vnet = network.vnet ?? { name: "" };
  vnet.name ||= `${cluster}-vnet`;
  vnet.resourceGroup ||= resourceGroup;
  vnet.cidrBlocks = withFallback(vnet.cidrBlocks, "10.0.0.0/8");
  for (const peering of vnet.peerings ?? []) {
    peering.resourceGroup ||= resourceGroup;
  }
  network.vnet = vnet;
}

function defaultBastion(spec: AzureClusterSpec, cluster: string): void {
  const bastion = spec.bastionSpec?.azureBastion;
  if (!bastion) {
    return;
  }
  bastion.name ||= `${cluster}-azure-bastion`;
  const subnet = bastion.subnet ?? { name: "", role: "bastion" };
  subnet.name ||= "AzureBastionSubnet"; // Azure accepts no other name for it.
  subnet.cidrBlocks = withFallback(subnet.cidrBlocks, "10.255.255.224/27");
  bastion.subnet = subnet;
  bastion.publicIP ??= { name: `${cluster}-azure-bastion-pip` };
}

/**
 * Keeps the ids that the controller wrote. kubectl replaces lists of custom kinds as a whole, so each apply of the manifest would
 * remove them. A subnet with an id gets no NAT gateway by default: it keeps the one that it had.
 */
function keepSubnets(subnets: readonly Subnet[] = [], old: readonly Frozen<Subnet>[] = []): void {
  for (const subnet of subnets) {
    const before = old.find(({ name }) => name === subnet.name);
    if (before && subnet.id === undefined) keepSubnet(subnet, before);
  }
}

function keepSubnet(subnet: Subnet, { id, natGateway }: Frozen<Subnet>): void {
  const isOtherGateway = subnet.natGateway !== undefined && subnet.natGateway.name !== natGateway?.name;
  if (id === undefined || isOtherGateway) return;
  subnet.id = id;
  if (natGateway)
    subnet.natGateway = { ...deepCopy<NonNullable<Subnet["natGateway"]>>(natGateway), ...subnet.natGateway };
}

function defaultSubnets(network: NetworkSpec, cluster: string, withControlPlane: boolean): void {
  const subnets = network.subnets ?? [];
  network.subnets = subnets;
  const shared = subnets.some((subnet) => subnet.role === "cluster");
  if (withControlPlane && !shared && !subnets.some((subnet) => subnet.role === "control-plane")) {
    subnets.push({ role: "control-plane", name: `${cluster}-controlplane-subnet` });
  }
  if (!shared && !subnets.some((subnet) => subnet.role === "node")) {
    subnets.push({
      role: "node",
      name: `${cluster}-node-subnet`,
      natGateway: { name: `${cluster}-node-natgw` },
    });
  }
  let nodeSubnets = 0;
  for (const subnet of subnets) {
    nodeSubnets += subnet.role === "node" ? 1 : 0;
    defaultSubnet(subnet, cluster, nodeSubnets);
  }
  shareRouteTable(subnets);
}

function defaultSubnet(subnet: Subnet, cluster: string, nodeSubnetNumber: number): void {
  switch (subnet.role) {
    case "control-plane":
      subnet.cidrBlocks = withFallback(subnet.cidrBlocks, "10.0.0.0/16");
      subnet.securityGroup ??= { name: `${cluster}-controlplane-nsg` };
      return;
    case "node":
      subnet.cidrBlocks = withFallback(subnet.cidrBlocks, `10.${nodeSubnetNumber}.0.0/16`);
      subnet.securityGroup ??= { name: `${cluster}-node-nsg` };
      subnet.routeTable ??= { name: `${cluster}-node-routetable` };
      defaultNatGateway(subnet, `${cluster}-node-natgw-${nodeSubnetNumber}`);
      return;
    case "cluster":
      subnet.cidrBlocks = withFallback(subnet.cidrBlocks, "10.0.0.0/16");
      subnet.securityGroup ??= { name: `${cluster}-nsg` };
      subnet.routeTable ??= { name: `${cluster}-routetable` };
      defaultNatGateway(subnet, `${cluster}-natgw`);
      return;
    case "bastion":
      return;
  }
}

/** An existing subnet keeps its outbound connection; a NAT gateway has no IPv6 addresses. */
function defaultNatGateway(subnet: Subnet, name: string): void {
  if (subnet.id || hasIPv6(subnet)) {
    return;
  }
  const gateway = subnet.natGateway ?? { name };
  gateway.ip ??= { name: `pip-${gateway.name}` };
  subnet.natGateway = gateway;
}

/** The cloud provider writes pod routes into one table; the control plane must use it to reach pods on nodes. */
function shareRouteTable(subnets: readonly Subnet[]): void {
  const source = subnets.find((subnet) => subnet.role === "node" || subnet.role === "cluster");
  const name = source?.routeTable?.name;
  for (const subnet of subnets) {
    if (subnet.role === "control-plane" && name) {
      subnet.routeTable ??= { name };
    }
  }
}

function defaultApiServerLB(balancer: LoadBalancer, cluster: string): LoadBalancer {
  const type = balancer.type || "Public";
  const name = balancer.name || `${cluster}-${type === "Public" ? "public" : "internal"}-lb`;
  const given = balancer.frontendIPs ?? [];
  return {
    ...balancer,
    type,
    name,
    sku: balancer.sku || "Standard",
    idleTimeoutInMinutes: balancer.idleTimeoutInMinutes ?? IDLE_TIMEOUT_MINUTES,
    frontendIPs:
      given.length > 0 ? given : [{ name: `${name}-frontEnd`, ...apiServerAddress(type, cluster) }],
    backendPool: { name: balancer.backendPool?.name || `${name}-backendPool` },
  };
}

function apiServerAddress(type: string, cluster: string): Pick<FrontendIP, "publicIP" | "privateIP"> {
  return type === "Public"
    ? { publicIP: { name: `pip-${cluster}-apiserver` } }
    : { privateIP: INTERNAL_API_SERVER_ADDRESS };
}

function defaultOutboundLBs(network: NetworkSpec, cluster: string, withControlPlane: boolean): void {
  const nodesNeedOne = (network.subnets ?? []).some(
    (subnet) => (subnet.role === "node" || subnet.role === "cluster") && hasIPv6(subnet),
  );
  if (nodesNeedOne && withControlPlane && network.apiServerLB?.type !== "Internal") {
    network.nodeOutboundLB ??= {};
  }
  if (network.nodeOutboundLB) {
    defaultOutboundLB(network.nodeOutboundLB, cluster, `pip-${cluster}-node-outbound`);
  }
  if (network.controlPlaneOutboundLB && withControlPlane) {
    const name = `${cluster}-outbound-lb`;
    defaultOutboundLB(network.controlPlaneOutboundLB, name, `pip-${cluster}-controlplane-outbound`);
  }
}

function defaultOutboundLB(balancer: LoadBalancer, defaultName: string, addressName: string): void {
  const name = balancer.name || defaultName;
  const count = balancer.frontendIPsCount ?? 1;
  const suffix = (index: number): string => (count > 1 ? `-${index + 1}` : "");
  balancer.name = name;
  balancer.type = "Public";
  balancer.sku = "Standard";
  balancer.idleTimeoutInMinutes ??= IDLE_TIMEOUT_MINUTES;
  balancer.frontendIPsCount = count;
  // Validation refuses a larger count; here it only must not exhaust memory.
  balancer.frontendIPs = Array.from({ length: Math.min(Math.max(count, 0), 16) }, (_, index) => ({
    name: `${name}-frontEnd${suffix(index)}`,
    publicIP: { name: `${addressName}${suffix(index)}` },
  }));
  balancer.backendPool = { name: balancer.backendPool?.name || `${name}-outboundBackendPool` };
}

function hasIPv6(subnet: Subnet): boolean {
  return (subnet.cidrBlocks ?? []).some((block) => block.includes(":"));
}

function withFallback(blocks: string[] | undefined, fallback: string): string[] {
  return blocks?.length ? blocks : [fallback];
}
