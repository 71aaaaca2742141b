import type { Action, BlockedBy, Heading } from "../shared/action.ts";
import type { PoolView } from "./view.ts";

/** Why a machine was picked, in one word. */
export type Cause = "Stuck" | "ScaleDown" | "Annotated" | "Outdated";

/** What a pool does next; `capstan plan` prints the words as they are. */
export type PoolAction =
  | Action<"SetCapacity", { readonly from: number; readonly to: number }>
  | Action<"PutModel", { readonly hash: string; readonly from: number; readonly to: number }>
  | Action<"DeleteMachine", { readonly cause: Cause }>
  | Action<"UpdateMachineInPlace", { readonly hash: string; readonly losesLocalData: true }>
  | Action<"CreateMachineResource", Adoption>
  | Action<"DeleteMachineResource", { readonly cause: "InstanceGone" }>
  | Action<"Wait", { readonly for: "Operation" | "Deletion" | "Update" | "Availability" }>;

/** The instances that get a resource. */
interface Adoption {
  readonly instanceIDs: readonly string[];
  /** Those of them that exist only while other machines are updated in place. */
  readonly surgeInstanceIDs?: readonly string[];
}

/** Why a pool does not do more. */
export type Blocked = BlockedBy<BlockedReason>;

/** What can hold up a pool. */
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

/** Says which pool speaks. */
export function headingOf(view: PoolView): Heading {
  const { namespace, name } = view;
  return { controller: "azuremachinepool", object: { kind: "AzureMachinePool", namespace, name } };
}

// Version and eight digits: enough for people to tell models apart.
const MODEL_LENGTH = 11;

/** Models as people read them, each once; the whole hash is in the detail of the action. */
export function modelsText(...hashes: readonly string[]): string {
  return [...new Set(hashes.map((hash) => hash.slice(0, MODEL_LENGTH)))].sort().join(", ");
}
