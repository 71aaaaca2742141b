import type { Action, BlockedBy, Heading } from "../shared/action.ts";
import type { Tags } from "../../ownership-tags.ts";
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
  | Action<"RevertUpdateAnnotation", { readonly cause: "NotPlanned" }>
  | Action<"ClearSurge", { readonly cause: "NotInExcess" }>
  | Action<"SwitchImage", { readonly definition?: string }>
  | Action<"RenewBootstrapData", { readonly cause: "NewMachines" | "Updates" }>
  | Action<"PatchTags", { readonly set: Tags; readonly remove: Tags }>
  | Action<"StartInstanceOperation", InstanceOperation>
  | Action<"Wait", { readonly for: "Operation" | "Deletion" | "Update" | "Availability" }>;

type ActionName = PoolAction["action"];

/** Changes of the scale set: each may start an operation, so a pass performs one of them. */
const CHANGES_OF_SET: ReadonlySet<ActionName> = new Set<ActionName>([
  "UpdateMachineInPlace",
  "PutModel",
  "SetCapacity",
  "SwitchImage",
  "RenewBootstrapData",
  "PatchTags",
]);

/** Actions that do not pick machines or sizes: they keep the pool in order, or carry out what was picked before. */
const BESIDE_ROLLOUT: ReadonlySet<ActionName> = new Set<ActionName>([
  "RevertUpdateAnnotation",
  "ClearSurge",
  "SwitchImage",
  "RenewBootstrapData",
  "PatchTags",
  "StartInstanceOperation",
]);

/** Whether an action changes the scale set. */
export function isChangeOfSet({ action }: Pick<PoolAction, "action">): boolean {
  return CHANGES_OF_SET.has(action);
}

/** Whether an action picks machines or a size for the rollout, or waits for it: a pool without such an action is rolled out. */
export function isOfRollout({ action }: Pick<PoolAction, "action">): boolean {
  return !BESIDE_ROLLOUT.has(action);
}

/** The instances that get an AzureMachinePoolMachine. */
interface Adoption {
  readonly instanceIDs: readonly string[];
  /** The instances among them that exist only while other machines are updated in place. */
  readonly surgeInstanceIDs?: readonly string[];
}

/** One request to Azure about several instances. */
interface InstanceOperation {
  readonly operation: "delete" | "upgrade" | "reimage";
  readonly instanceIDs: readonly string[];
  /** Whether a re-image of the same instances follows. */
  readonly isReimagedNext?: boolean;
}

/** Why the pool controller does not do more. */
export type Blocked = BlockedBy<BlockedReason>;

/** The reasons that can block a pool. */
export type BlockedReason =
  | "Paused"
  | "InvalidSpec"
  | "RemovalBlocked"
  | "WorkloadUnreachable"
  | "WorkloadUnhealthy"
  | "TooManyModels"
  | "CapacityMismatch"
  | "NewMachinesNotAvailable"
  | "UserDeletion"
  | "ScaleDownUnderWay"
  | "BudgetUsedUp"
  | "ExternallyScaled"
  | "NodeNotDrained"
  | "BootstrapDataExpired";

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
