import type { PolicyRule } from "../policy-rule.ts";

/** The permissions of the KubeadmConfig reconciler in the management cluster. */
export const kubeadmConfigRbac: readonly PolicyRule[] = [
  {
    apiGroups: ["bootstrap.cluster.x-k8s.io"],
    resources: ["kubeadmconfigs"],
    verbs: ["get", "list", "watch", "patch"],
  },
  { apiGroups: ["bootstrap.cluster.x-k8s.io"], resources: ["kubeadmconfigs/status"], verbs: ["patch"] },
  {
    apiGroups: ["cluster.x-k8s.io"],
    resources: ["clusters", "machinepools", "machines"],
    verbs: ["list", "watch"],
  },
  {
    apiGroups: ["infrastructure.cluster.x-k8s.io"],
    resources: ["azuremachinepools"],
    verbs: ["list", "watch"],
  },
  // Secrets are read one by one, because the manager must not list the Secrets of all users.
  { apiGroups: [""], resources: ["secrets"], verbs: ["get", "create", "patch"] },
  // The lock of `kubeadm init`, and the machine that holds it.
  { apiGroups: [""], resources: ["configmaps"], verbs: ["get", "create", "patch"] },
  { apiGroups: ["cluster.x-k8s.io"], resources: ["machines"], verbs: ["get"] },
];
