import {
  type AzureMachinePoolMachine,
  type Condition,
  DELETE_MACHINE_ANNOTATION,
  type Frozen,
  getCondition,
  type Node,
} from "@capstan/api";
import type { PowerState } from "../../azure/scale-set/instance.ts";
import type { MachineView, VmState } from "../../rollout/scale-set/view.ts";
import { availabilityOf, cordonedSince, longEnoughAtMs, updateOf } from "../../workload/availability.ts";
import { currentName, type WantedHash } from "./model-hash.ts";
import { MODEL_HASH_ANNOTATION, SURGE_ANNOTATION, UNKNOWN_MODEL } from "./well-known.ts";

/** What a plan has to know of an instance. */
export interface InstanceFacts {
  readonly instanceID: string;
  readonly providerID: string;
  /** As Azure writes it: `Creating`, `Updating`, `Succeeded`, `Failed`, `Deleting`, or empty. */
  readonly provisioningState: string;
  readonly powerState: PowerState;
  readonly isLatestModel?: boolean;
  readonly createdMs?: number;
  /** The model it was made from, where that is known without its resource. */
  readonly modelHash?: string;
}

/** What is known of one machine: its resource, its instance and its Node, as far as there are any. */
export interface MachineFacts {
  readonly machine?: Frozen<AzureMachinePoolMachine>;
  readonly instance?: InstanceFacts;
  readonly node?: Frozen<Node>;
  /** Where its Node cannot be looked at: what is known of it all the same, by the status of the resource. */
  readonly isAvailable?: boolean;
  /** Whether its resource says that it is ready, and is not going. */
  readonly isReady?: boolean;
  /** What `machineView` last made of them. */
  seen?: SeenAs;
}

/** What all machines of a pool are looked at with. */
export interface MachineContext {
  readonly pool: string;
  readonly picked: ReadonlySet<string>;
  readonly wanted: WantedHash;
  readonly minReadySeconds: number;
  readonly nowMs: number;
}

/** The view of a machine that works and that nobody has picked: time alone does not change it. */
interface SeenAs {
  readonly view: MachineView;
  readonly wanted: string;
  readonly minReadySeconds: number;
}

/** Puts what is known of a machine into the planner's words. */
export function machineView(context: MachineContext, facts: MachineFacts): MachineView {
  const { picked, wanted, minReadySeconds } = context;
  const { seen } = facts;
  const isAsBefore = seen?.wanted === wanted.hash && seen.minReadySeconds === minReadySeconds;
  if (isAsBefore && !isPicked(seen.view, picked)) return seen.view;
  const view = freshView(context, facts);
  const isLasting = view.isAvailable && !isPicked(view, picked);
  if (isLasting) facts.seen = { view, wanted: wanted.hash, minReadySeconds };
  return view;
}

function isPicked({ name }: MachineView, picked: ReadonlySet<string>): boolean {
  return picked.size > 0 && name !== undefined && picked.has(name);
}

function freshView(context: MachineContext, facts: MachineFacts): MachineView {
  const { pool, wanted, nowMs } = context;
  const { instance } = facts;
  return {
    pool,
    instanceID: instance?.instanceID,
    createdMs: createdMs(facts, nowMs),
    modelHash: currentName(modelOf(facts), wanted),
    ...(instance?.isLatestModel !== undefined && { isLatestModel: instance.isLatestModel }),
    vmState: instance ? vmStateOf(instance) : "Unknown",
    ...workOf(facts, context),
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
  | "picked"
  | "updatingToHash"
>;

/** What was decided about a machine before, by whom, and how far that has come. */
function decidedAbout(
  machine: Frozen<AzureMachinePoolMachine> | undefined,
  { picked, wanted }: MachineContext,
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
    picked: picked.has(name) ? "delete" : hash === undefined ? undefined : "update",
    updatingToHash: hash && currentName(hash, wanted),
  };
}

function createdMs({ machine, instance }: MachineFacts, nowMs: number): number {
  const created = Date.parse(machine?.metadata.creationTimestamp ?? "");
  return Number.isNaN(created) ? (instance?.createdMs ?? nowMs) : created;
}

function modelOf({ machine, instance }: MachineFacts): string {
  const stamped = machine?.status?.modelHash ?? machine?.metadata.annotations?.[MODEL_HASH_ANNOTATION];
  return stamped ?? instance?.modelHash ?? UNKNOWN_MODEL;
}

/** Whether a machine works and since when it does not: for one that was never heard of, since it exists. */
function workOf(
  facts: MachineFacts,
  context: MachineContext,
): Pick<MachineView, "isAvailable" | "unavailableSinceMs"> {
  const { minReadySeconds, nowMs } = context;
  const { isAvailable, sinceMs } =
    facts.isAvailable === undefined
      ? availabilityOf({ ...facts, minReadySeconds, nowMs })
      : said(facts, context);
  return { isAvailable, unavailableSinceMs: isAvailable ? undefined : brokenSinceMs(facts, sinceMs, nowMs) };
}

function brokenSinceMs(facts: MachineFacts, sinceMs: number | undefined, nowMs: number): number | undefined {
  const ready = getCondition(facts.machine?.status?.conditions, "Ready");
  if (sinceMs === undefined) return ready ? undefined : createdMs(facts, nowMs);
  // A Node tells it by the clock of its cluster. Where that is ahead of ours, the machine tells it by ours.
  const isAhead = sinceMs > nowMs && ready?.status === "False";
  return isAhead ? Date.parse(ready.lastTransitionTime) : sinceMs;
}

interface Said {
  readonly isAvailable: boolean;
  readonly sinceMs: number | undefined;
}

function said({ isAvailable = false, machine }: MachineFacts, context: MachineContext): Said {
  const ready = getCondition(machine?.status?.conditions, "Ready");
  const shortlyMs = shortlyReadySinceMs(ready, context);
  if (isAvailable && shortlyMs !== undefined) return { isAvailable: false, sinceMs: shortlyMs };
  const since =
    ready && ready.status !== "True" ? ready.lastTransitionTime : machine && cordonedSince(machine);
  return { isAvailable, sinceMs: since === undefined ? undefined : Date.parse(since) };
}

/** Since when a machine is Ready that has not been so for long enough; undefined for any other. */
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

/** What a virtual machine is doing: a state that says more than "done" comes first, then whether it is on. */
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
