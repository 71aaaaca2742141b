/** What a planner of machine pools gets to see: facts as they were observed, and the time at which that was. */

/** What Azure says a virtual machine is doing. */
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
 * What was decided about a machine before, and written down so that a restart does not forget it. An update has begun
 * with that. A deletion has not before the resource is deleted: until then it is decided anew, as things are by then.
 */
type MachinePick = "delete" | "update";

/** One instance of the scale set, or one resource, or (as nearly always) both. */
export interface MachineView {
  /** The pool that owns the machine; one whose name only begins like the pool's is never its machine. */
  readonly pool: string;
  /** The AzureMachinePoolMachine; undefined while the instance has none. */
  readonly name: string | undefined;
  /** The instance in the scale set; undefined when the resource has none any more. */
  readonly instanceID: string | undefined;
  readonly createdMs: number;
  readonly modelHash: string;
  /** Whether Azure says that it is what the scale set has now: a model that comes back is another one to Azure. */
  readonly isLatestModel?: boolean;
  readonly vmState: VmState;
  /** Whether VM and Node do their work, by the definition of available that the whole product uses. */
  readonly isAvailable: boolean;
  /** Since when it is not available: for a machine that never was, since it exists. */
  readonly unavailableSinceMs: number | undefined;
  readonly isDeleting: boolean;
  /** Since when it is being deleted, where that is known. */
  readonly deletingSinceMs?: number;
  /** Whether it is a user, and not a plan, who deleted the resource. */
  readonly deletedByUser: boolean;
  readonly hasDeleteAnnotation: boolean;
  /** Made beyond the wanted number so that the others can be updated in place; it goes when they are. */
  readonly isSurge: boolean;
  readonly picked: MachinePick | undefined;
  /** The model an update in place is on its way to. */
  readonly updatingToHash: string | undefined;
}

/** A long-running operation of the scale set that has not ended yet. */
export interface SetOperation {
  readonly kind: "PutModel" | "SetCapacity" | "DeleteInstances" | "UpdateInstances";
  readonly sinceMs: number;
}

/** What is known about the cluster that the machines are Nodes of. */
interface WorkloadView {
  readonly isReachable: boolean;
  readonly nodes: number;
  readonly notReady: number;
}

/** What lists have said, one after the other, about resources that lost their instance. */
export interface RemovalGuard {
  /** The names that were missing in the last list, sorted. */
  readonly missing: readonly string[];
  /** How many later lists said the same, each long enough after the one before. */
  readonly confirmations: number;
  readonly lastCountedMs: number;
}

/** One pool at one moment. Machines were listed after the capacity was read and with no PUT in between. */
export interface PoolView {
  readonly namespace: string;
  readonly name: string;
  /** The wanted number of machines; for an externally scaled pool what the autoscaler last asked for. */
  readonly desired: number;
  readonly maxSurge: number | string;
  readonly maxUnavailable: number | string;
  readonly deletePolicy: "Oldest" | "Newest" | "Random";
  readonly instanceUpdate: "Replace" | "InPlace";
  /** The capacity of the scale set, or 0 when there is none. */
  readonly capacity: number;
  readonly wantedHash: string;
  /** The model the scale set has; undefined when there is no scale set yet. */
  readonly setHash: string | undefined;
  /** Whether Azure says that the last change of the scale set has failed. */
  readonly isSetFailed: boolean;
  /** Whether Azure has just refused the wanted model because it counts too many of them. */
  readonly isModelRefused: boolean;
  readonly isExternallyScaled: boolean;
  readonly isPaused: boolean;
  readonly operation: SetOperation | undefined;
  /** The models that instances or the scale set have. */
  readonly modelsInUse: readonly string[];
  readonly workload: WorkloadView;
  readonly removalGuard: RemovalGuard | undefined;
  /** The number of removals that a user allowed by annotation. */
  readonly allowedRemovals: number | undefined;
  readonly machines: readonly MachineView[];
  readonly nowMs: number;
  /** Fixes the order of the Random policy, so that a plan is the same when it is made twice. */
  readonly seed: string;
}

/** A machine that there is, whether it has a resource or not. */
export interface InstanceView extends MachineView {
  readonly instanceID: string;
}

/** A machine that can be acted on: it has a resource and an instance. */
export interface WholeMachine extends InstanceView {
  readonly name: string;
}

/** Whether there is an instance. */
export function hasInstance(machine: MachineView): machine is InstanceView {
  return machine.instanceID !== undefined;
}

/** Whether a machine has both its resource and its instance. */
export function isWhole(machine: MachineView): machine is WholeMachine {
  return machine.name !== undefined && machine.instanceID !== undefined;
}

/** The machines of this very pool: names are compared whole, so `mp-1` never sees what belongs to `mp-10`. */
export function machinesOf(view: PoolView): readonly MachineView[] {
  return view.machines.filter((machine) => machine.pool === view.name);
}

/** Whether the instance still counts for Azure: it is there, and no delete of it was accepted. */
export function isLive(machine: MachineView): boolean {
  return machine.instanceID !== undefined && machine.vmState !== "Deleting";
}

/** Whether the machine goes, however far that has come. */
export function isLeaving(machine: MachineView): boolean {
  return machine.isDeleting || machine.vmState === "Deleting";
}

/** Whether the machine is updated in place, from the moment of the pick. */
export function isUpdating(machine: MachineView): boolean {
  return machine.picked === "update";
}

/** Whether the machine may be counted on. */
export function isAvailable(machine: MachineView): boolean {
  return isLive(machine) && !isLeaving(machine) && !isUpdating(machine) && machine.isAvailable;
}

/** Whether the VM has ended in a state that it does not leave by itself. */
export function isBroken(machine: MachineView): boolean {
  return machine.vmState === "Failed" || machine.vmState === "Stopped" || machine.vmState === "Deallocated";
}

/** How long a machine may be unavailable before it counts as stuck: a slow boot or a reboot is shorter. */
const STUCK_AFTER_MS = 10 * 60_000;

/** Whether the machine has been unavailable for so long that waiting for it makes no sense. */
export function isLongUnavailable(machine: MachineView, nowMs: number): boolean {
  const since = machine.unavailableSinceMs;
  return !machine.isAvailable && since !== undefined && nowMs - since > STUCK_AFTER_MS;
}
