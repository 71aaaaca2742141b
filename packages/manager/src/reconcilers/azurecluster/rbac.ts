import type { PolicyRule } from "../policy-rule.ts";

/** The permissions of the AzureCluster reconciler. */
export const azureClusterRbac: readonly PolicyRule[] = [
  {
    apiGroups: ["infrastructure.cluster.x-k8s.io"],
    resources: ["azureclusters"],
    verbs: ["get", "list", "watch", "patch"],
  },
  {
    apiGroups: ["infrastructure.cluster.x-k8s.io"],
    resources: ["azureclusters/status"],
    verbs: ["patch"],
  },
  {
    apiGroups: ["infrastructure.cluster.x-k8s.io"],
    resources: ["azureclusteridentities", "azuremachinepools"],
    verbs: ["list", "watch"],
  },
  { apiGroups: ["cluster.x-k8s.io"], resources: ["clusters"], verbs: ["list", "watch"] },
];
