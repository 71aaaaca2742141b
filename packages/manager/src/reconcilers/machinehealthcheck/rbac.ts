import type { PolicyRule } from "../policy-rule.ts";

/** The permissions of the MachineHealthCheck reconciler. */
export const machineHealthCheckRbac: readonly PolicyRule[] = [
  {
    apiGroups: ["cluster.x-k8s.io"],
    resources: ["machinehealthchecks"],
    verbs: ["get", "list", "watch"],
  },
  { apiGroups: ["cluster.x-k8s.io"], resources: ["machinepools"], verbs: ["list", "watch"] },
  { apiGroups: ["cluster.x-k8s.io"], resources: ["machinehealthchecks/status"], verbs: ["patch"] },
];
