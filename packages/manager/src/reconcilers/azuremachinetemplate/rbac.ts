import { AzureCluster, AzureClusterIdentity, AzureMachineTemplate, Cluster, Secret } from "@capstan/api";
import type { PolicyRule } from "../policy-rule.ts";

/** The permissions of the AzureMachineTemplate reconciler. */
export const azureMachineTemplateRbac: readonly PolicyRule[] = [
  {
    apiGroups: [AzureMachineTemplate.group],
    resources: [AzureMachineTemplate.plural],
    verbs: ["list", "watch"],
  },
  {
    apiGroups: [AzureMachineTemplate.group],
    resources: [`${AzureMachineTemplate.plural}/status`],
    verbs: ["patch"],
  },
  {
    apiGroups: [AzureCluster.group],
    resources: [AzureCluster.plural, AzureClusterIdentity.plural],
    verbs: ["list", "watch"],
  },
  { apiGroups: [Cluster.group], resources: [Cluster.plural], verbs: ["list", "watch"] },
  { apiGroups: [Secret.group], resources: [Secret.plural], verbs: ["get", "create", "patch"] },
];
