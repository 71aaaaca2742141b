/** What is said between the controllers and an updater, as the proposal's examples have it. */
import type { Machine } from "../cluster/machine.ts";
import type { KubernetesObject } from "../kubernetes/meta.ts";

/** Asks an updater which changes of a machine it can make in place. */
export interface CanUpdateMachineRequest {
  desiredMachine: Machine;
  /** Absent when the machine has bootstrap data but no bootstrap config. */
  desiredBootstrapConfig?: KubernetesObject;
  desiredInfraMachine: KubernetesObject;
  currentMachine: Machine;
  currentBootstrapConfig?: KubernetesObject;
  currentInfraMachine: KubernetesObject;
  /** Paths such as `machine.spec.version`, `bootstrap.spec.files` or `infraMachine.spec.memoryMiB`. */
  changes: string[];
}

/** Which of the changes the updater can make; paths that were not asked about are ignored. */
export interface CanUpdateMachineResponse {
  error: string | null;
  acceptedChanges: string[];
}

/** Tells an updater to make its changes, or asks how far it is. */
export interface UpdateMachineRequest {
  machine: { name: string; namespace: string };
}

/** How far the updater is. */
export interface UpdateMachineResponse {
  error: string | null;
  status: "InProgress" | "Done" | "Error";
  /** When to ask again, as a duration such as `5m0s`. */
  tryAgain?: string;
}
