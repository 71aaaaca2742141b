import { operationTypes } from "../operations/endpoints.ts";
import { communityGalleryTypes } from "./community-galleries/community-galleries.ts";
import {
  COMPUTE_REMOVED,
  COMPUTE_SETTLED,
  removeComputeResource,
  settleComputeResource,
} from "./compute/compute-write.ts";
import { definitions } from "./galleries/definitions.ts";
import { galleries } from "./galleries/galleries.ts";
import { versions } from "./galleries/versions.ts";
import { images } from "./images/images.ts";
import { loadBalancerTypes } from "./load-balancers/load-balancers.ts";
import {
  NETWORK_REMOVED,
  NETWORK_SETTLED,
  removeNetworkResource,
  settleNetworkResource,
} from "./network/network-write.ts";
import { managedClusterTypes } from "./managed-clusters/managed-cluster-types.ts";
import { natGateways } from "./nat-gateways/nat-gateways.ts";
import { networkInterfaces } from "./network-interfaces/network-interfaces.ts";
import { networkSecurityGroupTypes } from "./network-security-groups/network-security-groups.ts";
import { publicIpAddresses } from "./public-ip-addresses/public-ip-addresses.ts";
import type { ResourceType } from "./resource-type.ts";
import { GROUP_KEPT, GROUP_REMOVED, keepGroup, removeGroup } from "./resource-groups/resource-groups.ts";
import { routeTableTypes } from "./route-tables/route-tables.ts";
import {
  instanceInterfaces,
  scaleSetInstances,
  scaleSetInterfaces,
  scaleSets,
  scaleSetsByLocation,
} from "./scale-sets/scale-set-types.ts";
import { instanceRunCommands, machineRunCommands } from "./run-commands/run-commands.ts";
import { skus } from "./skus/skus.ts";
import { snapshots } from "./snapshots/snapshots.ts";
import { tags } from "./tags/tags.ts";
import { usages } from "./usages/usages.ts";
import { virtualNetworkTypes } from "./virtual-networks/virtual-networks.ts";
import { managedDisks } from "./managed-disks/managed-disks.ts";
import { virtualMachines } from "./virtual-machines/virtual-machine-type.ts";
import type { Effect } from "../core/azure-state.ts";

/** All resource types. A new type is added here. */
export const ALL_TYPES: readonly ResourceType[] = [
  ...operationTypes,
  ...virtualNetworkTypes,
  ...networkSecurityGroupTypes,
  ...routeTableTypes,
  publicIpAddresses,
  natGateways,
  ...loadBalancerTypes,
  networkInterfaces,
  scaleSets,
  scaleSetsByLocation,
  scaleSetInstances,
  instanceInterfaces,
  scaleSetInterfaces,
  virtualMachines,
  managedDisks,
  skus,
  usages,
  images,
  galleries,
  definitions,
  versions,
  snapshots,
  instanceRunCommands,
  machineRunCommands,
  ...communityGalleryTypes,
  ...managedClusterTypes,
  tags,
];

/** All effects by name: those of the types, and those that types share. */
export const ALL_EFFECTS: ReadonlyMap<string, Effect> = new Map([
  ...ALL_TYPES.flatMap((type) => Object.entries(type.effects ?? {})),
  [NETWORK_SETTLED, settleNetworkResource],
  [NETWORK_REMOVED, removeNetworkResource],
  [COMPUTE_SETTLED, settleComputeResource],
  [COMPUTE_REMOVED, removeComputeResource],
  [GROUP_KEPT, keepGroup],
  [GROUP_REMOVED, removeGroup],
]);
