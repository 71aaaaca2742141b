import { AzureMachinePool, AzureMachinePoolMachine, Cluster, MachinePool, Secret } from "@capstan/api";
import type { PolicyRule } from "../policy-rule.ts";

/** What the reconciler of AzureMachinePoolMachines needs. In workload clusters it has what their kubeconfig allows. */
export const azureMachinePoolMachineRbac: readonly PolicyRule[] = [
  {
    apiGroups: [AzureMachinePoolMachine.group],
    resources: [AzureMachinePoolMachine.plural],
    verbs: ["get", "list", "watch", "patch"],
  },
  {
    apiGroups: [AzureMachinePoolMachine.group],
    resources: [`${AzureMachinePoolMachine.plural}/status`],
    verbs: ["patch"],
  },
  { apiGroups: [AzureMachinePool.group], resources: [AzureMachinePool.plural], verbs: ["list", "watch"] },
  {
    apiGroups: [Cluster.group],
    resources: [Cluster.plural, MachinePool.plural],
    verbs: ["list", "watch"],
  },
  { apiGroups: [Secret.group], resources: [Secret.plural], verbs: ["get"] },
];
