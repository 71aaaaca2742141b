import type { Action, BlockedBy, Heading } from "../shared/action.ts";
import type { PoolView } from "./view.ts";

/** Why a machine was picked, in one word. */
export type Cause = "Stuck" | "ScaleDown" | "Annotated" | "Outdated";

/** What the pool controller does next; `capstan plan` prints these names. */
export type PoolAction =
  | Action<"SetCapacity", { readonly from: number; readonly to: number }>
  | Action<"PutModel", { readonly hash: string; readonly from: number; readonly to: number }>
  | Action<"DeleteMachine", { readonly cause: Cause }>
  | Action<"UpdateMachineInPlace", { readonly hash: string; readonly losesLocalData: true }>
  | Action<"CreateMachineResource", Adoption>
  | Action<"DeleteMachineResource", { readonly cause: "InstanceGone" }>
  | Action<"Wait", { readonly for: "Operation" | "Deletion" | "Update" | "Availability" }>;

/** The instances that get an AzureMachinePoolMachine. */
interface Adoption {
  readonly instanceIDs: readonly string[];
  /** The instances among them that exist only while other machines are updated in place. */
  readonly surgeInstanceIDs?: readonly string[];
}

/** Why the pool controller does not do more. */
export type Blocked = BlockedBy<BlockedReason>;

/** The reasons that can block a pool. */
export type BlockedReason =
  | "Paused"
  | "RemovalBlocked"
  | "WorkloadUnreachable"
  | "WorkloadUnhealthy"
  | "TooManyModels"
  | "CapacityMismatch"
  | "NewMachinesNotAvailable"
  | "UserDeletion"
  | "ScaleDownUnderWay"
  | "BudgetUsedUp"
  | "ExternallyScaled";

/** The controller and the pool that an action or a block belongs to. */
export function headingOf(view: PoolView): Heading {
  const { namespace, name } = view;
  return { controller: "azuremachinepool", object: { kind: "AzureMachinePool", namespace, name } };
}

// The version and eight digits are enough to distinguish models.
const MODEL_LENGTH = 11;

/** Shortened hashes without duplicates; the detail of the action has the whole hash. */
export function modelsText(...hashes: readonly string[]): string {
  return [...new Set(hashes.map((hash) => hash.slice(0, MODEL_LENGTH)))].sort().join(", ");
}
