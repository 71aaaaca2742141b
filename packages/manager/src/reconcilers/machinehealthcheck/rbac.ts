import type { PolicyRule } from "../policy-rule.ts";

/** The permissions of the MachineHealthCheck reconciler. */
export const machineHealthCheckRbac: readonly PolicyRule[] = [
  {
    apiGroups: ["cluster.x-k8s.io"],
    resources: ["machinehealthchecks"],
    verbs: ["get", "list", "watch", "patch"],
  },
  {
    apiGroups: ["cluster.x-k8s.io"],
    resources: ["clusters", "machinepools", "machines"],
    verbs: ["list", "watch"],
  },
  {
    apiGroups: ["cluster.x-k8s.io"],
    resources: ["machinehealthchecks/status", "machines/status"],
    verbs: ["patch"],
  },
  { apiGroups: [""], resources: ["secrets"], verbs: ["get"] },
];
