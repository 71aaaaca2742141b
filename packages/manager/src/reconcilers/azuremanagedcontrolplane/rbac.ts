import type { PolicyRule } from "../policy-rule.ts";

/** The permissions of the AzureManagedControlPlane reconciler. */
export const azureManagedControlPlaneRbac: readonly PolicyRule[] = [
  {
    apiGroups: ["infrastructure.cluster.x-k8s.io"],
    resources: ["azuremanagedcontrolplanes"],
    verbs: ["get", "list", "watch", "patch"],
  },
  {
    apiGroups: ["infrastructure.cluster.x-k8s.io"],
    resources: ["azuremanagedcontrolplanes/status"],
    verbs: ["patch"],
  },
  {
    apiGroups: ["infrastructure.cluster.x-k8s.io"],
    resources: ["azuremanagedmachinepools", "azureclusteridentities"],
    verbs: ["list", "watch"],
  },
  { apiGroups: ["cluster.x-k8s.io"], resources: ["clusters", "machinepools"], verbs: ["list", "watch"] },
  {
    apiGroups: ["containerservice.azure.com"],
    resources: ["managedclusters"],
    verbs: ["get", "list", "watch", "create", "patch", "delete"],
  },
  {
    apiGroups: ["resources.azure.com"],
    resources: ["resourcegroups"],
    verbs: ["get", "list", "watch", "create", "patch", "delete"],
  },
  {
    apiGroups: ["network.azure.com"],
    resources: ["virtualnetworks", "virtualnetworkssubnets"],
    verbs: ["get", "list", "watch", "create", "patch", "delete"],
  },
  { apiGroups: ["apiextensions.k8s.io"], resources: ["customresourcedefinitions"], verbs: ["get"] },
  { apiGroups: [""], resources: ["secrets"], verbs: ["get", "create", "patch"] },
];
