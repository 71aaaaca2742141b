import type { PolicyRule } from "../policy-rule.ts";

/** The permissions of the AzureManagedMachinePool reconciler. */
export const azureManagedMachinePoolRbac: readonly PolicyRule[] = [
  {
    apiGroups: ["infrastructure.cluster.x-k8s.io"],
    resources: ["azuremanagedmachinepools"],
    verbs: ["get", "list", "watch", "patch"],
  },
  {
    apiGroups: ["infrastructure.cluster.x-k8s.io"],
    resources: ["azuremanagedmachinepools/status"],
    verbs: ["patch"],
  },
  {
    apiGroups: ["infrastructure.cluster.x-k8s.io"],
    resources: ["azuremanagedcontrolplanes"],
    verbs: ["list", "watch"],
  },
  { apiGroups: ["cluster.x-k8s.io"], resources: ["clusters"], verbs: ["list", "watch"] },
  { apiGroups: ["cluster.x-k8s.io"], resources: ["machinepools"], verbs: ["list", "watch", "patch"] },
  {
    apiGroups: ["containerservice.azure.com"],
    resources: ["managedclusters"],
    verbs: ["get", "list", "watch"],
  },
  {
    apiGroups: ["containerservice.azure.com"],
    resources: ["managedclustersagentpools"],
    verbs: ["get", "list", "watch", "create", "patch", "delete"],
  },
  { apiGroups: ["apiextensions.k8s.io"], resources: ["customresourcedefinitions"], verbs: ["get"] },
  { apiGroups: [""], resources: ["secrets"], verbs: ["get"] },
];
