import { type AzureMachinePoolMachine, type Frozen, getCondition } from "@capstan/api";
import { type Budget, counted, isOfRollout, needsAttention, roundingNote } from "@capstan/plan";
import { failedCondition } from "@capstan/runtime";
import { type ConditionUpdate, dropCondition, summarize } from "../../../contract/ready.ts";
import { BOOTSTRAP_SUCCEEDED, DRAIN_BLOCKED, DRAINED } from "../../../pools/machine-conditions.ts";
import { listed } from "../../../pools/names.ts";
import { needsAnotherWrite, troubleOf } from "../observation/set-status.ts";
import { type NormalScope, type PlannedObservation, SCALE_SET_RUNNING } from "../scope.ts";

const WRITE_REJECTED = "ScaleSetProvisionFailed";
const REMOVAL_BLOCKED = "RemovalBlocked";
const ROLLOUT = "RolloutProgressing";
const MACHINES_JOINED = "MachinesJoined";
const SUMMED_UP = [
  SCALE_SET_RUNNING,
  MACHINES_JOINED,
  "BootstrapSucceeded",
  "ScaleSetDesiredReplicas",
  "ScaleSetModelUpdated",
];

/** Sets the conditions of a pool, and Ready from them. */
export function reportConditions(scope: NormalScope, observation: PlannedObservation): void {
  const { pool, context } = scope;
  for (const condition of conditionsFor(scope, observation)) context.setCondition(condition);
  setRemovalCondition(scope, observation);
  setJoinedCondition(scope, observation);
  summarize(pool, SUMMED_UP, context.env.clock.now());
}

function conditionsFor(scope: NormalScope, observation: PlannedObservation): readonly ConditionUpdate[] {
  const { budget } = observation.planned;
  return [
    { type: "BootstrapSucceeded", status: "True", reason: "BootstrapDataAvailable" },
    runningCondition(scope, observation),
    replicasCondition(budget),
    modelCondition(observation, budget),
    rolloutCondition(scope, observation),
  ];
}

function runningCondition(scope: NormalScope, { set, view }: PlannedObservation): ConditionUpdate {
  const type = SCALE_SET_RUNNING;
  if (scope.specProblem) return failedCondition(type, scope.specProblem);
  const failure = scope.poolCache.rejectedWrites.last?.error;
  if (failure) {
    const { message } = failure;
    const severity = failure.failure === "Terminal" ? "Error" : "Warning";
    return { type, status: "False", severity, reason: WRITE_REJECTED, message };
  }
  const trouble = troubleOf(set?.provisioningState);
  // While a write runs, the result of the last one does not matter any more.
  const isBeingMended = needsAnotherWrite(set?.provisioningState) && view.operation !== undefined;
  if (trouble && !isBeingMended) return { type, status: "False", ...trouble };
  return { type, status: "True", reason: "ScaleSetRunning" };
}

const COMING = { status: "False", severity: "Info" } as const;

function replicasCondition({ desired, live, leaving }: Budget): ConditionUpdate {
  const type = "ScaleSetDesiredReplicas";
  if (live === desired && leaving === 0) return { type, status: "True", reason: "DesiredReplicas" };
  const replicas = counted(desired, "replica");
  // The message has no count of ready machines: a message that changes with every machine costs a write for each.
  return live < desired
    ? { ...COMING, type, reason: "ScaleSetScalingUp", message: `Scaling up to ${replicas}` }
    : { ...COMING, type, reason: "ScaleSetScalingDown", message: `Scaling down to ${replicas}` };
}

function modelCondition({ view }: PlannedObservation, { outdated }: Budget): ConditionUpdate {
  const type = "ScaleSetModelUpdated";
  if (outdated === 0 && view.setHash === view.desiredHash)
    return { type, status: "True", reason: "ModelUpdated" };
  const message = "Machines or the scale set have an older model than the desired one";
  return { ...COMING, type, reason: "ScaleSetModelOutOfDate", message };
}

/** What blocks the rollout: the planner's own reason, or a drain that does not progress; not what passes by itself. */
function rolloutCondition(
  scope: NormalScope,
  { planned, unavailable, view }: PlannedObservation,
): ConditionUpdate {
  const type = ROLLOUT;
  if (scope.specProblem) return failedCondition(type, scope.specProblem);
  const failure = scope.poolCache.rejectedWrites.last?.error;
  if (failure?.failure === "Terminal")
    return { type, status: "False", severity: "Error", reason: WRITE_REJECTED, message: failure.message };
  const blocked = unavailable.flatMap(({ machine }) =>
    machine && isBlocked(machine, scope.context.env.clock.now()) ? [machine.metadata.name] : [],
  );
  if (blocked.length > 0) {
    const message = `Pods cannot be evicted from ${listed(blocked.sort())}; the condition ${DRAINED} of each machine names the pods`;
    return { type, status: "False", severity: "Warning", reason: DRAIN_BLOCKED, message };
  }
  const [first] = needsAttention(planned);
  if (first) return { type, status: "False", severity: "Warning", reason: first.reason, message: first.why };
  const isRolling = planned.actions.some(isOfRollout);
  const reason = isRolling ? "Progressing" : "Complete";
  const message = roundingNote(view);
  return { type, status: "True", reason, ...(message !== undefined && { message }) };
}

// A disruption budget blocks nearly every drain for a moment.
const BLOCKED_MS = 60_000;

/** Whether the drain of a machine has been blocked so long that users should know. */
function isBlocked({ status }: Frozen<AzureMachinePoolMachine>, nowMs: number): boolean {
  const drained = getCondition(status?.conditions, DRAINED);
  const isHeld = drained?.status === "False" && drained.reason === DRAIN_BLOCKED;
  return isHeld && nowMs - Date.parse(drained.lastTransitionTime) >= BLOCKED_MS;
}

/** Sets RemovalBlocked while a removal waits for permission, and resets it once when that is over. */
function setRemovalCondition({ pool, context }: NormalScope, { planned }: PlannedObservation): void {
  const removal = planned.blocked.find(({ reason }) => reason === "RemovalBlocked");
  const isKnown = pool.status?.conditions?.some(({ type }) => type === REMOVAL_BLOCKED);
  if (removal) {
    const { why: message } = removal;
    context.setCondition({ type: REMOVAL_BLOCKED, status: "True", reason: "TooManyMissing", message });
    context.event({ type: "Warning", reason: REMOVAL_BLOCKED, message });
  } else if (isKnown) {
    context.setCondition({
      type: REMOVAL_BLOCKED,
      status: "False",
      severity: "Info",
      reason: "NothingMissing",
    });
  }
}

/** Sets MachinesJoined while a machine has failed to join, and removes it when that is over. */
function setJoinedCondition({ pool, context }: NormalScope, { unavailable }: PlannedObservation): void {
  const type = MACHINES_JOINED;
  const failed = unavailable.flatMap(({ machine }) => failedJoinOf(machine));
  const [first] = failed.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  if (first) {
    // Without a count: a message that changes with every machine costs a write for each.
    const others = failed.length > 1 ? " and others" : "";
    const message = `${first.name}${others}: ${first.message}`;
    context.setCondition({ type, status: "False", severity: "Warning", reason: first.reason, message });
  } else {
    dropCondition(pool, type);
  }
}

function failedJoinOf(
  machine: Frozen<AzureMachinePoolMachine> | undefined,
): readonly { readonly name: string; readonly reason: string; readonly message: string }[] {
  const joined = getCondition(machine?.status?.conditions, BOOTSTRAP_SUCCEEDED);
  if (!machine || joined?.status !== "False" || joined.severity === "Info") return [];
  return [{ name: machine.metadata.name, reason: joined.reason ?? "", message: joined.message ?? "" }];
}
