/** The input of the planner of machine pools: observed facts and the time of the observation. */
import type { Tags } from "../../ownership-tags.ts";
import type { DrainedMachine } from "./instances/drained-machine.ts";

/** The state of a VM according to Azure. */
export type VmState =
  | "Creating"
  | "Running"
  | "Updating"
  | "Failed"
  | "Deleting"
  | "Stopped"
  | "Deallocated"
  | "Unknown";

/**
 * An earlier decision about a machine, persisted so that a restart does not lose it. A pick to update has started the
 * update. A pick to delete is decided again on every pass until the resource is deleted.
 */
type MachinePick = "delete" | "update";

/** One instance of the scale set, or one resource, or (nearly always) both. */
export interface MachineView {
  /** The pool that owns the machine, compared by its whole name. */
  readonly pool: string;
  /** The AzureMachinePoolMachine; undefined while the instance has none. */
  readonly name: string | undefined;
  /** The instance in the scale set; undefined when it no longer exists. */
  readonly instanceID: string | undefined;
  readonly createdMs: number;
  readonly modelHash: string;
  /** Whether Azure says that the instance has the latest model: a reverted model is a new edition for Azure. */
  readonly isLatestModel?: boolean;
  readonly vmState: VmState;
  /** Whether VM and Node work, by the definition of available in the glossary. */
  readonly isAvailable: boolean;
  /** When the machine became unavailable; its creation time if it has never been available. */
  readonly unavailableSinceMs: number | undefined;
  readonly isDeleting: boolean;
  /** When its deletion started, if known. */
  readonly deletingSinceMs?: number;
  /** Whether a user, and not the planner, deleted the resource. */
  readonly deletedByUser: boolean;
  readonly hasDeleteAnnotation: boolean;
  /** Created beyond the desired number so that other machines can be updated in place; deleted afterwards. */
  readonly isSurge: boolean;
  /** Whether an image is taken of the machine: it comes back by itself, so no decision is about it meanwhile. */
  readonly isDonor?: boolean;
  readonly picked: MachinePick | undefined;
  /** The model that a running update in place leads to. */
  readonly updatingToHash: string | undefined;
  /** Whether another client than the pool controller has annotated the machine for an update, which has not started. */
  readonly isUpdateUnplanned?: boolean;
}

/** A long-running operation of the scale set that has not ended yet. */
export interface SetOperation {
  readonly kind: "PutModel" | "SetCapacity" | "DeleteInstances" | "UpdateInstances";
  readonly sinceMs: number;
}

/** The observed state of the workload cluster. */
interface WorkloadView {
  readonly isReachable: boolean;
  readonly nodes: number;
  readonly notReady: number;
}

/** What successive lists have shown about resources without an instance. */
export interface RemovalGuard {
  /** The names that were missing in the last list, sorted. */
  readonly missing: readonly string[];
  /** How many later lists were the same, each long enough after the one before. */
  readonly confirmations: number;
  readonly lastCountedMs: number;
}

/** The tags of a scale set. */
export interface TagsView {
  readonly observed: Tags;
  readonly desired: Tags;
}

/** The image that new machines should boot from. */
interface BootImageView {
  /** Whether the scale set has it. */
  readonly isInUse: boolean;
  /** The name of the image definition of a node prototype; undefined for the image in the spec. */
  readonly definition: string | undefined;
}

/** The bootstrap data in the scale set. */
interface BootstrapDataView {
  /** Whether machines that are created or updated now can join with it. */
  readonly isValid: boolean;
  /** Whether newer data exists. */
  readonly isSuperseded: boolean;
  /** Whether it must always be valid, because an autoscaler or Azure creates machines at any time. */
  readonly isAlwaysNeeded: boolean;
}

/** The machines whose instances wait for an operation, and the operations that run. */
export interface InstancesView {
  /** The drained machines without a running operation. */
  readonly drained: readonly DrainedMachine[];
  readonly operationsStartedMs: readonly number[];
}

/** One pool at one moment. The machines were listed after the capacity was read, with no PUT in between. */
export interface PoolView {
  readonly namespace: string;
  readonly name: string;
  /** The desired number of machines; for an externally scaled pool the number that the autoscaler last set. */
  readonly desired: number;
  readonly maxSurge: number | string;
  readonly maxUnavailable: number | string;
  readonly deletePolicy: "Oldest" | "Newest" | "Random";
  readonly instanceUpdate: "Replace" | "InPlace";
  /** The capacity of the scale set, or 0 when it does not exist. */
  readonly capacity: number;
  readonly desiredHash: string;
  /** The model of the scale set; undefined when the scale set does not exist yet. */
  readonly setHash: string | undefined;
  /** Whether Azure says that the last change of the scale set has failed. */
  readonly isSetFailed: boolean;
  /** Whether Azure has refused the desired model because it counts too many models. */
  readonly isModelRejected: boolean;
  readonly isExternallyScaled: boolean;
  readonly isPaused: boolean;
  /** Why the desired model cannot be built: the limits of the rollout may be wrong, too, and only deletions continue. */
  readonly specProblem?: string;
  readonly operation: SetOperation | undefined;
  /** Whether Azure has not finished a change of the scale set, no matter which client made it. */
  readonly isSetChanging?: boolean;
  /** Whether another client has resized the scale set while operations of the pool ran on its instances. */
  readonly isResized?: boolean;
  /** Absent if there is no scale set, or if its tags are not known. */
  readonly tags?: TagsView;
  /** Absent if there is no scale set, or if its image is not known. */
  readonly bootImage?: BootImageView;
  /** Absent if there is no scale set, or if its bootstrap data is not known. */
  readonly bootstrapData?: BootstrapDataView;
  /** Absent in a forecast, which simulates drains and operations itself. */
  readonly instances?: InstancesView;
  /** The models that instances or the scale set have. */
  readonly modelsInUse: readonly string[];
  readonly workload: WorkloadView;
  readonly removalGuard: RemovalGuard | undefined;
  /** The number of removals that a user allowed by annotation. */
  readonly allowedRemovals: number | undefined;
  readonly machines: readonly MachineView[];
  readonly nowMs: number;
  /** Determines the order of the Random policy, so that planning twice gives the same plan. */
  readonly seed: string;
}

/** A machine with an instance, whether or not it has a resource. */
export interface InstanceView extends MachineView {
  readonly instanceID: string;
}

/** A machine that can be acted on: it has a resource and an instance. */
export interface WholeMachine extends InstanceView {
  readonly name: string;
}

export function hasInstance(machine: MachineView): machine is InstanceView {
  return machine.instanceID !== undefined;
}

/** Whether a machine has both its resource and its instance. */
export function isWhole(machine: MachineView): machine is WholeMachine {
  return machine.name !== undefined && machine.instanceID !== undefined;
}

/** The machines of this pool: whole names are compared, so `mp-1` never includes machines of `mp-10`. */
export function machinesOf(view: PoolView): readonly MachineView[] {
  return view.machines.filter((machine) => machine.pool === view.name);
}

/** Whether the pool controller begins nothing but deletions that users have asked for, or nothing at all. */
export function isHalted({ isPaused, specProblem }: PoolView): boolean {
  return isPaused || specProblem !== undefined;
}

/** Whether Azure still counts the instance: it exists, and Azure has not accepted its deletion. */
export function isLive(machine: MachineView): boolean {
  return machine.instanceID !== undefined && machine.vmState !== "Deleting";
}

/** Whether the machine is being deleted, by its resource or in Azure. */
export function isLeaving(machine: MachineView): boolean {
  return machine.isDeleting || machine.vmState === "Deleting";
}

/** Whether the machine is being updated in place, from the pick on. */
export function isUpdating(machine: MachineView): boolean {
  return machine.picked === "update";
}

/** Whether the machine counts as available in the budget. */
export function isAvailable(machine: MachineView): boolean {
  return isLive(machine) && !isLeaving(machine) && !isUpdating(machine) && machine.isAvailable;
}

/** Whether the VM is in a state that it does not leave by itself. */
export function isBroken(machine: MachineView): boolean {
  return machine.vmState === "Failed" || machine.vmState === "Stopped" || machine.vmState === "Deallocated";
}

/** How long a machine may be unavailable before it counts as stuck: a slow boot or a reboot is shorter. */
const STUCK_AFTER_MS = 10 * 60_000;

/** Whether the machine has been unavailable for so long that it counts as stuck. */
export function isLongUnavailable(machine: MachineView, nowMs: number): boolean {
  const since = machine.unavailableSinceMs;
  return !machine.isAvailable && since !== undefined && nowMs - since > STUCK_AFTER_MS;
}
