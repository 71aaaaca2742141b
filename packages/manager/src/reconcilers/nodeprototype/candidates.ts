import {
  AzureMachinePoolMachine,
  type Condition,
  type Frozen,
  getCondition,
  isTrue,
  type Node,
  UPDATE_INSTANCE_ANNOTATION,
} from "@capstan/api";
import type { Candidate } from "../../images/donor.ts";
import { isFailure } from "../../images/interruption.ts";
import { isNodeReady } from "../../workload/availability.ts";
import type { WorkloadNodes } from "../../workload/nodes.ts";
import { BY_POOL } from "../azuremachinepool/observe.ts";
import { renewalOf, type Scope } from "./scope.ts";

const CONDITIONS = ["Ready", "BootstrapSucceeded", "NodeHealthy"];
const PRESSURES = ["MemoryPressure", "DiskPressure", "PIDPressure"];
/** Annotation of a machine: it is never a donor. */
const EXCLUDED = "capstan.dev/exclude-prototype-donor";

/** The machines of a pool. */
export function machinesOf({ context, poolKey }: Scope): readonly Frozen<AzureMachinePoolMachine>[] {
  return context.cache.list(AzureMachinePoolMachine, { index: BY_POOL, value: poolKey });
}

/** The Node of a machine. */
export function nodeOf(
  nodes: WorkloadNodes,
  { spec, status }: Frozen<AzureMachinePoolMachine>,
): Frozen<Node> | undefined {
  const uid = status?.nodeRef?.uid;
  return nodes.of(spec.providerID).find(({ metadata }) => metadata.uid === uid);
}

/** The machines of a pool, as the choice of a donor sees them. */
export function candidatesOf(scope: Scope, nodes: WorkloadNodes): readonly Candidate[] {
  const { lastError, donor } = renewalOf(scope);
  const failed = isFailure(lastError) ? donor.machine : undefined;
  return machinesOf(scope).map((machine) => ({
    ...decidedAbout(machine, scope.pool.status?.modelHash),
    ...healthOf(machine, nodeOf(nodes, machine)),
    ...(machine.metadata.name === failed && { failedAsDonorMs: 1 }),
  }));
}

/** A machine by its resource alone: whether its Node is cordoned or lacks anything is not known. */
export function candidateIn(
  machine: Frozen<AzureMachinePoolMachine>,
  modelHash: string | undefined,
): Candidate {
  const hasNode = machine.status?.nodeRef !== undefined;
  return { ...decidedAbout(machine, modelHash), ...healthOf(machine, undefined), hasNode };
}

type Decided = Pick<
  Candidate,
  "machine" | "createdMs" | "isUpToDate" | "isDeleting" | "isUpdating" | "excludedBy"
>;

function decidedAbout(
  { metadata, status }: Frozen<AzureMachinePoolMachine>,
  modelHash: string | undefined,
): Decided {
  const { annotations = {}, deletionTimestamp, creationTimestamp = "", name } = metadata;
  return {
    machine: name,
    createdMs: Date.parse(creationTimestamp),
    isUpToDate: status?.modelHash !== undefined && status.modelHash === modelHash,
    isDeleting: deletionTimestamp !== undefined,
    isUpdating: UPDATE_INSTANCE_ANNOTATION in annotations || status?.instanceUpdate !== undefined,
    ...(EXCLUDED in annotations && { excludedBy: EXCLUDED }),
  };
}

type Health = Pick<Candidate, "isReady" | "isCordoned" | "hasNode" | "falseConditions" | "pressure">;

function healthOf({ status }: Frozen<AzureMachinePoolMachine>, node: Frozen<Node> | undefined): Health {
  const pressure = node?.status?.conditions?.find(
    (one) => PRESSURES.includes(one.type) && one.status === "True",
  );
  return {
    isReady: status?.ready === true && (node === undefined || isNodeReady(node)),
    isCordoned: node?.spec?.unschedulable === true,
    hasNode: node !== undefined,
    falseConditions: CONDITIONS.filter((type) => !isTrue(status?.conditions, type)),
    ...(pressure && { pressure: pressure.type }),
  };
}

interface ChangeOfPool {
  readonly reason: string;
  readonly why: string;
}

/** Why the pool must not be disturbed now: by its own status, as its controller has last reported it. */
export function changeOfPool(scope: Pick<Scope, "pool" | "machinePool">): ChangeOfPool | undefined {
  return workOn(scope) ?? conditionAgainst(scope.pool.status?.conditions) ?? resizing(scope);
}

function workOn({ pool }: Pick<Scope, "pool">): ChangeOfPool | undefined {
  const {
    operation,
    instanceOperations = [],
    pickedForDeletion = [],
    pickedForUpdate = [],
  } = pool.status ?? {};
  if (operation || instanceOperations.length > 0)
    return { reason: "ScaleSetBusy", why: "Azure works on the scale set of the pool" };
  if (pickedForDeletion.length + pickedForUpdate.length === 0) return undefined;
  return { reason: "PoolRolling", why: "machines of the pool are being replaced or updated" };
}

function conditionAgainst(conditions: readonly Condition[] | undefined): ChangeOfPool | undefined {
  const type = ["ScaleSetModelUpdated", "ScaleSetDesiredReplicas", "ScaleSetRunning"].find(
    (one) => !isTrue(conditions, one),
  );
  if (type === undefined) return undefined;
  const { status, message = "" } = getCondition(conditions, type) ?? { status: "not set" };
  return { reason: "PoolChanging", why: `the condition ${type} of the pool is ${status}: ${message}` };
}

function resizing({ pool, machinePool }: Pick<Scope, "pool" | "machinePool">): ChangeOfPool | undefined {
  const desired = machinePool?.spec.replicas ?? 1;
  if (pool.status?.lastReconciledReplicas === desired) return undefined;
  return { reason: "PoolScaling", why: `the pool is being scaled to ${desired} replicas` };
}
