import type { PoolView } from "./view.ts";

/** The words a plan is made of; `capstan plan` prints them as they are. */
type ActionName =
  | "SetCapacity"
  | "DeleteMachine"
  | "UpdateMachineInPlace"
  | "CreateMachineResource"
  | "DeleteMachineResource"
  | "PutModel"
  | "Wait";

/** Why a machine was picked, in one word. */
export type Cause = "Stuck" | "ScaleDown" | "Annotated" | "Outdated";

/** The object an action is about. */
interface ActionObject {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

interface Step<Name extends ActionName, Detail> {
  readonly controller: "azuremachinepool";
  readonly object: ActionObject;
  readonly action: Name;
  readonly targets: readonly string[];
  readonly detail: Detail;
  readonly why: string;
}

/** What a pool does next, with what it needs to be done and why; the `action` tells them apart. */
export type PoolAction =
  | Step<"SetCapacity", { readonly from: number; readonly to: number }>
  | Step<"PutModel", { readonly hash: string; readonly from: number; readonly to: number }>
  | Step<"DeleteMachine", { readonly cause: Cause }>
  | Step<"UpdateMachineInPlace", { readonly hash: string; readonly losesLocalData: true }>
  | Step<"CreateMachineResource", Adoption>
  | Step<"DeleteMachineResource", { readonly cause: "InstanceGone" }>
  | Step<"Wait", { readonly for: "Operation" | "Deletion" | "Update" | "Availability" }>;

/** The instances that get a resource. */
interface Adoption {
  readonly instanceIDs: readonly string[];
  /** Those of them that are there only for as long as others are updated in place. */
  readonly surgeInstanceIDs?: readonly string[];
}

/** What the pool would do if something did not stand in its way. */
export interface Blocked {
  readonly controller: "azuremachinepool";
  readonly object: ActionObject;
  readonly reason: BlockedReason;
  readonly targets: readonly string[];
  readonly why: string;
}

/** What can stand in the way. */
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

/** The same fields open every action and every block of one pool. */
export interface Heading {
  readonly controller: "azuremachinepool";
  readonly object: ActionObject;
}

/** Says which controller and which pool speak. */
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

/** A number with its noun, so that a sentence reads well for one and for many. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

/** The verb that goes with a count. */
export function isOrAre(count: number): string {
  return count === 1 ? "is" : "are";
}
