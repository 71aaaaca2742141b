import {
  AzureMachineTemplate,
  Cluster,
  KubeadmConfigTemplate,
  MachineDeployment,
  MachineSet,
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
];
