/** The messages between the controllers and an updater, as in the examples of the proposal: objects are in v1beta1. */
import type { KubernetesObject } from "../kubernetes/meta.ts";

/** Asks an updater which changes of a machine it can make in place. */
export interface CanUpdateMachineRequest {
  desiredMachine: KubernetesObject;
  /** Absent if the machine has bootstrap data but no bootstrap config. */
  desiredBootstrapConfig?: KubernetesObject;
  desiredInfraMachine: KubernetesObject;
  currentMachine: KubernetesObject;
  currentBootstrapConfig?: KubernetesObject;
  currentInfraMachine: KubernetesObject;
  /** Paths such as `machine.spec.version`, `bootstrap.spec.files` or `infraMachine.spec.memoryMiB`. */
  changes: string[];
}

/** Which of the changes the updater can make; other paths are ignored. */
export interface CanUpdateMachineResponse {
  error: string | null;
  acceptedChanges: string[];
  /** Whether the Node must be drained before the first call of UpdateMachine. */
  needsDrain?: boolean;
}

/** Requests an updater to make its changes, or to report its progress. */
export interface UpdateMachineRequest {
  machine: { name: string; namespace: string };
}

/** The progress of the updater. */
export interface UpdateMachineResponse {
  error: string | null;
  status: "InProgress" | "Done" | "Error";
  /** When to ask again, as a duration such as `5m0s`. */
  tryAgain?: string;
}
