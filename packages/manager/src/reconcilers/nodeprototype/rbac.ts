import {
  AzureCluster,
  AzureClusterIdentity,
  AzureMachine,
  AzureMachinePool,
  AzureMachinePoolMachine,
  AzureMachineTemplate,
  Cluster,
  KubeadmConfig,
  KubeadmControlPlane,
  Machine,
  MachineDeployment,
  MachineDrainRule,
  MachinePool,
  MachineSet,
  Secret,
} from "@capstan/api";
import type { PolicyRule } from "../policy-rule.ts";

/** What the reconciler of the images of pools needs. */
export const nodePrototypeRbac: readonly PolicyRule[] = [
  {
    apiGroups: [AzureMachineTemplate.group],
    resources: [AzureMachineTemplate.plural],
    verbs: ["list", "watch"],
  },
  {
    apiGroups: [AzureMachinePool.group],
    resources: [AzureMachinePool.plural],
    verbs: ["get", "list", "watch", "patch"],
  },
  { apiGroups: [AzureMachinePool.group], resources: [`${AzureMachinePool.plural}/status`], verbs: ["patch"] },
  {
    apiGroups: [AzureMachinePoolMachine.group],
    resources: [AzureMachinePoolMachine.plural],
    verbs: ["list", "watch", "patch", "delete"],
  },
  {
    apiGroups: [AzureCluster.group],
    resources: [AzureCluster.plural, AzureClusterIdentity.plural],
    verbs: ["list", "watch"],
  },
  {
    apiGroups: [Cluster.group],
    resources: [Cluster.plural, MachineDrainRule.plural, MachinePool.plural],
    verbs: ["list", "watch"],
  },
  { apiGroups: [Secret.group], resources: [Secret.plural], verbs: ["get"] },
  // The canary needs bootstrap data with which it can join.
  { apiGroups: [KubeadmConfig.group], resources: [KubeadmConfig.plural], verbs: ["get", "patch"] },
];

/** What the reconciler of the images of templates needs. */
export const templatePrototypeRbac: readonly PolicyRule[] = [
  {
    apiGroups: [AzureMachineTemplate.group],
    resources: [AzureMachineTemplate.plural],
    verbs: ["get", "list", "watch", "patch"],
  },
  {
    apiGroups: [AzureMachineTemplate.group],
    resources: [`${AzureMachineTemplate.plural}/status`],
    verbs: ["patch"],
  },
  {
    apiGroups: [AzureCluster.group],
    resources: [
      AzureCluster.plural,
      AzureClusterIdentity.plural,
      AzureMachine.plural,
      AzureMachinePool.plural,
    ],
    verbs: ["list", "watch"],
  },
  { apiGroups: [Machine.group], resources: [Machine.plural], verbs: ["list", "watch", "patch", "delete"] },
  {
    apiGroups: [Cluster.group],
    resources: [Cluster.plural, MachineDrainRule.plural, MachineSet.plural],
    verbs: ["list", "watch"],
  },
  {
    apiGroups: [MachineDeployment.group],
    resources: [MachineDeployment.plural],
    verbs: ["list", "watch", "patch"],
  },
  {
    apiGroups: [KubeadmControlPlane.group],
    resources: [KubeadmControlPlane.plural],
    verbs: ["list", "watch"],
  },
  { apiGroups: [Secret.group], resources: [Secret.plural], verbs: ["get"] },
];
