import {
  type Cluster,
  CONTROL_PLANE_LABEL,
  controllerOf,
  type Frozen,
  isJsonObject,
  type KubernetesObject,
  Machine,
  MachineDeployment,
  MachinePool,
  MachineSet,
  type StandardCondition,
} from "@capstan/api";
import { countMachines, type MachineOwnerState, sumVersions, versionsOfMachines } from "@capstan/plan";
import { type CacheReader, keyOf } from "@capstan/runtime";
import type { ContractObject } from "../../contract/contract-object.ts";
import { BY_CLUSTER } from "./deletion.ts";

type OwnerOfWorkers = MachineDeployment | MachineSet | MachinePool;

/** The objects of a Cluster that have machines. */
export interface Members {
  readonly controlPlaneMachines: readonly Frozen<Machine>[];
  /** MachineDeployments, MachinePools and MachineSets that no other object controls. */
  readonly owners: readonly Frozen<OwnerOfWorkers>[];
  /** Workers that no other object controls. */
  readonly workerMachines: readonly Frozen<Machine>[];
}

/** Whether the status of a Cluster reports on an object itself, and not on its owner. */
export function isReported(object: Frozen<KubernetesObject>): boolean {
  return controllerOf(object) === undefined || isControlPlaneMachine(object);
}

function isControlPlaneMachine({ kind, metadata }: Frozen<KubernetesObject>): boolean {
  return kind === Machine.kind && metadata.labels?.[CONTROL_PLANE_LABEL] !== undefined;
}

/** The objects of a Cluster that its status reports on. */
export function membersOf(cache: CacheReader, cluster: Frozen<Cluster>): Members {
  const query = { index: BY_CLUSTER, value: keyOf(cluster) };
  const machines = cache.list(Machine, query).filter(isReported);
  const owners = [
    ...cache.list(MachineDeployment, query),
    ...cache.list(MachinePool, query),
    ...cache.list(MachineSet, query).filter(isReported),
  ].toSorted((a, b) => (textOf(a) < textOf(b) ? -1 : 1));
  return {
    controlPlaneMachines: machines.filter(isControlPlaneMachine),
    owners,
    workerMachines: machines.filter((machine) => !isControlPlaneMachine(machine)),
  };
}

function textOf({ kind, metadata }: Frozen<OwnerOfWorkers>): string {
  return `${kind} ${metadata.name}`;
}

/** The owners of workers with their conditions of v1beta2. */
export function ownerStates({ owners }: Members): readonly MachineOwnerState[] {
  return owners.map((owner) => ({ text: textOf(owner), conditions: owner.status?.conditions ?? [] }));
}

/** A control plane of any provider; one of the older contract has no conditions of v1beta2. */
export function controlPlaneState(object: Frozen<ContractObject>): MachineOwnerState {
  const { status } = object;
  const list: unknown = isJsonObject(status) ? status["conditions"] : undefined;
  const conditions = Array.isArray(list) ? list.filter(isStandardCondition) : [];
  return { text: `${object.kind} ${object.metadata.name}`, conditions };
}

const STATUSES: readonly unknown[] = ["True", "False", "Unknown"];

function isStandardCondition(value: unknown): value is StandardCondition {
  return (
    isJsonObject(value) &&
    typeof value["type"] === "string" &&
    STATUSES.includes(value["status"]) &&
    ["string", "undefined"].includes(typeof value["message"])
  );
}

type Counts = NonNullable<NonNullable<Cluster["status"]>["workers"]>;
type Count = "desiredReplicas" | "replicas" | "readyReplicas" | "availableReplicas" | "upToDateReplicas";

/** The machines of a pool whose infrastructure does not count them, as that of AKS, count as up to date. */
function upToDateReplicasOf({ kind, status }: Frozen<OwnerOfWorkers>): number | undefined {
  return status?.upToDateReplicas ?? (kind === MachinePool.kind ? status?.replicas : undefined);
}

/** The counters of the workers. */
export function workerCounts({ owners, workerMachines }: Members): Frozen<Counts> {
  const machines = workerMachines.length;
  const own: Record<Count, number> = {
    desiredReplicas: machines,
    replicas: machines,
    ...countMachines(workerMachines),
  };
  const sum = (name: Count, count: (owner: Frozen<OwnerOfWorkers>) => number | undefined): number =>
    owners.reduce((total, owner) => total + (count(owner) ?? 0), own[name]);
  const versions = sumVersions([
    versionsOfMachines(workerMachines),
    ...owners.map(({ status }) => status?.versions),
  ]);
  return {
    desiredReplicas: sum("desiredReplicas", ({ spec }) => spec.replicas ?? 1),
    replicas: sum("replicas", ({ status }) => status?.replicas),
    readyReplicas: sum("readyReplicas", ({ status }) => status?.readyReplicas),
    availableReplicas: sum("availableReplicas", ({ status }) => status?.availableReplicas),
    upToDateReplicas: sum("upToDateReplicas", upToDateReplicasOf),
    ...(versions.length > 0 && { versions }),
  };
}

/** The counters of the control plane; undefined for one that has no machines here, such as AKS'. */
export function controlPlaneCounts(
  { controlPlaneMachines: machines }: Members,
  object: Frozen<ContractObject> | undefined,
): Frozen<Counts> | undefined {
  const desired = isJsonObject(object?.spec) ? object.spec["replicas"] : undefined;
  const isCounted = Number.isSafeInteger(desired);
  if (!isCounted && machines.length === 0) return undefined;
  const versions = versionsOfMachines(machines);
  return {
    desiredReplicas: isCounted ? Number(desired) : machines.length,
    replicas: machines.length,
    ...countMachines(machines),
    ...(versions.length > 0 && { versions }),
  };
}
