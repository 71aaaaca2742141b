import type { PolicyRule } from "../policy-rule.ts";

/** The permissions of the AzureManagedCluster reconciler. */
export const azureManagedClusterRbac: readonly PolicyRule[] = [
  {
    apiGroups: ["infrastructure.cluster.x-k8s.io"],
    resources: ["azuremanagedclusters"],
    verbs: ["get", "list", "watch", "patch"],
  },
  {
    apiGroups: ["infrastructure.cluster.x-k8s.io"],
    resources: ["azuremanagedclusters/status"],
    verbs: ["patch"],
  },
  {
    apiGroups: ["infrastructure.cluster.x-k8s.io"],
    resources: ["azuremanagedcontrolplanes"],
    verbs: ["list", "watch"],
  },
  { apiGroups: ["cluster.x-k8s.io"], resources: ["clusters"], verbs: ["list", "watch"] },
];
