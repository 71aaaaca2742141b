import {
  backendPoolOf,
  clusterGroupOf,
  type ClusterSpecView,
  groupID,
  locationOf,
  networkID,
  subnetID,
  tagSourceOf,
  virtualNetworkID,
} from "../../../azure-cluster/spec-view.ts";
import type { Frozen, JsonObject, LoadBalancer } from "@capstan/api";
import { type DesiredResource } from "./resource.ts";
import { tagsOf } from "@capstan/plan";

type Balancer = Frozen<LoadBalancer>;

interface PlacedBalancer {
  readonly balancer: Balancer;
  readonly name: string;
  readonly field: string;
  readonly role: "apiserver" | "nodeOutbound" | "controlPlaneOutbound";
}

// CAPZ's names, by which machines and the cloud provider find them.
const HTTPS_RULE = "LBRuleHTTPS";
const HTTPS_PROBE = "HTTPSProbe";
const OUTBOUND_RULE = "OutboundNATAllProtocols";

/** The load balancers of the API server and of outbound traffic. */
export function desiredLoadBalancers(plan: ClusterSpecView): readonly DesiredResource[] {
  const { apiServerLB, nodeOutboundLB, controlPlaneOutboundLB } = plan.spec.networkSpec ?? {};
  return [
    ...placed(apiServerLB, "apiServerLB", "apiserver"),
    ...placed(nodeOutboundLB, "nodeOutboundLB", "nodeOutbound"),
    ...placed(controlPlaneOutboundLB, "controlPlaneOutboundLB", "controlPlaneOutbound"),
  ].map((one) => loadBalancer(plan, one));
}

/** The id of the API server's load balancer; undefined when the control plane is external. */
export function apiServerBalancerID(plan: ClusterSpecView): string | undefined {
  const name = plan.spec.networkSpec?.apiServerLB?.name;
  return name === undefined ? undefined : networkID(plan, `loadBalancers/${name}`);
}

function placed(
  balancer: Balancer | undefined,
  field: string,
  role: PlacedBalancer["role"],
): PlacedBalancer[] {
  const { name, frontendIPs = [] } = balancer ?? {};
  if (!balancer || !name || frontendIPs.length === 0) return [];
  return [{ balancer, name, field: `spec.networkSpec.${field}`, role }];
}

function loadBalancer(plan: ClusterSpecView, one: PlacedBalancer): DesiredResource {
  const { balancer, name, field, role } = one;
  const id = networkID(plan, `loadBalancers/${name}`);
  const frontends = (balancer.frontendIPs ?? []).map((frontend) => frontendBody(plan, balancer, frontend));
  const pool = backendPoolOf(name, balancer);
  const parts: Parts = {
    frontends: frontends.map(({ name: frontend }) => ({ id: `${id}/frontendIPConfigurations/${frontend}` })),
    pool: { id: `${id}/backendAddressPools/${pool}` },
    probe: { id: `${id}/probes/${HTTPS_PROBE}` },
    idleTimeoutInMinutes: balancer.idleTimeoutInMinutes,
  };
  return {
    id,
    conditions: ["LoadBalancersReady"],
    field,
    body: {
      tags: tagsOf(tagSourceOf(plan), role),
      properties: {
        frontendIPConfigurations: frontends,
        backendAddressPools: [{ name: pool }],
        loadBalancingRules: role === "apiserver" ? balancingRules(plan, parts) : [],
        probes: role === "apiserver" ? [probe(plan)] : [],
        outboundRules: balancer.type === "Internal" ? [] : [outboundRule(parts)],
      },
    },
    atCreation: { location: locationOf(plan), sku: { name: balancer.sku ?? "Standard" } },
    dependsOn: [groupID(plan, clusterGroupOf(plan)), ...usedBy(plan, balancer)],
    ifForeign: "refuse",
    ...(role !== "apiserver" && { retired: { frontendIPConfigurations: retiredFrontends(name, frontends) } }),
  };
}

type Frontend = NonNullable<Balancer["frontendIPs"]>[number];

function frontendBody(
  plan: ClusterSpecView,
  { type, availabilityZones }: Balancer,
  { name, publicIP, privateIP }: Frontend,
): { readonly name: string } & JsonObject {
  if (type !== "Internal") {
    const id = networkID(plan, `publicIPAddresses/${publicIP?.name ?? ""}`);
    return { name, properties: { publicIPAddress: { id } } };
  }
  return {
    name,
    ...(availabilityZones && { zones: availabilityZones }),
    properties: {
      subnet: { id: subnetID(plan, controlPlaneSubnetOf(plan)) },
      privateIPAllocationMethod: "Static",
      privateIPAddress: privateIP,
    },
  };
}

function controlPlaneSubnetOf({ spec }: ClusterSpecView): string {
  const subnets = spec.networkSpec?.subnets ?? [];
  return subnets.find(({ role }) => role === "control-plane" || role === "cluster")?.name ?? "";
}

function usedBy(plan: ClusterSpecView, { type, frontendIPs = [] }: Balancer): readonly string[] {
  if (type === "Internal") return [virtualNetworkID(plan) ?? ""];
  return frontendIPs.flatMap(({ publicIP }) =>
    publicIP ? [networkID(plan, `publicIPAddresses/${publicIP.name}`)] : [],
  );
}

interface Parts {
  readonly frontends: readonly { readonly id: string }[];
  readonly pool: { readonly id: string };
  readonly probe: { readonly id: string };
  readonly idleTimeoutInMinutes: number | undefined;
}

function balancingRules(plan: ClusterSpecView, parts: Parts): readonly JsonObject[] {
  const more = plan.spec.networkSpec?.additionalAPIServerLBPorts ?? [];
  return [{ name: HTTPS_RULE, port: plan.apiServerPort }, ...more].map(({ name, port }) => ({
    name,
    properties: {
      // Outbound traffic has its own rule, so that its addresses do not depend on this one.
      disableOutboundSnat: true,
      protocol: "Tcp",
      frontendPort: port,
      backendPort: port,
      idleTimeoutInMinutes: parts.idleTimeoutInMinutes,
      enableFloatingIP: false,
      loadDistribution: "Default",
      frontendIPConfiguration: parts.frontends[0],
      backendAddressPool: parts.pool,
      probe: parts.probe,
    },
  }));
}

function probe({ apiServerPort: port }: ClusterSpecView): JsonObject {
  // As in CAPZ, a machine whose API is not ready for a minute gets no new connections.
  const properties = {
    protocol: "Https",
    requestPath: "/readyz",
    port,
    intervalInSeconds: 15,
    numberOfProbes: 4,
  };
  return { name: HTTPS_PROBE, properties };
}

function outboundRule({ frontends, pool, idleTimeoutInMinutes }: Parts): JsonObject {
  return {
    name: OUTBOUND_RULE,
    properties: {
      protocol: "All",
      idleTimeoutInMinutes,
      frontendIPConfigurations: frontends,
      backendAddressPool: pool,
    },
  };
}

// The limit of admission.
const MOST_FRONTENDS = 16;

/** The names of an outbound load balancer's frontends with any other number of addresses. */
function retiredFrontends(name: string, frontends: readonly { readonly name: string }[]): readonly string[] {
  const names = [`${name}-frontEnd`];
  for (let number = 1; number <= MOST_FRONTENDS; number++) names.push(`${name}-frontEnd-${number}`);
  return names.filter((one) => !frontends.some((frontend) => frontend.name === one));
}
