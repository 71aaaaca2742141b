/** The ManagedClustersAgentPool of Azure Service Operator for an AzureManagedMachinePool. Pure. */
import {
  type AzureManagedControlPlane,
  type AzureManagedMachinePool,
  type Frozen,
  isJsonObject,
  type MachinePool,
  type ManagedClustersAgentPool,
} from "@capstan/api";
import type { Tags } from "../ownership-tags.ts";
import { armReference, objectNameFor, present } from "./desired-object.ts";
import { isNewer, newestVersion } from "./kubernetes-version.ts";

/** A pool of an AKS cluster: its two objects. */
export interface ManagedPool {
  readonly pool: Frozen<AzureManagedMachinePool>;
  readonly machinePool: Frozen<MachinePool>;
}

/** Everything that the spec of an agent pool depends on. */
export interface AgentPoolInput extends ManagedPool {
  readonly controlPlane: Frozen<AzureManagedControlPlane>;
  readonly subscriptionID: string;
  readonly tags: Tags;
  /** The version of the control plane: AKS refuses a pool that is newer. */
  readonly controlPlaneVersion: string | undefined;
  /** The agent pool as it is now. */
  readonly observed?: Frozen<ManagedClustersAgentPool> | undefined;
}

/** The spec of the agent pool. */
export function agentPoolSpec(input: AgentPoolInput): Record<string, unknown> {
  const { pool, machinePool, controlPlane, observed, tags } = input;
  const { spec } = pool;
  const desired = newestVersion(
    machinePool.spec.template.spec.version,
    controlPlane.status?.autoUpgradeVersion,
  );
  const version = newestVersion(
    // The control plane is upgraded first, and the pool follows.
    isNewer(desired, input.controlPlaneVersion) ? input.controlPlaneVersion : desired,
    observedText(observed, "currentOrchestratorVersion"),
  );
  return present({
    azureName: agentPoolName(pool),
    owner: { name: objectNameFor(controlPlane.metadata.name) },
    mode: spec.mode,
    vmSize: spec.sku,
    osType: spec.osType ?? "Linux",
    osDiskSizeGB: spec.osDiskSizeGB,
    osDiskType: spec.osDiskType,
    type: "VirtualMachineScaleSets",
    orchestratorVersion: version,
    ...sizeOf(input),
    maxPods: spec.maxPods,
    availabilityZones: spec.availabilityZones,
    nodeLabels: spec.nodeLabels,
    nodeTaints: spec.taints?.map(({ key, value, effect }) => `${key}=${value}:${effect}`),
    vnetSubnetReference: armReference(subnetId(input)),
    enableEncryptionAtHost: spec.enableEncryptionAtHost,
    enableFIPS: spec.enableFIPS,
    enableNodePublicIP: spec.enableNodePublicIP,
    nodePublicIPPrefixReference: armReference(spec.nodePublicIPPrefixID),
    enableUltraSSD: spec.enableUltraSSD,
    kubeletConfig: spec.kubeletConfig,
    kubeletDiskType: spec.kubeletDiskType,
    linuxOSConfig: linuxOSConfig(spec.linuxOSConfig),
    scaleDownMode: spec.scaleDownMode,
    scaleSetPriority: spec.scaleSetPriority,
    spotMaxPrice: spec.spotMaxPrice === undefined ? undefined : Number(spec.spotMaxPrice),
    tags: Object.keys(tags).length === 0 ? undefined : tags,
  });
}

/** CAPZ spells abbreviations in the names of sysctls in capitals, Azure Service Operator does not. */
function linuxOSConfig(config: Frozen<AzureManagedMachinePool>["spec"]["linuxOSConfig"]): unknown {
  const sysctls: unknown = config?.["sysctls"];
  if (!isJsonObject(sysctls)) return config;
  const renamed = Object.entries(sysctls).map(([name, value]) => [
    name.replace(
      /^netIpv4(TCP|IP)/,
      (_, word: string) => `netIpv4${word.at(0)}${word.slice(1).toLowerCase()}`,
    ),
    value,
  ]);
  return { ...config, sysctls: Object.fromEntries(renamed) as object };
}

/** The name of the pool in AKS. */
export function agentPoolName({ spec, metadata }: Frozen<AzureManagedMachinePool>): string {
  return spec.name ?? metadata.name;
}

/** The pool as a profile of a new cluster. */
export function agentPoolProfile(spec: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { azureName, owner: _owner, operatorSpec: _operatorSpec, ...rest } = spec;
  return { ...rest, name: azureName };
}

/** A fixed number of nodes, or the limits of the autoscaler with the number that it has chosen. */
function sizeOf({ pool, machinePool, observed }: AgentPoolInput): Record<string, unknown> {
  const replicas = machinePool.spec.replicas ?? 1;
  const { scaling } = pool.spec;
  // As in CAPZ: a write that only leaves the autoscaler out may not switch it off.
  if (!scaling) return { count: replicas, enableAutoScaling: false };
  const count = observed?.status?.["count"];
  return {
    count: typeof count === "number" ? count : replicas,
    enableAutoScaling: true,
    minCount: scaling.minSize,
    maxCount: scaling.maxSize,
  };
}

function subnetId({ pool, controlPlane, subscriptionID }: AgentPoolInput): string | undefined {
  const { virtualNetwork, resourceGroupName } = controlPlane.spec;
  if (!virtualNetwork) return undefined;
  const group = virtualNetwork.resourceGroup ?? resourceGroupName;
  const subnet = pool.spec.subnetName ?? virtualNetwork.subnet?.name ?? virtualNetwork.name;
  return `/subscriptions/${subscriptionID}/resourceGroups/${group}/providers/Microsoft.Network/virtualNetworks/${virtualNetwork.name}/subnets/${subnet}`;
}

function observedText(
  object: Frozen<ManagedClustersAgentPool> | undefined,
  field: string,
): string | undefined {
  const value = object?.status?.[field];
  return typeof value === "string" ? value : undefined;
}
