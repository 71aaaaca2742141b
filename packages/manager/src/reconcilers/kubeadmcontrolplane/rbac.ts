import {
  AzureMachine,
  Cluster,
  ExtensionConfig,
  KubeadmConfig,
  KubeadmControlPlane,
  Machine,
  Namespace,
} from "@capstan/api";
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
    verbs: ["get", "list", "watch", "create", "patch"],
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
  // For updates in place: the registered updaters, and the labels by which they select namespaces.
  { apiGroups: [ExtensionConfig.group], resources: [ExtensionConfig.plural], verbs: ["list", "watch"] },
  { apiGroups: [Namespace.group], resources: [Namespace.plural], verbs: ["get"] },
  // Secrets are read one by one, because the manager must not list the Secrets of all users.
  { apiGroups: [""], resources: ["secrets"], verbs: ["get", "create", "patch"] },
];
