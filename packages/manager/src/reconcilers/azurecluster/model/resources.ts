import { fullyQualifiedName } from "./api-server-name.ts";
import {
  clusterGroupOf,
  type ClusterSpecView,
  groupID,
  locationOf,
  networkID,
  tagSourceOf,
} from "../../../azure-cluster/spec-view.ts";
import { type DesiredResource } from "./resource.ts";
import { tagsOf } from "@capstan/plan";
import { desiredLoadBalancers } from "./load-balancers.ts";
import { natGatewaysIn, desiredNetwork } from "./network.ts";

/** All desired resources of a cluster; dependencies come before their dependants. */
export function desiredResources(plan: ClusterSpecView): readonly DesiredResource[] {
  return [
    desiredGroup(plan),
    ...desiredPublicIPs(plan),
    ...desiredNetwork(plan),
    ...desiredLoadBalancers(plan),
  ];
}

function desiredGroup(plan: ClusterSpecView): DesiredResource {
  const name = clusterGroupOf(plan);
  return {
    id: groupID(plan, name),
    conditions: ["ResourceGroupReady"],
    field: "spec.resourceGroup",
    body: { tags: tagsOf(tagSourceOf(plan), "common", name) },
    atCreation: { location: locationOf(plan) },
    dependsOn: [],
    ifForeign: "use",
  };
}

type Address = NonNullable<
  NonNullable<
    NonNullable<NonNullable<ClusterSpecView["spec"]["networkSpec"]>["apiServerLB"]>["frontendIPs"]
  >[number]["publicIP"]
>;

interface PlacedAddress {
  readonly address: Address;
  readonly field: string;
  readonly role: string;
  readonly dnsName?: string;
  readonly isPartOfNetwork?: boolean;
}

function desiredPublicIPs(plan: ClusterSpecView): readonly DesiredResource[] {
  const placed = [...balancerAddresses(plan), ...gatewayAddresses(plan)];
  const byName = new Map(placed.toReversed().map((one) => [one.address.name.toLowerCase(), one]));
  return placed
    .filter((one) => byName.get(one.address.name.toLowerCase()) === one)
    .map((one) => publicIP(plan, one));
}

function balancerAddresses(plan: ClusterSpecView): readonly PlacedAddress[] {
  const { networkSpec = {} } = plan.spec;
  const sources = [
    { balancer: networkSpec.apiServerLB, name: "apiServerLB", role: "apiserver" },
    { balancer: networkSpec.nodeOutboundLB, name: "nodeOutboundLB", role: "nodeOutbound" },
    {
      balancer: networkSpec.controlPlaneOutboundLB,
      name: "controlPlaneOutboundLB",
      role: "controlPlaneOutbound",
    },
  ];
  return sources.flatMap(({ balancer, name, role }) =>
    (balancer?.frontendIPs ?? []).flatMap(({ publicIP: address }, index): PlacedAddress[] => {
      if (!address) return [];
      const field = `spec.networkSpec.${name}.frontendIPs[${index}].publicIP`;
      const isNamed = role === "apiserver" || address.dnsName !== undefined;
      return [{ address, field, role, ...(isNamed && { dnsName: fullyQualifiedName(plan, address) }) }];
    }),
  );
}

function gatewayAddresses(plan: ClusterSpecView): readonly PlacedAddress[] {
  return natGatewaysIn(plan).flatMap(({ gateway, field }): PlacedAddress[] =>
    gateway.ip ? [{ address: gateway.ip, field: `${field}.ip`, role: "common", isPartOfNetwork: true }] : [],
  );
}

function publicIP(
  plan: ClusterSpecView,
  { address, field, role, dnsName, isPartOfNetwork }: PlacedAddress,
): DesiredResource {
  const ipTags = address.ipTags?.map(({ type, tag }) => ({ ipTagType: type, tag }));
  return {
    id: networkID(plan, `publicIPAddresses/${address.name}`),
    conditions: ["PublicIPsReady"],
    field,
    body: {
      tags: tagsOf(tagSourceOf(plan), role, address.name),
      properties: {
        publicIPAllocationMethod: "Static",
        publicIPAddressVersion: "IPv4",
        ...(ipTags && { ipTags }),
        ...(dnsName !== undefined && {
          dnsSettings: { domainNameLabel: dnsName.split(".", 1)[0], fqdn: dnsName },
        }),
      },
    },
    atCreation: {
      location: locationOf(plan),
      sku: { name: "Standard" },
      // An address in all zones survives the failure of one.
      ...(plan.zones.length > 0 && { zones: plan.zones }),
    },
    dependsOn: [groupID(plan, clusterGroupOf(plan))],
    ifForeign: "use",
    ...(isPartOfNetwork === true && { isPartOfNetwork }),
  };
}
