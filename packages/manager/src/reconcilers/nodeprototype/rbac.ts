import {
  AzureCluster,
  AzureClusterIdentity,
  AzureMachinePool,
  AzureMachinePoolMachine,
  Cluster,
  MachineDrainRule,
  MachinePool,
  Secret,
} from "@capstan/api";
import type { PolicyRule } from "../policy-rule.ts";

/** What the reconciler of node images needs. */
export const nodePrototypeRbac: readonly PolicyRule[] = [
  {
    apiGroups: [AzureMachinePool.group],
    resources: [AzureMachinePool.plural],
    verbs: ["get", "list", "watch", "patch"],
  },
  { apiGroups: [AzureMachinePool.group], resources: [`${AzureMachinePool.plural}/status`], verbs: ["patch"] },
  {
    apiGroups: [AzureMachinePoolMachine.group],
    resources: [AzureMachinePoolMachine.plural],
    verbs: ["list", "watch", "patch", "delete"],
  },
  {
    apiGroups: [AzureCluster.group],
    resources: [AzureCluster.plural, AzureClusterIdentity.plural],
    verbs: ["list", "watch"],
  },
  {
    apiGroups: [Cluster.group],
    resources: [Cluster.plural, MachineDrainRule.plural, MachinePool.plural],
    verbs: ["list", "watch"],
  },
  { apiGroups: [Secret.group], resources: [Secret.plural], verbs: ["get"] },
];
