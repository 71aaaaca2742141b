import { AzureCluster, Cluster, KubeadmControlPlane, MachinePool, Secret } from "@capstan/api";
import type { PolicyRule } from "../policy-rule.ts";
import { DESCENDANTS } from "./decide-deletion.ts";

/** The permissions of the Cluster reconciler. Other providers grant access to their kinds by their own roles, as in Cluster API. */
export const clusterRbac: readonly PolicyRule[] = [
  { apiGroups: [Cluster.group], resources: [Cluster.plural], verbs: ["get", "list", "watch", "patch"] },
  { apiGroups: [Cluster.group], resources: [`${Cluster.plural}/status`], verbs: ["patch"] },
  {
    apiGroups: [AzureCluster.group],
    resources: ["azureclusters", "azuremanagedclusters", "azuremanagedcontrolplanes"],
    verbs: ["list", "watch", "patch", "delete"],
  },
  {
    apiGroups: [KubeadmControlPlane.group],
    resources: [KubeadmControlPlane.plural],
    verbs: ["list", "watch", "patch", "delete"],
  },
  {
    apiGroups: [MachinePool.group],
    resources: DESCENDANTS.map(({ plural }) => plural),
    verbs: ["list", "watch", "delete"],
  },
  { apiGroups: [Secret.group], resources: [Secret.plural], verbs: ["get"] },
];
