import {
  DELETE_MACHINE_ANNOTATION,
  DISABLE_MACHINE_CREATE_ANNOTATION,
  type Frozen,
  getCondition,
  isTrue,
  isUpdatingInPlace,
  type Machine,
  type MachineDeployment,
  type MachineSet,
  REMEDIATE_MACHINE_ANNOTATION,
  scaledValue,
} from "@capstan/api";
import type { MachineSetView, SetMachine } from "@capstan/plan";
import { countedMachines, expectedMachines } from "./recorded-moves.ts";
import { AVAILABLE, HEALTH_CHECK_SUCCEEDED, NODE_HEALTHY, OWNER_REMEDIATED } from "../machine/conditions.ts";

/** The inputs of the view of a MachineSet. */
export interface ViewInput {
  readonly set: Frozen<MachineSet>;
  readonly machines: readonly Frozen<Machine>[];
  readonly preflight: readonly string[];
  /** The MachineDeployment of the set, if one controls it. */
  readonly deployment?: Frozen<MachineDeployment> | undefined;
  readonly nowMs: number;
}

/** The facts about a MachineSet, for its planner. */
export function viewOf({ set, machines, preflight, deployment, nowMs }: ViewInput): MachineSetView {
  const { metadata, spec, status } = set;
  return {
    namespace: metadata.namespace ?? "",
    name: metadata.name,
    replicas: spec.replicas ?? 1,
    deletePolicy: spec.deletePolicy ?? "Random",
    machines: countedMachines(set, machines).map(machineView),
    creating: [...(status?.creatingMachines ?? []), ...expectedMachines(set)],
    isCreateDisabled: metadata.annotations?.[DISABLE_MACHINE_CREATE_ANNOTATION] === "true",
    preflight,
    ...remediationLimit(deployment),
    nowMs,
  };
}

function remediationLimit(
  deployment: Frozen<MachineDeployment> | undefined,
): Pick<MachineSetView, "maxInFlight"> {
  const { strategy, replicas = 1 } = deployment?.spec ?? {};
  const maxInFlight = strategy?.remediation?.maxInFlight;
  return maxInFlight === undefined ? {} : { maxInFlight: scaledValue(maxInFlight, replicas, "up") };
}

function machineView(machine: Frozen<Machine>): SetMachine {
  const { metadata } = machine;
  const remediation = remediationOf(machine);
  return {
    ...(remediation && { remediation }),
    name: metadata.name,
    createdMs: Date.parse(metadata.creationTimestamp ?? ""),
    isDeleting: metadata.deletionTimestamp !== undefined,
    hasDeleteAnnotation: metadata.annotations?.[DELETE_MACHINE_ANNOTATION] !== undefined,
    isUnhealthy: isUnhealthy(machine),
    isAvailable: isAvailable(machine),
  };
}

/** Whether a health check asks the owner of a machine to replace it. */
export function remediationOf({ metadata, status }: Frozen<Machine>): SetMachine["remediation"] {
  const isFalse = (type: string): boolean => getCondition(status?.conditions, type)?.status === "False";
  if (!isFalse(HEALTH_CHECK_SUCCEEDED) || !isFalse(OWNER_REMEDIATED)) return undefined;
  return metadata.annotations?.[REMEDIATE_MACHINE_ANNOTATION] === undefined ? "Unhealthy" : "Requested";
}

/** A Node of which the controller knows nothing is not unhealthy: the workload cluster may not answer. */
function isUnhealthy({ status }: Frozen<Machine>): boolean {
  const isFalse = (type: string): boolean => getCondition(status?.conditions, type)?.status === "False";
  return !status?.nodeRef || isFalse(NODE_HEALTHY) || isFalse(HEALTH_CHECK_SUCCEEDED);
}

/** Whether a machine counts as ready. */
export function isReadyMachine({ metadata, status }: Frozen<Machine>): boolean {
  return metadata.deletionTimestamp === undefined && isTrue(status?.conditions, "Ready");
}

/** Whether a machine counts as available: an updater may stop its Node at any time. */
export function isAvailable(machine: Frozen<Machine>): boolean {
  return (
    isReadyMachine(machine) && isTrue(machine.status?.conditions, AVAILABLE) && !isUpdatingInPlace(machine)
  );
}
