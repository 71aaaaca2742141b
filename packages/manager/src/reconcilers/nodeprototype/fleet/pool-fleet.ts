import {
  type AzureMachinePool,
  baseImageOf,
  AzureMachinePoolMachine,
  type Condition,
  type Frozen,
  getCondition,
  isTrue,
  type MachinePool,
  sameArmId,
  UPDATE_INSTANCE_ANNOTATION,
} from "@capstan/api";
import type { Context } from "@capstan/runtime";
import { type Candidate, RESTARTED_AT_ANNOTATION } from "@capstan/plan";
import { machinesOfPool } from "../../../pools/machines-of-pool.ts";
import { BOOTSTRAP_SUCCEEDED } from "../../../pools/machine-conditions.ts";
import { IMAGE_VERSION_ANNOTATION } from "../../../pools/well-known.ts";
import { EXCLUDED } from "./candidates.ts";
import { joinOf } from "./joins.ts";
import { restoreSpec, writeToSpec } from "./promoted-spec.ts";
import type { Fleet, FleetChange, FleetMachine } from "./fleet.ts";

const CONDITIONS = ["Ready", "BootstrapSucceeded", "NodeHealthy"];
const POOL_FINALIZER = "machinepool.cluster.x-k8s.io";

/** The machines of an AzureMachinePool. */
export function poolFleet(
  { object: pool, cache, client }: Context<AzureMachinePool>,
  machinePool: Frozen<MachinePool> | undefined,
): Fleet {
  const baseImage = baseImageOf(pool) ?? {};
  return {
    desired: machinePool?.spec.replicas ?? 1,
    sizeField: "spec.replicas of the MachinePool",
    version: machinePool?.spec.template.spec.version,
    vmSize: pool.spec.template.vmSize,
    baseImage,
    bootstrap: machinePool?.spec.template.spec.bootstrap,
    hasMachines: pool.spec.providerID !== undefined,
    machines: () =>
      machinesOfPool(cache, pool).map((machine) => fleetMachine(machine, pool.status?.modelHash)),
    changing: () => changeOfPool({ pool, machinePool }),
    bootsFrom: (definitionID) => sameArmId(pool.status?.image?.id ?? "", definitionID),
    // Until it is gone, the scale set may still create machines.
    mayBootFromPrototype: () =>
      pool.metadata.deletionTimestamp === undefined
        ? isBootedFrom(pool, pool.status?.nodePrototyping?.bootImage?.id)
        : pool.metadata.finalizers?.includes(POOL_FINALIZER) === true,
    newMachines: ({ version }) =>
      machinesOfPool(cache, pool).map((machine) => ({
        machine: machine.metadata.name,
        image: machine.metadata.annotations?.[IMAGE_VERSION_ANNOTATION] === version ? "new" : "before",
        createdMs: Date.parse(machine.metadata.creationTimestamp ?? ""),
        join: joinOf(machine.status?.conditions, BOOTSTRAP_SUCCEEDED),
      })),
    writeToSpec: (definitionID) => writeToSpec(client, pool, definitionID),
    restoreSpec: () => restoreSpec(client, pool),
    rollSince: (promotedAt) => {
      const { annotations } = pool.metadata;
      const isWritten = annotations?.[RESTARTED_AT_ANNOTATION] === promotedAt;
      if (!isWritten) pool.metadata.annotations = { ...annotations, [RESTARTED_AT_ANNOTATION]: promotedAt };
      return Promise.resolve(isWritten);
    },
  };
}

/** Whether the scale set still names the image definition. */
function isBootedFrom({ status }: Frozen<AzureMachinePool>, definitionID: string | undefined): boolean {
  return definitionID !== undefined && status?.image?.id === definitionID;
}

function fleetMachine(machine: Frozen<AzureMachinePoolMachine>, modelHash: string | undefined): FleetMachine {
  const { spec, status } = machine;
  return {
    object: machine,
    kind: AzureMachinePoolMachine,
    providerID: spec.providerID,
    nodeRef: status?.nodeRef,
    instanceID: spec.instanceID ?? spec.providerID.split("/").at(-1) ?? "",
    facts: factsOf(machine, modelHash),
  };
}

/** A machine by its resource alone: whether its Node is cordoned or lacks anything is not known. */
export function candidateIn(
  machine: Frozen<AzureMachinePoolMachine>,
  modelHash: string | undefined,
): Candidate {
  const hasNode = machine.status?.nodeRef !== undefined;
  return { ...factsOf(machine, modelHash), isCordoned: false, hasNode };
}

function factsOf(
  { metadata, status }: Frozen<AzureMachinePoolMachine>,
  modelHash: string | undefined,
): FleetMachine["facts"] {
  const { annotations = {}, deletionTimestamp, creationTimestamp = "", name } = metadata;
  return {
    machine: name,
    createdMs: Date.parse(creationTimestamp),
    isUpToDate: status?.modelHash !== undefined && status.modelHash === modelHash,
    isDeleting: deletionTimestamp !== undefined,
    isUpdating: UPDATE_INSTANCE_ANNOTATION in annotations || status?.instanceUpdate !== undefined,
    isReady: status?.ready === true,
    falseConditions: CONDITIONS.filter((type) => !isTrue(status?.conditions, type)),
    ...(EXCLUDED in annotations && { excludedBy: EXCLUDED }),
  };
}

interface PoolAndOwner {
  readonly pool: Frozen<AzureMachinePool>;
  readonly machinePool: Frozen<MachinePool> | undefined;
}

/** Why the pool must not be disturbed now: by its own status, as its controller has last reported it. */
export function changeOfPool(objects: PoolAndOwner): FleetChange | undefined {
  return workOn(objects) ?? conditionAgainst(objects.pool.status?.conditions) ?? resizing(objects);
}

function workOn({ pool }: Pick<PoolAndOwner, "pool">): FleetChange | undefined {
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

function conditionAgainst(conditions: readonly Condition[] | undefined): FleetChange | undefined {
  const type = ["ScaleSetModelUpdated", "ScaleSetDesiredReplicas", "ScaleSetRunning"].find(
    (one) => !isTrue(conditions, one),
  );
  if (type === undefined) return undefined;
  const { status, message = "" } = getCondition(conditions, type) ?? { status: "not set" };
  return { reason: "PoolChanging", why: `the condition ${type} of the pool is ${status}: ${message}` };
}

function resizing({ pool, machinePool }: PoolAndOwner): FleetChange | undefined {
  const desired = machinePool?.spec.replicas ?? 1;
  if (pool.status?.lastReconciledReplicas === desired) return undefined;
  return { reason: "PoolScaling", why: `the pool is being scaled to ${desired} replicas` };
}
