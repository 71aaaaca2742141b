import { AzureMachine, Cluster, KubeadmConfig, Machine, MachineSet } from "@capstan/api";
import type { PolicyRule } from "../policy-rule.ts";

/** The permissions of the MachineSet reconciler. Other providers grant access to their kinds by their own roles, as in Cluster API. */
export const machineSetRbac: readonly PolicyRule[] = [
  { apiGroups: [MachineSet.group], resources: [MachineSet.plural], verbs: ["get", "list", "watch", "patch"] },
  { apiGroups: [MachineSet.group], resources: [`${MachineSet.plural}/status`], verbs: ["patch"] },
  {
    apiGroups: [Machine.group],
    resources: [Machine.plural],
    verbs: ["get", "list", "watch", "create", "patch", "delete"],
  },
  { apiGroups: [Cluster.group], resources: [Cluster.plural, "machinedeployments"], verbs: ["list", "watch"] },
  {
    apiGroups: [AzureMachine.group],
    resources: [AzureMachine.plural],
    verbs: ["get", "list", "watch", "create", "patch"],
  },
  { apiGroups: [AzureMachine.group], resources: ["azuremachinetemplates"], verbs: ["list", "watch"] },
  {
    apiGroups: [KubeadmConfig.group],
    resources: [KubeadmConfig.plural],
    verbs: ["get", "list", "watch", "create", "patch"],
  },
  { apiGroups: [KubeadmConfig.group], resources: ["kubeadmconfigtemplates"], verbs: ["list", "watch"] },
];
