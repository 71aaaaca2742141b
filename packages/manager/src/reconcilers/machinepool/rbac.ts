import { AzureMachinePool, Cluster, KubeadmConfig, MachinePool, Secret } from "@capstan/api";
import type { PolicyRule } from "../policy-rule.ts";

/** The permissions of the MachinePool reconciler. Other providers grant access to their kinds by their own roles, as in Cluster API. */
export const machinePoolRbac: readonly PolicyRule[] = [
  {
    apiGroups: [MachinePool.group],
    resources: [MachinePool.plural],
    verbs: ["get", "list", "watch", "patch"],
  },
  { apiGroups: [MachinePool.group], resources: [`${MachinePool.plural}/status`], verbs: ["patch"] },
  { apiGroups: [Cluster.group], resources: [Cluster.plural], verbs: ["list", "watch"] },
  {
    apiGroups: [AzureMachinePool.group],
    resources: ["azuremachinepools", "azuremanagedmachinepools"],
    verbs: ["list", "watch", "patch", "delete"],
  },
  {
    apiGroups: [KubeadmConfig.group],
    resources: [KubeadmConfig.plural],
    verbs: ["list", "watch", "patch", "delete"],
  },
  { apiGroups: [Secret.group], resources: [Secret.plural], verbs: ["get"] },
];
