import {
  type AzureMachinePoolMachine,
  type Condition,
  DELETE_MACHINE_ANNOTATION,
  type Frozen,
  getCondition,
  type Node,
  PROTOTYPE_DONOR_ANNOTATION,
} from "@capstan/api";
import type { PowerState } from "@capstan/azure";
import type { MachineView, VmState } from "@capstan/plan";
import { availabilityOf, cordonedSince, longEnoughAtMs, updateOf } from "../../../workload/availability.ts";
import { currentName, type DesiredHash } from "../model/hash.ts";
import { MODEL_HASH_ANNOTATION, SURGE_ANNOTATION, UNKNOWN_MODEL } from "../../../pools/well-known.ts";

/** The facts about an instance that a plan needs. */
export interface InstanceFacts {
  readonly instanceID: string;
  readonly providerID: string;
  /** As Azure writes it: `Creating`, `Updating`, `Succeeded`, `Failed`, `Deleting`, or empty. */
  readonly provisioningState: string;
  readonly powerState: PowerState;
  readonly isLatestModel?: boolean;
  readonly createdMs?: number;
  /** The version of its image. */
  readonly imageVersion?: string;
  /** The model it was created from, if that is known without its resource. */
  readonly modelHash?: string;
}

/** One machine: its resource, its instance and its Node, each if it exists. */
export interface MachineFacts {
  readonly machine?: Frozen<AzureMachinePoolMachine>;
  readonly instance?: InstanceFacts;
  readonly node?: Frozen<Node>;
  /** Availability by the status of the resource, while the workload cluster does not answer. */
  readonly isAvailable?: boolean;
  /** Whether its resource is ready and not being deleted. */
  readonly isReady?: boolean;
  /** The last result of `machineView`, if it does not depend on the time. */
  cachedView?: CachedView;
}

/** What the views of all machines of a pool depend on. */
export interface MachineContext {
  readonly pool: string;
  readonly picked: ReadonlySet<string>;
  readonly pickedForUpdate: ReadonlySet<string>;
  readonly desired: DesiredHash;
  readonly minReadySeconds: number;
  readonly nowMs: number;
}

/** The view of an available machine that was not picked: it does not depend on the time. */
interface CachedView {
  readonly view: MachineView;
  readonly desired: string;
  readonly minReadySeconds: number;
}

/** Converts the facts about a machine into the planner's view. */
export function machineView(context: MachineContext, facts: MachineFacts): MachineView {
  const { picked, desired, minReadySeconds } = context;
  const { cachedView: cached } = facts;
  const isAsBefore = cached?.desired === desired.hash && cached.minReadySeconds === minReadySeconds;
  if (isAsBefore && !isPicked(cached.view, picked)) return cached.view;
  const view = freshView(context, facts);
  const isLasting = view.isAvailable && !isPicked(view, picked);
  if (isLasting) facts.cachedView = { view, desired: desired.hash, minReadySeconds };
  return view;
}

function isPicked({ name }: MachineView, picked: ReadonlySet<string>): boolean {
  return picked.size > 0 && name !== undefined && picked.has(name);
}

function freshView(context: MachineContext, facts: MachineFacts): MachineView {
  const { pool, desired, nowMs } = context;
  const { instance } = facts;
  return {
    pool,
    instanceID: instance?.instanceID,
    createdMs: createdMs(facts, nowMs),
    modelHash: currentName(modelOf(facts), desired),
    ...(instance?.isLatestModel !== undefined && { isLatestModel: instance.isLatestModel }),
    vmState: instance ? vmStateOf(instance) : "Unknown",
    ...availabilityIn(facts, context),
    ...decidedAbout(facts.machine, context),
  };
}

type Decided = Pick<
  MachineView,
  | "name"
  | "isDeleting"
  | "deletingSinceMs"
  | "deletedByUser"
  | "hasDeleteAnnotation"
  | "isSurge"
  | "isDonor"
  | "picked"
  | "updatingToHash"
  | "isUpdateUnplanned"
>;

/** Earlier decisions about a machine: by a user or by the pool, and how far they have come. */
function decidedAbout(
  machine: Frozen<AzureMachinePoolMachine> | undefined,
  { picked, pickedForUpdate, desired }: MachineContext,
): Decided {
  if (!machine) {
    const nothing = { picked: undefined, updatingToHash: undefined, isDeleting: false, deletedByUser: false };
    return { name: undefined, hasDeleteAnnotation: false, isSurge: false, ...nothing };
  }
  const { name, deletionTimestamp, annotations = {} } = machine.metadata;
  const isDeleting = deletionTimestamp !== undefined;
  const hash = updateOf(machine);
  return {
    name,
    isDeleting,
    ...(isDeleting && { deletingSinceMs: Date.parse(deletionTimestamp) }),
    deletedByUser: isDeleting && !picked.has(name),
    hasDeleteAnnotation: annotations[DELETE_MACHINE_ANNOTATION] !== undefined,
    isSurge: annotations[SURGE_ANNOTATION] !== undefined,
    ...(annotations[PROTOTYPE_DONOR_ANNOTATION] !== undefined && { isDonor: true }),
    picked: picked.has(name) ? "delete" : hash === undefined ? undefined : "update",
    updatingToHash: hash && currentName(hash, desired),
    ...(isUpdateUnplanned(machine, pickedForUpdate) && { isUpdateUnplanned: true }),
  };
}

/** Whether another client has asked for an update. One that has begun is finished: the Node of the machine may be gone already. */
function isUpdateUnplanned(
  machine: Frozen<AzureMachinePoolMachine>,
  pickedForUpdate: ReadonlySet<string>,
): boolean {
  if (updateOf(machine) === undefined || machine.status?.instanceUpdate) return false;
  return !pickedForUpdate.has(machine.metadata.name);
}

function createdMs({ machine, instance }: MachineFacts, nowMs: number): number {
  const created = Date.parse(machine?.metadata.creationTimestamp ?? "");
  return Number.isNaN(created) ? (instance?.createdMs ?? nowMs) : created;
}

function modelOf({ machine, instance }: MachineFacts): string {
  const stamped = machine?.status?.modelHash ?? machine?.metadata.annotations?.[MODEL_HASH_ANNOTATION];
  return stamped ?? instance?.modelHash ?? UNKNOWN_MODEL;
}

/** Whether a machine is available, and since when it is not: since its creation if it was never available. */
function availabilityIn(
  facts: MachineFacts,
  context: MachineContext,
): Pick<MachineView, "isAvailable" | "unavailableSinceMs"> {
  const { minReadySeconds, nowMs } = context;
  const { isAvailable, sinceMs } =
    facts.isAvailable === undefined
      ? availabilityOf({ ...facts, minReadySeconds, nowMs })
      : byStatus(facts, context);
  return { isAvailable, unavailableSinceMs: isAvailable ? undefined : brokenSinceMs(facts, sinceMs, nowMs) };
}

function brokenSinceMs(facts: MachineFacts, sinceMs: number | undefined, nowMs: number): number | undefined {
  const ready = getCondition(facts.machine?.status?.conditions, "Ready");
  if (sinceMs === undefined) return ready ? undefined : createdMs(facts, nowMs);
  // The Node's timestamp is by the clock of its cluster. If that is ahead of ours, the timestamp of the machine counts.
  const isAhead = sinceMs > nowMs && ready?.status === "False";
  return isAhead ? Date.parse(ready.lastTransitionTime) : sinceMs;
}

interface ByStatus {
  readonly isAvailable: boolean;
  readonly sinceMs: number | undefined;
}

function byStatus({ isAvailable = false, machine }: MachineFacts, context: MachineContext): ByStatus {
  const ready = getCondition(machine?.status?.conditions, "Ready");
  const shortlyMs = shortlyReadySinceMs(ready, context);
  if (isAvailable && shortlyMs !== undefined) return { isAvailable: false, sinceMs: shortlyMs };
  const since =
    ready && ready.status !== "True" ? ready.lastTransitionTime : machine && cordonedSince(machine);
  return { isAvailable, sinceMs: since === undefined ? undefined : Date.parse(since) };
}

/** Since when a machine is Ready that has not yet been Ready for minReadySeconds; undefined for any other. */
function shortlyReadySinceMs(
  ready: Frozen<Condition> | undefined,
  { minReadySeconds, nowMs }: MachineContext,
): number | undefined {
  if (ready?.status !== "True") return undefined;
  const sinceMs = Date.parse(ready.lastTransitionTime);
  return longEnoughAtMs(sinceMs, minReadySeconds) > nowMs ? sinceMs : undefined;
}

const VM_STATES: Readonly<Record<string, VmState>> = {
  Creating: "Creating",
  Updating: "Updating",
  Failed: "Failed",
  Canceled: "Failed",
  Deleting: "Deleting",
};

/** The state of a VM: its provisioning state unless that is Succeeded, then its power state. */
export function vmStateOf({
  provisioningState,
  powerState,
}: Pick<InstanceFacts, "provisioningState" | "powerState">): VmState {
  const state = VM_STATES[provisioningState];
  if (state !== undefined) return state;
  if (powerState === "stopped" || powerState === "stopping") return "Stopped";
  if (powerState === "deallocated" || powerState === "deallocating") return "Deallocated";
  return provisioningState === "Succeeded" ? "Running" : "Unknown";
}
