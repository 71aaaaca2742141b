import {
  AzureMachine,
  AzureMachineTemplate,
  Cluster,
  ExtensionConfig,
  KubeadmConfig,
  KubeadmConfigTemplate,
  Machine,
  MachineDeployment,
  MachineSet,
  Namespace,
} from "@capstan/api";
import type { PolicyRule } from "../policy-rule.ts";

/** The permissions of the MachineDeployment reconciler. */
export const machineDeploymentRbac: readonly PolicyRule[] = [
  {
    apiGroups: [MachineDeployment.group],
    resources: [MachineDeployment.plural],
    verbs: ["get", "list", "watch", "patch"],
  },
  {
    apiGroups: [MachineDeployment.group],
    resources: [`${MachineDeployment.plural}/status`],
    verbs: ["patch"],
  },
  {
    apiGroups: [MachineSet.group],
    resources: [MachineSet.plural],
    verbs: ["get", "list", "watch", "create", "patch", "delete"],
  },
  { apiGroups: [Cluster.group], resources: [Cluster.plural], verbs: ["list", "watch"] },
  {
    apiGroups: [AzureMachineTemplate.group],
    resources: [AzureMachineTemplate.plural],
    verbs: ["list", "watch", "patch"],
  },
  {
    apiGroups: [KubeadmConfigTemplate.group],
    resources: [KubeadmConfigTemplate.plural],
    verbs: ["list", "watch", "patch"],
  },
  // For updates in place: machines move to another MachineSet, and a dry run shows what would change.
  { apiGroups: [Machine.group], resources: [Machine.plural], verbs: ["list", "watch", "patch"] },
  { apiGroups: [AzureMachine.group], resources: [AzureMachine.plural], verbs: ["list", "watch", "patch"] },
  { apiGroups: [KubeadmConfig.group], resources: [KubeadmConfig.plural], verbs: ["list", "watch", "patch"] },
  { apiGroups: [ExtensionConfig.group], resources: [ExtensionConfig.plural], verbs: ["list", "watch"] },
  { apiGroups: [Namespace.group], resources: [Namespace.plural], verbs: ["get"] },
];
