import {
  AzureCluster,
  AzureClusterIdentity,
  AzureMachinePool,
  AzureMachinePoolMachine,
  Cluster,
  KubeadmConfig,
  MachinePool,
  Secret,
} from "@capstan/api";
import type { PolicyRule } from "../policy-rule.ts";

/** What the reconciler of AzureMachinePools needs. */
export const azureMachinePoolRbac: readonly PolicyRule[] = [
  {
    apiGroups: [AzureMachinePool.group],
    resources: [AzureMachinePool.plural],
    verbs: ["get", "list", "watch", "patch"],
  },
  { apiGroups: [AzureMachinePool.group], resources: [`${AzureMachinePool.plural}/status`], verbs: ["patch"] },
  {
    apiGroups: [AzureMachinePoolMachine.group],
    resources: [AzureMachinePoolMachine.plural],
    verbs: ["list", "watch", "create", "patch", "delete"],
  },
  {
    apiGroups: [AzureCluster.group],
    resources: [AzureCluster.plural, AzureClusterIdentity.plural],
    verbs: ["list", "watch"],
  },
  { apiGroups: [Cluster.group], resources: [Cluster.plural, MachinePool.plural], verbs: ["list", "watch"] },
  {
    apiGroups: [KubeadmConfig.group],
    resources: [KubeadmConfig.plural],
    verbs: ["list", "watch", "patch"],
  },
  { apiGroups: [Secret.group], resources: [Secret.plural], verbs: ["get", "create", "patch"] },
];
