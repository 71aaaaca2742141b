import {
  DELETE_MACHINE_ANNOTATION,
  DISABLE_MACHINE_CREATE_ANNOTATION,
  type Frozen,
  isUpdatingInPlace,
  type Machine,
  type MachineDeployment,
  type MachineSet,
  REVISION_ANNOTATION,
  scaledValue,
} from "@capstan/api";
import { isAvailableMachine, type MachineSetView, type SetMachine } from "@capstan/plan";
import { countedMachines, expectedMachines } from "../../machines/recorded-moves.ts";
import { isUnhealthy, remediationOf } from "../../machines/health.ts";

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
    deletePolicy: spec.deletion?.order ?? "Random",
    machines: countedMachines(set, machines).map(machineView),
    creating: status?.creatingMachines ?? [],
    arriving: expectedMachines(set),
    isCreateDisabled: metadata.annotations?.[DISABLE_MACHINE_CREATE_ANNOTATION] === "true",
    isCurrent: isOfCurrentRevision(set, deployment),
    preflight,
    ...remediationLimit(deployment),
    nowMs,
  };
}

/** Whether the machines of a set have the template that its MachineDeployment has now. */
function isOfCurrentRevision(
  set: Frozen<MachineSet>,
  deployment: Frozen<MachineDeployment> | undefined,
): boolean {
  const revisionOf = ({ metadata }: Frozen<MachineSet | MachineDeployment>): string | undefined =>
    metadata.annotations?.[REVISION_ANNOTATION];
  return deployment === undefined || revisionOf(deployment) === revisionOf(set);
}

function remediationLimit(
  deployment: Frozen<MachineDeployment> | undefined,
): Pick<MachineSetView, "maxInFlight"> {
  const { remediation, replicas = 1 } = deployment?.spec ?? {};
  const maxInFlight = remediation?.maxInFlight;
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
    isUpdating: isUpdatingInPlace(machine),
    isUnhealthy: isUnhealthy(machine),
    isAvailable: isAvailableMachine(machine),
  };
}
