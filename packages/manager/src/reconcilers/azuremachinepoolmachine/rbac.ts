import {
  AzureMachinePool,
  AzureMachinePoolMachine,
  Cluster,
  Machine,
  MachineDrainRule,
  MachinePool,
  Secret,
} from "@capstan/api";
import type { PolicyRule } from "../policy-rule.ts";

/** The permissions of the AzureMachinePoolMachine reconciler. In workload clusters it has those of their kubeconfig. */
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
    resources: [Cluster.plural, MachineDrainRule.plural, MachinePool.plural],
    verbs: ["list", "watch"],
  },
  // Beside Cluster API's own core, a Machine goes with its machine.
  { apiGroups: [Machine.group], resources: [Machine.plural], verbs: ["get", "delete"] },
  { apiGroups: [Secret.group], resources: [Secret.plural], verbs: ["get"] },
];
