/** What happens to a machine and when, from its object alone. Pure. */
import {
  type AzureMachinePoolMachine,
  type Condition,
  type Frozen,
  getCondition,
  isUpdatingInPlace,
  type KubernetesObject,
  type Machine,
  PROTOTYPE_DONOR_ANNOTATION,
  UPDATE_INSTANCE_ANNOTATION,
} from "@capstan/api";
import type { LanePhase, LaneSegment } from "@capstan/page";

/** A machine of a pool, or of any other owner. */
export type LaneMachine = Frozen<AzureMachinePoolMachine> | Frozen<Machine>;

/** Whether an object is a machine with a lane. */
export function isLaneMachine(object: Frozen<KubernetesObject>): object is LaneMachine {
  return object.kind === "AzureMachinePoolMachine" || object.kind === "Machine";
}

/** The beginning of a phase. */
interface Step {
  readonly phase: LanePhase;
  readonly fromMs: number;
  readonly message?: string;
}

/** The phases of a machine in order; the last one lasts. Each begins when a condition, or a time in the status, says so. */
export function segmentsOf(machine: LaneMachine, nowMs: number): readonly LaneSegment[] {
  const steps = stepsOf(machine, nowMs).toSorted((a, b) => a.fromMs - b.fromMs);
  return steps.flatMap((step, index) => {
    const next = steps[index + 1];
    if (next && next.fromMs <= step.fromMs) return [];
    return [{ ...step, ...(next && { toMs: next.fromMs }) }];
  });
}

function stepsOf(machine: LaneMachine, nowMs: number): readonly Step[] {
  const isOfPool = isMachineOfPool(machine);
  return [
    { phase: "create", fromMs: timeOf(machine.metadata.creationTimestamp) ?? nowMs },
    ...(isOfPool ? startOfPoolMachine(machine, nowMs) : startOfMachine(machine)),
    ...(machine.metadata.deletionTimestamp === undefined
      ? changeOf(machine, nowMs)
      : [
          { phase: "cordon" as const, fromMs: timeOf(machine.metadata.deletionTimestamp) ?? nowMs },
          ...(isOfPool ? endOfPoolMachine(machine) : endOfMachine(machine)),
        ]),
  ];
}

/** Whether it is a machine of a pool. */
export function isMachineOfPool(machine: LaneMachine): machine is Frozen<AzureMachinePoolMachine> {
  return machine.kind === "AzureMachinePoolMachine";
}

function startOfPoolMachine({ status }: Frozen<AzureMachinePoolMachine>, nowMs: number): readonly Step[] {
  const { conditions, nodeRef, provisioningState } = status ?? {};
  const steps = [
    ...since("boot", getCondition(conditions, "VMRunning")),
    ...since("join", getCondition(conditions, "BootstrapSucceeded")),
    ...readiness(conditions, nodeRef !== undefined),
  ];
  if (steps.length > 0) return steps;
  // The conditions come together with the Node. Until then only the moment is known at which the page saw the change.
  if (nodeRef) return [{ phase: "join", fromMs: nowMs }];
  return provisioningState === "Succeeded" ? [{ phase: "boot", fromMs: nowMs }] : [];
}

function startOfMachine({ status }: Frozen<Machine>): readonly Step[] {
  const { conditions } = status ?? {};
  return [
    ...since("boot", getCondition(conditions, "InfrastructureReady")),
    ...readiness(conditions, status?.nodeRef !== undefined),
  ];
}

/** A machine that has lost its readiness had a Node before. */
function readiness(conditions: Conditions, hasNode: boolean): readonly Step[] {
  const ready = getCondition(conditions, "Ready");
  if (ready?.status === "True") return since("ready", ready);
  const healthy = getCondition(conditions, "NodeHealthy");
  if (!hasNode || healthy === undefined || healthy.status === "True") return [];
  return begin("unready", healthy.lastTransitionTime, ready?.message);
}

function changeOf(machine: LaneMachine, nowMs: number): readonly Step[] {
  const { annotations = {} } = machine.metadata;
  if (annotations[PROTOTYPE_DONOR_ANNOTATION] !== undefined) return [{ phase: "image", fromMs: nowMs }];
  if (!isMachineOfPool(machine)) return isUpdatingInPlace(machine) ? updateOf(machine, nowMs) : [];
  if (annotations[UPDATE_INSTANCE_ANNOTATION] === undefined) return [];
  return [
    ...begin("drain", machine.status?.nodeDrainStartTime),
    { phase: "update", fromMs: timeOf(machine.status?.instanceUpdate?.startedAt) ?? nowMs },
  ];
}

function updateOf({ status }: Frozen<Machine>, nowMs: number): readonly Step[] {
  const { since: startedAt, message } = status?.update ?? {};
  return [{ phase: "update", fromMs: timeOf(startedAt) ?? nowMs, ...(message !== undefined && { message }) }];
}

function endOfPoolMachine({ status }: Frozen<AzureMachinePoolMachine>): readonly Step[] {
  const drained = getCondition(status?.conditions, "Drained");
  return [...begin("drain", status?.nodeDrainStartTime, drained?.message), ...since("delete", drained)];
}

/** Reasons of Cluster API's condition Deleting. */
const ENDS: Readonly<Record<string, LanePhase>> = {
  DrainingNode: "drain",
  WaitingForVolumeDetach: "drain",
  WaitingForPreTerminateHook: "delete",
  WaitingForInfrastructureDeletion: "delete",
  WaitingForBootstrapDeletion: "delete",
  DeletingNode: "delete",
  DeletionCompleted: "delete",
};

function endOfMachine({ status }: Frozen<Machine>): readonly Step[] {
  const { reason = "", message, lastTransitionTime } = getCondition(status?.conditions, "Deleting") ?? {};
  const phase = ENDS[reason];
  const drain = begin("drain", status?.deletion?.nodeDrainStartTime, phase === "drain" ? message : undefined);
  return phase === "delete" ? [...drain, ...begin("delete", lastTransitionTime, message)] : drain;
}

type Conditions = readonly Frozen<Condition>[] | undefined;

function since(phase: LanePhase, condition: Frozen<Condition> | undefined): readonly Step[] {
  return condition?.status === "True" ? begin(phase, condition.lastTransitionTime) : [];
}

function begin(phase: LanePhase, time: string | undefined, message?: string): readonly Step[] {
  const fromMs = timeOf(time);
  if (fromMs === undefined) return [];
  return [{ phase, fromMs, ...(message !== undefined && message !== "" && { message }) }];
}

function timeOf(text: string | undefined): number | undefined {
  const ms = Date.parse(text ?? "");
  return Number.isFinite(ms) ? ms : undefined;
}
