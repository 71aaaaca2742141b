/** The kinds of Azure Service Operator that the embedded one reconciles, and the Azure resources that they describe. */
import {
  type AsoObject,
  type CustomKind,
  ManagedCluster,
  ManagedClustersAgentPool,
  ResourceGroup,
  VirtualNetwork,
  VirtualNetworksSubnet,
} from "@capstan/api";

/** How a kind maps to a type of Azure. */
export interface AsoResourceType {
  readonly kind: CustomKind<AsoObject>;
  /** The kind of `spec.owner`; undefined for resource groups, which belong to the subscription. */
  readonly ownerKind?: CustomKind<AsoObject>;
  /** What follows the id of the owner, before the name. */
  readonly path: string;
  /** Fields that Azure Service Operator sends although the spec lacks them, by their place in the body. */
  readonly explicit?: Readonly<Record<string, unknown>>;
  /** The same for each item of `agentPoolProfiles`. */
  readonly explicitPool?: Readonly<Record<string, unknown>>;
  /** Whether a PUT must repeat the children that other resources have created. */
  readonly keptChildren?: string;
  /** Whether Azure refuses writes of the owner and of its other children while one runs. */
  readonly isSerialized?: boolean;
}

const POOL_FIELDS = {
  availabilityZones: null,
  nodeLabels: {},
  nodeTaints: [],
  tags: {},
  virtualMachineNodesStatus: null,
};

/** All of them. */
export const ASO_RESOURCE_TYPES: readonly AsoResourceType[] = [
  { kind: ResourceGroup, path: "/resourceGroups" },
  {
    kind: VirtualNetwork,
    ownerKind: ResourceGroup,
    path: "/providers/Microsoft.Network/virtualNetworks",
    keptChildren: "subnets",
  },
  { kind: VirtualNetworksSubnet, ownerKind: VirtualNetwork, path: "/subnets" },
  {
    kind: ManagedCluster,
    ownerKind: ResourceGroup,
    path: "/providers/Microsoft.ContainerService/managedClusters",
    explicit: { addonProfiles: null, identityProfile: null, privateLinkResources: null },
    explicitPool: POOL_FIELDS,
  },
  {
    kind: ManagedClustersAgentPool,
    ownerKind: ManagedCluster,
    path: "/agentPools",
    explicit: POOL_FIELDS,
    isSerialized: true,
  },
];

/** The mapping of a kind, in any of its versions. */
export function asoResourceType({
  group,
  kind,
}: {
  readonly group: string;
  readonly kind: string;
}): AsoResourceType | undefined {
  return ASO_RESOURCE_TYPES.find((type) => type.kind.kind === kind && type.kind.group === group);
}
