import type { Frozen, Subnet } from "@capstan/api";
import {
  clusterGroupOf,
  type ClusterSpecView,
  groupID,
  locationOf,
  networkGroupOf,
  networkID,
  tagSourceOf,
  virtualNetworkID,
} from "../../../azure-cluster/spec-view.ts";
import { tagsOf } from "@capstan/plan";
import type { DesiredResource } from "./resource.ts";
import { rulesBySecurityGroup } from "./security-rules.ts";

const SUBNETS = "spec.networkSpec.subnets";

/** The virtual network with its subnets, the resources attached to them, and its peerings. */
export function desiredNetwork(plan: ClusterSpecView): readonly DesiredResource[] {
  return [
    ...securityGroups(plan),
    ...routeTables(plan),
    ...natGateways(plan),
    ...virtualNetwork(plan),
    ...peerings(plan),
  ];
}

type Gateway = NonNullable<Frozen<Subnet>["natGateway"]>;

/** The NAT gateways of node subnets without duplicates; the control plane uses its load balancer for outbound traffic. */
export function natGatewaysIn(
  plan: ClusterSpecView,
): readonly { readonly gateway: Gateway; readonly field: string }[] {
  const seen = new Set<string>();
  return subnetsOf(plan).flatMap(({ natGateway: gateway, role }, index) => {
    if (!gateway?.name || role === "control-plane" || seen.has(gateway.name.toLowerCase())) return [];
    seen.add(gateway.name.toLowerCase());
    return [{ gateway, field: `${SUBNETS}[${index}].natGateway` }];
  });
}

function subnetsOf({ spec }: ClusterSpecView): readonly Frozen<Subnet>[] {
  return spec.networkSpec?.subnets ?? [];
}

/** The common fields of the parts of a network. */
function part(
  plan: ClusterSpecView,
  group: string,
): Pick<DesiredResource, "dependsOn" | "ifForeign" | "isPartOfNetwork"> {
  // A network in another group exists before the cluster; only the cluster's own group is a dependency.
  const isOurs = group === clusterGroupOf(plan);
  return { dependsOn: isOurs ? [groupID(plan, group)] : [], ifForeign: "refuse", isPartOfNetwork: true };
}

function securityGroups(plan: ClusterSpecView): readonly DesiredResource[] {
  const group = networkGroupOf(plan);
  return rulesBySecurityGroup(plan).map(({ name, field, rules, tags }): DesiredResource => ({
    ...part(plan, group),
    id: networkID(plan, `networkSecurityGroups/${name}`, group),
    conditions: ["SecurityGroupsReady"],
    field,
    body: {
      tags: { ...tags, ...tagsOf(tagSourceOf(plan), "common", name) },
      properties: { securityRules: rules },
    },
    atCreation: { location: locationOf(plan) },
  }));
}

function routeTables(plan: ClusterSpecView): readonly DesiredResource[] {
  const group = networkGroupOf(plan);
  const seen = new Set<string>();
  return subnetsOf(plan).flatMap(({ routeTable }, index): DesiredResource[] => {
    if (!routeTable?.name || seen.has(routeTable.name.toLowerCase())) return [];
    seen.add(routeTable.name.toLowerCase());
    return [
      {
        ...part(plan, group),
        id: networkID(plan, `routeTables/${routeTable.name}`, group),
        conditions: ["RouteTablesReady"],
        field: `${SUBNETS}[${index}].routeTable`,
        // The cloud provider owns the routes: it writes one for the pods of each node.
        body: { tags: tagsOf(tagSourceOf(plan), "common", routeTable.name), properties: {} },
        atCreation: { location: locationOf(plan) },
      },
    ];
  });
}

function natGateways(plan: ClusterSpecView): readonly DesiredResource[] {
  const group = clusterGroupOf(plan);
  return natGatewaysIn(plan).map(({ gateway, field }): DesiredResource => {
    const address = gateway.ip && networkID(plan, `publicIPAddresses/${gateway.ip.name}`);
    const common = part(plan, group);
    return {
      ...common,
      id: networkID(plan, `natGateways/${gateway.name}`),
      conditions: ["NATGatewaysReady"],
      field,
      body: {
        tags: tagsOf(tagSourceOf(plan), "common", gateway.name),
        properties: {
          idleTimeoutInMinutes: 4,
          ...(address !== undefined && { publicIpAddresses: [{ id: address }] }),
        },
      },
      atCreation: {
        location: locationOf(plan),
        sku: { name: "Standard" },
        ...(gateway.zones && { zones: gateway.zones }),
      },
      dependsOn: [...common.dependsOn, ...(address === undefined ? [] : [address])],
    };
  });
}

function virtualNetwork(plan: ClusterSpecView): readonly DesiredResource[] {
  const id = virtualNetworkID(plan);
  const { vnet } = plan.spec.networkSpec ?? {};
  if (id === undefined || !vnet) return [];
  const group = networkGroupOf(plan);
  const subnets = subnetsOf(plan).map((subnet) => subnetBody(plan, subnet));
  const used = subnets.flatMap(({ properties }) =>
    [properties.networkSecurityGroup, properties.routeTable, properties.natGateway].flatMap(
      (one) => one?.id ?? [],
    ),
  );
  return [
    {
      id,
      conditions: ["VNetReady", "SubnetsReady"],
      field: "spec.networkSpec.vnet",
      body: {
        tags: tagsOf(tagSourceOf(plan), "common", vnet.name),
        properties: { addressSpace: { addressPrefixes: vnet.cidrBlocks ?? [] }, subnets },
      },
      atCreation: { location: locationOf(plan) },
      dependsOn: [...new Set([...part(plan, group).dependsOn, ...used])],
      ifForeign: "use",
    },
  ];
}

interface Reference {
  readonly id: string;
}

interface SubnetBody {
  readonly name: string;
  readonly properties: Readonly<Record<string, unknown>> & {
    readonly networkSecurityGroup?: Reference;
    readonly routeTable?: Reference;
    readonly natGateway?: Reference;
  };
}

function subnetBody(plan: ClusterSpecView, subnet: Frozen<Subnet>): SubnetBody {
  const { name, cidrBlocks = [], securityGroup, routeTable, natGateway, serviceEndpoints, role } = subnet;
  const group = networkGroupOf(plan);
  const [first] = cidrBlocks;
  const gateway = role === "control-plane" ? undefined : natGateway;
  return {
    name,
    properties: {
      ...(cidrBlocks.length === 1 ? { addressPrefix: first } : { addressPrefixes: cidrBlocks }),
      ...attached(plan, "networkSecurityGroup", { name: securityGroup?.name, group }),
      ...attached(plan, "routeTable", { name: routeTable?.name, group }),
      ...attached(plan, "natGateway", { name: gateway?.name, group: clusterGroupOf(plan) }),
      ...(serviceEndpoints && { serviceEndpoints }),
    },
  };
}

/** The reference of a subnet to an attached resource, if it has one. */
function attached(
  plan: ClusterSpecView,
  field: "networkSecurityGroup" | "routeTable" | "natGateway",
  { name, group }: { readonly name: string | undefined; readonly group: string },
): { readonly [Field in typeof field]?: Reference } {
  return name ? { [field]: { id: networkID(plan, `${field}s/${name}`, group) } } : {};
}

/** Both sides of each peering: traffic flows only when both exist. */
function peerings(plan: ClusterSpecView): readonly DesiredResource[] {
  const own = virtualNetworkID(plan);
  const { vnet } = plan.spec.networkSpec ?? {};
  if (own === undefined || !vnet) return [];
  return (vnet.peerings ?? []).flatMap((peering, index) => {
    const { remoteVnetName: remote, resourceGroup = clusterGroupOf(plan) } = peering;
    const other = networkID(plan, `virtualNetworks/${remote}`, resourceGroup);
    const field = `spec.networkSpec.vnet.peerings[${index}]`;
    const forward = { from: own, to: other, name: `${vnet.name}-To-${remote}` };
    const reverse = { from: other, to: own, name: `${remote}-To-${vnet.name}` };
    return [
      peeringResource({ ...forward, field, own, allows: peering.forwardPeeringProperties }),
      peeringResource({ ...reverse, field, own, allows: peering.reversePeeringProperties }),
    ];
  });
}

function peeringResource(side: {
  readonly from: string;
  readonly to: string;
  readonly own: string;
  readonly name: string;
  readonly field: string;
  readonly allows: object | undefined;
}): DesiredResource {
  const { from, to, own, name, field, allows } = side;
  return {
    id: `${from}/virtualNetworkPeerings/${name}`,
    conditions: ["VnetPeeringReady"],
    field,
    body: { properties: { remoteVirtualNetwork: { id: to }, ...allows } },
    atCreation: {},
    dependsOn: [own],
    ifForeign: "use",
    hasNoTags: true,
  };
}
