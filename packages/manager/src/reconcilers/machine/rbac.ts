import {
  AzureMachine,
  Cluster,
  ExtensionConfig,
  KubeadmConfig,
  KubeadmControlPlane,
  Machine,
  MachineDeployment,
  MachineDrainRule,
  MachineSet,
  Secret,
} from "@capstan/api";
import type { PolicyRule } from "../policy-rule.ts";

/** The permissions of the Machine reconciler. Other providers grant access to their kinds by their own roles, as in Cluster API. */
export const machineRbac: readonly PolicyRule[] = [
  { apiGroups: [Machine.group], resources: [Machine.plural], verbs: ["get", "list", "watch", "patch"] },
  { apiGroups: [Machine.group], resources: [`${Machine.plural}/status`], verbs: ["patch"] },
  {
    apiGroups: [Cluster.group],
    resources: [Cluster.plural, MachineDeployment.plural, MachineDrainRule.plural, MachineSet.plural],
    verbs: ["list", "watch"],
  },
  {
    apiGroups: [AzureMachine.group],
    resources: [AzureMachine.plural],
    verbs: ["list", "watch", "patch", "delete"],
  },
  {
    apiGroups: [KubeadmConfig.group],
    resources: [KubeadmConfig.plural],
    verbs: ["list", "watch", "patch", "delete"],
  },
  // The record of an update in place is read live from the owner of the machine.
  { apiGroups: [MachineSet.group], resources: [MachineSet.plural], verbs: ["get"] },
  {
    apiGroups: [KubeadmControlPlane.group],
    resources: [KubeadmControlPlane.plural],
    verbs: ["get", "list", "watch"],
  },
  { apiGroups: [ExtensionConfig.group], resources: [ExtensionConfig.plural], verbs: ["list", "watch"] },
  { apiGroups: [Secret.group], resources: [Secret.plural], verbs: ["get"] },
];
