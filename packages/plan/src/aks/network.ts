/** The resource group, the network and the subnet of an AKS cluster, as objects of Azure Service Operator. Pure. */
import {
  type AzureManagedControlPlane,
  type Frozen,
  ResourceGroup,
  VirtualNetwork,
  VirtualNetworksSubnet,
} from "@capstan/api";
import type { Tags } from "../ownership-tags.ts";
import { objectNameFor } from "./desired-object.ts";

/** The objects that a control plane needs before its cluster, in order. */
export function networkObjects(
  { spec }: Frozen<AzureManagedControlPlane>,
  tags: Tags,
): readonly NetworkObject[] {
  const { resourceGroupName, location, virtualNetwork } = spec;
  const group: NetworkObject = {
    kind: ResourceGroup,
    condition: "ResourceGroupReady",
    name: objectNameFor(resourceGroupName),
    spec: { azureName: resourceGroupName, location, tags },
  };
  if (!virtualNetwork) return [group];
  const owner = virtualNetwork.resourceGroup ?? resourceGroupName;
  const subnet = virtualNetwork.subnet ?? { name: virtualNetwork.name };
  const network: NetworkObject = {
    kind: VirtualNetwork,
    condition: "VNetReady",
    name: objectNameFor(`${owner}-${virtualNetwork.name}`),
    spec: {
      azureName: virtualNetwork.name,
      owner: { name: objectNameFor(owner) },
      location,
      addressSpace: { addressPrefixes: [virtualNetwork.cidrBlock] },
      tags,
    },
  };
  return [
    group,
    ...(owner === resourceGroupName
      ? []
      : [
          {
            ...group,
            condition: "VNetGroupReady",
            name: objectNameFor(owner),
            spec: { azureName: owner, location },
          },
        ]),
    network,
    {
      kind: VirtualNetworksSubnet,
      condition: "SubnetsReady",
      name: objectNameFor(`${network.name}-${subnet.name}`),
      followsPolicyOf: network.name,
      spec: { azureName: subnet.name, owner: { name: network.name }, addressPrefixes: [subnet.cidrBlock] },
    },
  ];
}

/** One of them. */
export interface NetworkObject {
  readonly kind: typeof ResourceGroup;
  /** The condition that reports it. */
  readonly condition: string;
  readonly name: string;
  /** The object whose tags say whether this one is ours: subnets have none. */
  readonly followsPolicyOf?: string;
  readonly spec: Readonly<Record<string, unknown>>;
}
