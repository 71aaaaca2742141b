/** All kinds of ours, one line each. */
import type { CustomKind, Kind } from "./kind.ts";
import { ManagedCluster, ManagedClustersAgentPool } from "./aso/managed-cluster.ts";
import { ResourceGroup } from "./aso/resource-group.ts";
import { VirtualNetwork, VirtualNetworksSubnet } from "./aso/virtual-network.ts";
import { KubeadmConfig } from "./bootstrap/kubeadm-config.ts";
import { KubeadmConfigTemplate } from "./bootstrap/kubeadm-config-template.ts";
import { Cluster } from "./cluster/cluster.ts";
import { Machine } from "./cluster/machine.ts";
import { MachineDeployment } from "./cluster/machine-deployment.ts";
import { MachineDrainRule } from "./cluster/machine-drain-rule.ts";
import { MachineHealthCheck } from "./cluster/machine-health-check.ts";
import { MachinePool } from "./cluster/machine-pool.ts";
import { MachineSet } from "./cluster/machine-set.ts";
import { KubeadmControlPlane } from "./controlplane/kubeadm-control-plane.ts";
import { AzureCluster } from "./infrastructure/azure-cluster/azure-cluster.ts";
import { AzureClusterTemplate } from "./infrastructure/azure-cluster-template.ts";
import { AzureClusterIdentity } from "./infrastructure/azure-cluster-identity.ts";
import { AzureMachine } from "./infrastructure/azure-machine.ts";
import { AzureMachinePool } from "./infrastructure/azure-machine-pool/azure-machine-pool.ts";
import { AzureMachinePoolMachine } from "./infrastructure/azure-machine-pool-machine.ts";
import { AzureMachineTemplate } from "./infrastructure/azure-machine-template.ts";
import { AzureManagedCluster } from "./infrastructure/azure-managed-cluster.ts";
import { AzureManagedControlPlane } from "./infrastructure/azure-managed-control-plane/azure-managed-control-plane.ts";
import { AzureManagedMachinePool } from "./infrastructure/azure-managed-machine-pool.ts";
import { ExtensionConfig } from "./runtime-extension/extension-config.ts";

/** Every kind that has a CRD in `crds/`. */
export const customKinds: readonly CustomKind[] = [
  Cluster,
  Machine,
  MachineDeployment,
  MachineDrainRule,
  MachineHealthCheck,
  MachinePool,
  MachineSet,
  KubeadmConfig,
  KubeadmConfigTemplate,
  KubeadmControlPlane,
  ExtensionConfig,
  AzureCluster,
  AzureClusterIdentity,
  AzureClusterTemplate,
  AzureMachine,
  AzureMachineTemplate,
  AzureMachinePool,
  AzureMachinePoolMachine,
  AzureManagedCluster,
  AzureManagedControlPlane,
  AzureManagedMachinePool,
  ResourceGroup,
  VirtualNetwork,
  VirtualNetworksSubnet,
  ManagedCluster,
  ManagedClustersAgentPool,
];

/** The kind of ours that an object claims; undefined for any other, and for versions with another schema. */
export function kindOf(apiVersion: string, kind: string): CustomKind | undefined {
  return customKinds.find(
    (one) => one.kind === kind && isAmong(one, [one.version, ...one.alsoServed], apiVersion),
  );
}

/** The names of a kind of ours in any version that a server has, for requests in that version. */
export function servedKind(apiVersion: string, kind: string): Kind | undefined {
  const found = customKinds.find((one) => {
    const converted = one.converted.map(({ version }) => version);
    return one.kind === kind && isAmong(one, [one.version, ...one.alsoServed, ...converted], apiVersion);
  });
  return found && { ...found, apiVersion, version: apiVersion.slice(found.group.length + 1) };
}

function isAmong({ group }: CustomKind, versions: readonly string[], apiVersion: string): boolean {
  return versions.some((version) => `${group}/${version}` === apiVersion);
}
