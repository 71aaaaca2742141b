import { AzureMachine, Cluster, KubeadmConfig, KubeadmControlPlane, Machine } from "@capstan/api";
import type { PolicyRule } from "../policy-rule.ts";

/** The permissions of the KubeadmControlPlane reconciler. */
export const kubeadmControlPlaneRbac: readonly PolicyRule[] = [
  {
    apiGroups: [KubeadmControlPlane.group],
    resources: [KubeadmControlPlane.plural],
    verbs: ["get", "list", "watch", "patch"],
  },
  {
    apiGroups: [KubeadmControlPlane.group],
    resources: [`${KubeadmControlPlane.plural}/status`],
    verbs: ["patch"],
  },
  {
    apiGroups: [Machine.group],
    resources: [Machine.plural],
    verbs: ["get", "list", "watch", "create", "patch", "delete"],
  },
  { apiGroups: [Machine.group], resources: [`${Machine.plural}/status`], verbs: ["patch"] },
  { apiGroups: [Cluster.group], resources: [Cluster.plural, "machinepools"], verbs: ["list", "watch"] },
  {
    apiGroups: [AzureMachine.group],
    resources: [AzureMachine.plural],
    verbs: ["list", "watch", "create", "patch"],
  },
  {
    apiGroups: [AzureMachine.group],
    resources: ["azuremachinetemplates"],
    verbs: ["list", "watch", "patch"],
  },
  {
    apiGroups: [KubeadmConfig.group],
    resources: [KubeadmConfig.plural],
    verbs: ["get", "list", "watch", "create", "patch"],
  },
  // Secrets are read one by one, because the manager must not list the Secrets of all users.
  { apiGroups: [""], resources: ["secrets"], verbs: ["get", "create", "patch"] },
];
