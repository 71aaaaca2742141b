import {
  type AzureMachinePool,
  type AzureMachinePoolMachine,
  type Frozen,
  getCondition,
  isPausedByAnnotation,
  isTrue,
  type MachinePool,
} from "@capstan/api";
import { needsAnotherWrite } from "./set-status.ts";
import { digest, type PowerState } from "@capstan/azure";
import { isExternallyScaled } from "../../../contract/pool-spec.ts";
import {
  ALLOW_REMOVAL_ANNOTATION,
  type MachineView,
  missingNames,
  type PoolView,
  type RemovalGuard,
  type SetOperation,
} from "@capstan/plan";
import { cordonedSince, updateOf } from "../../../workload/availability.ts";
import { DRAINED } from "../../../pools/machine-conditions.ts";
import { type InstanceFacts, type MachineFacts, machineView, vmStateOf } from "./machine-view.ts";
import { currentName, type DesiredHash } from "../model/hash.ts";

/** The facts about the scale set; undefined if there is none. */
export interface SetFacts {
  readonly capacity: number;
  /** The model hash in the tag of the set. */
  readonly modelHash: string;
  readonly provisioningState?: string | undefined;
}

/** The facts about the workload cluster. */
export type WorkloadFacts = PoolView["workload"];

/** The input of a plan. */
export interface PoolFacts {
  readonly pool: Frozen<AzureMachinePool>;
  readonly machinePool: Frozen<MachinePool>;
  readonly machines: readonly MachineFacts[];
  readonly scaleSet: SetFacts | undefined;
  readonly desired: DesiredHash;
  readonly workload: WorkloadFacts;
  readonly isModelRejected?: boolean;
  readonly nowMs: number;
}

/** Converts the facts about a pool into the planner's view; the one place for it, live and from a dump. */
export function poolView(facts: PoolFacts): PoolView {
  const { pool, machinePool, scaleSet, desired, workload, isModelRejected = false, nowMs } = facts;
  const { name, namespace = "", uid } = pool.metadata;
  const machines = machineViews(facts);
  const setHash = scaleSet && currentName(scaleSet.modelHash, desired);
  const view: PoolView = {
    namespace,
    name,
    desired: desiredOf(pool, machinePool, scaleSet),
    ...strategyOf(pool),
    capacity: scaleSet?.capacity ?? 0,
    desiredHash: desired.hash,
    setHash,
    isSetFailed: needsAnotherWrite(scaleSet?.provisioningState),
    isModelRejected,
    isExternallyScaled: isExternallyScaled(machinePool),
    isPaused: isPaused(pool, machinePool),
    operation: operationOf(pool),
    modelsInUse: modelsIn(machines, setHash),
    workload,
    removalGuard: undefined,
    allowedRemovals: allowedRemovals(pool),
    machines,
    nowMs,
    seed: uid ?? name,
  };
  return { ...view, removalGuard: guardIn(pool, missingNames(view)) };
}

/** Whether a user has paused the pool or its MachinePool. */
function isPaused(pool: Frozen<AzureMachinePool>, machinePool: Frozen<MachinePool>): boolean {
  return isPausedByAnnotation(pool) || isPausedByAnnotation(machinePool);
}

function machineViews({ pool, machinePool, machines, desired, nowMs }: PoolFacts): readonly MachineView[] {
  const { minReadySeconds = 0 } = machinePool.spec.template.spec;
  const picked = new Set(pool.status?.pickedForDeletion ?? []);
  const pickedForUpdate = new Set(pool.status?.pickedForUpdate ?? []);
  const context = { pool: pool.metadata.name, picked, pickedForUpdate, desired, minReadySeconds, nowMs };
  return machines.map((machine) => machineView(context, machine));
}

type Strategy = Pick<PoolView, "maxSurge" | "maxUnavailable" | "deletePolicy" | "instanceUpdate">;

function strategyOf({ spec }: Frozen<AzureMachinePool>): Strategy {
  const { rollingUpdate = {} } = spec.strategy ?? {};
  const {
    maxSurge = 1,
    maxUnavailable = 0,
    deletePolicy = "Oldest",
    instanceUpdate = "Replace",
  } = rollingUpdate;
  return { maxSurge, maxUnavailable, deletePolicy, instanceUpdate };
}

/** The hash of a list of names: hundreds of names would not fit into a status. */
export function hashOfNames(names: readonly string[]): string {
  return digest(names);
}

/** The facts about a machine from its status alone, for dumps. */
export function factsFromStatus(machine: Frozen<AzureMachinePoolMachine>): MachineFacts {
  const { spec, status = {} } = machine;
  const { provisioningState = "Creating", latestModelApplied: isLatestModel } = status;
  const running = getCondition(status.conditions, "VMRunning");
  const instance: InstanceFacts = {
    instanceID: spec.instanceID ?? spec.providerID.split("/").at(-1) ?? "",
    providerID: spec.providerID,
    provisioningState,
    powerState: powerIn(running?.status === "False" ? running.reason : undefined),
    ...(isLatestModel !== undefined && { isLatestModel }),
  };
  return { machine, instance, isAvailable: isWorkingByStatus(machine) };
}

/** Whether a machine is ready by its status and is neither deleted, updated nor cordoned. */
export function isWorkingByStatus(machine: Frozen<AzureMachinePoolMachine>): boolean {
  return machine.status?.ready === true && isUndisturbed(machine);
}

/**
 * The health of the workload cluster by the machines of one pool. As with live Nodes, machines that are off or being deleted do
 * not count; a drained machine is not ready, although its Node may be.
 */
export function workloadFromStatus(machines: readonly MachineFacts[]): WorkloadFacts {
  const joined = machines.flatMap(({ machine, instance }) => {
    const { nodeRef, conditions, ready } = machine?.status ?? {};
    const hasNode = nodeRef !== undefined && !isTrue(conditions, DRAINED);
    if (!hasNode || !instance || vmStateOf(instance) !== "Running") return [];
    return [{ isReady: ready === true || getCondition(conditions, DRAINED) !== undefined }];
  });
  return {
    isReachable: true,
    nodes: joined.length,
    notReady: joined.filter(({ isReady }) => !isReady).length,
  };
}

/** Whether a machine is neither deleted, updated nor cordoned. */
function isUndisturbed(machine: Frozen<AzureMachinePoolMachine>): boolean {
  const { metadata, status } = machine;
  const isUpdated = updateOf(machine) !== undefined || status?.instanceUpdate !== undefined;
  return metadata.deletionTimestamp === undefined && !isUpdated && cordonedSince(machine) === undefined;
}

function powerIn(reason: string | undefined): PowerState {
  const text = reason?.toLowerCase() ?? "";
  return (
    (["deallocated", "deallocating", "stopped", "stopping"] as const).find((one) => text.includes(one)) ??
    "unknown"
  );
}

/** With an autoscaler the desired number is the capacity that the autoscaler set last. */
function desiredOf(
  { status }: Frozen<AzureMachinePool>,
  machinePool: Frozen<MachinePool>,
  scaleSet: SetFacts | undefined,
): number {
  const { replicas = 1 } = machinePool.spec;
  if (!isExternallyScaled(machinePool) || !scaleSet) return replicas;
  return status?.externalReplicas ?? scaleSet.capacity;
}

function modelsIn(machines: readonly MachineView[], setHash: string | undefined): readonly string[] {
  const models = machines
    .filter(({ instanceID }) => instanceID !== undefined)
    .map(({ modelHash }) => modelHash);
  return [...new Set([...models, ...(setHash === undefined ? [] : [setHash])])];
}

function allowedRemovals({ metadata }: Frozen<AzureMachinePool>): number | undefined {
  const text = metadata.annotations?.[ALLOW_REMOVAL_ANNOTATION] ?? "";
  return /^[0-9]{1,6}$/.test(text) ? Number(text) : undefined;
}

/** The stored confirmations count only for the same set of names. */
function guardIn({ status }: Frozen<AzureMachinePool>, missing: readonly string[]): RemovalGuard | undefined {
  const stored = status?.blockedRemoval;
  if (!stored || stored.hash !== hashOfNames(missing)) return undefined;
  const { confirmations, lastConfirmedAt } = stored;
  return { missing, confirmations, lastCountedMs: Date.parse(lastConfirmedAt) };
}

/** The running operation; a write of the set comes before operations on instances. */
function operationOf({ status }: Frozen<AzureMachinePool>): SetOperation | undefined {
  const { operation, instanceOperations = [] } = status ?? {};
  if (operation) return { kind: "PutModel", sinceMs: Date.parse(operation.startedAt) };
  const [first] = instanceOperations;
  if (!first) return undefined;
  const kind = first.action === "delete" ? "DeleteInstances" : "UpdateInstances";
  return { kind, sinceMs: Date.parse(first.startedAt) };
}
