import type { PolicyRule } from "../policy-rule.ts";

/** The permissions of the AzureClusterIdentity reconciler. */
export const azureClusterIdentityRbac: readonly PolicyRule[] = [
  {
    apiGroups: ["infrastructure.cluster.x-k8s.io"],
    resources: ["azureclusteridentities"],
    verbs: ["get", "list", "watch", "patch"],
  },
  {
    apiGroups: ["infrastructure.cluster.x-k8s.io"],
    resources: ["azureclusteridentities/status"],
    verbs: ["patch"],
  },
  {
    apiGroups: ["infrastructure.cluster.x-k8s.io"],
    resources: ["azureclusters"],
    verbs: ["list", "watch"],
  },
  { apiGroups: [""], resources: ["secrets"], verbs: ["get"] },
];
