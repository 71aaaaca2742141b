import { AzureCluster, AzureClusterIdentity, AzureMachine, Cluster, Machine, Secret } from "@capstan/api";
import type { PolicyRule } from "../policy-rule.ts";

/** What the reconciler of AzureMachines needs. */
export const azureMachineRbac: readonly PolicyRule[] = [
  {
    apiGroups: [AzureMachine.group],
    resources: [AzureMachine.plural],
    verbs: ["get", "list", "watch", "patch"],
  },
  { apiGroups: [AzureMachine.group], resources: [`${AzureMachine.plural}/status`], verbs: ["patch"] },
  {
    apiGroups: [AzureCluster.group],
    resources: [AzureCluster.plural, AzureClusterIdentity.plural],
    verbs: ["list", "watch"],
  },
  { apiGroups: [Cluster.group], resources: [Cluster.plural, Machine.plural], verbs: ["list", "watch"] },
  { apiGroups: [Secret.group], resources: [Secret.plural], verbs: ["get"] },
];
