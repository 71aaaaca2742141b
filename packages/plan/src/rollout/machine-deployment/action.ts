import type { Action, BlockedBy, Heading } from "../shared/action.ts";
import type { DeploymentView } from "./view.ts";

/** What the MachineDeployment controller does next; `capstan plan` prints these names. */
export type DeploymentAction =
  | Action<"CreateMachineSet", { readonly replicas: number }>
  | Action<"ScaleMachineSet", { readonly from: number; readonly to: number }>
  | Action<
      "MoveMachine",
      {
        readonly from: string;
        readonly to: string;
        readonly updaters: readonly string[];
        /** Whether the Node is drained before. */
        readonly needsDrain?: boolean;
      }
    >
  | Action<"MarkMachine", { readonly cause: MarkCause }>
  | Action<"DeleteMachineSet", { readonly cause: "Empty" }>
  | Action<"Wait", { readonly for: "Availability" | "Deletion" | "Creation" | "Update" }>;

/** Why a MachineSet deletes a machine before its others when it is scaled down. */
export type MarkCause = "NeverReady" | "Unhealthy" | "Spare";

/** Why the MachineDeployment controller does not do more. */
export type DeploymentBlocked = BlockedBy<
  | "RolloutPaused"
  | "InPlaceUpdatesDisabled"
  | "NewMachinesNotAvailable"
  | "WaitingForDeletionByUser"
  | "ChangesNotCovered"
  | "UpdatersNotAnswering"
  | "WaitingForApproval"
  | "PreflightCheckFailed"
  | "UpdateFailed"
>;

/** The controller and the object of an action or a block. */
export function headingOf({ namespace, name }: DeploymentView): Heading {
  return { controller: "machinedeployment", object: { kind: "MachineDeployment", namespace, name } };
}
