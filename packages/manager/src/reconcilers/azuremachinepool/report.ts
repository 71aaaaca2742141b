import {
  type AzureMachinePool,
  type AzureMachinePoolMachine,
  formatProviderId,
  type Frozen,
  getCondition,
  parseProviderId,
  sameArmId,
} from "@capstan/api";
import type { Failure, PassSummary } from "@capstan/runtime";
import { type ConditionUpdate, dropCondition, summarize } from "../../contract/ready.ts";
import { type Budget, counted, hasOtherTags, isOfRollout, needsAttention, roundingNote } from "@capstan/plan";
import { BOOTSTRAP_SUCCEEDED, DRAIN_BLOCKED, DRAINED } from "../azuremachinepoolmachine/conditions.ts";
import { reportedImage } from "./boot-image.ts";
import { listed } from "./listed.ts";
import { needsAnotherWrite, setStatus, troubleOf } from "./set-status.ts";
import { SCALE_SET_RUNNING, type NormalScope, type Scope, type PlannedObservation } from "./scope.ts";
import { forgetTags } from "./tags.ts";

const REFUSED = "ScaleSetProvisionFailed";
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
const MACHINE_KIND = "AzureMachinePoolMachine";

/** Reports the results of the pass. After a failure some are missing, and their earlier values stay. */
export function report(scope: Scope, { claimReady }: PassSummary): void {
  const { pool, context, conditions } = scope;
  if (scope.isQuiet === true && conditions) {
    pool.status = { ...pool.status, conditions };
    claimReady();
  }
  if (scope.kind !== "normal" || !scope.observation || !scope.planned) return;
  const observation = { ...scope.observation, planned: scope.planned };
  reportCounts(scope, observation);
  if (areTagsWritten(scope, observation)) forgetTags(scope);
  for (const condition of conditionsFor(scope, observation)) context.setCondition(condition);
  setRemovalCondition(scope, observation);
  setJoinedCondition(scope, observation);
  summarize(pool, SUMMED_UP, context.env.clock.now());
  claimReady();
}

/** Sets status and provider ids; counts that are held back keep their published values. */
function reportCounts(scope: NormalScope, observation: PlannedObservation): void {
  const { pool } = scope;
  const isPublished = mayPublish(scope, observation);
  // No controller sets these three for a pool any more.
  const { instances: _, failureReason: __, failureMessage: ___, ...known } = pool.status ?? {};
  // The image stays in the status until machines are created from another one.
  if (observation.view.setHash === observation.view.desiredHash) delete known.image;
  const { replicas = 0, upToDateReplicas } = known;
  const before = { replicas, ...(upToDateReplicas !== undefined && { upToDateReplicas }) };
  pool.status = { ...known, ...statusOf(scope, observation), ...(!isPublished && before) };
  if (observation.set && isPublished) publishIDs(scope, observation);
}

/** Whether Azure has exactly the desired tags since the last write. */
function areTagsWritten(scope: NormalScope, observation: PlannedObservation): boolean {
  const isSeen = observation.set !== undefined && !scope.pool.status?.operation;
  return isSeen && !hasOtherTags(observation.view);
}

// Of a thousand machines that become ready one by one, counts are published every ten seconds, about three machines at a time.
const MS_FOR_MACHINE = 100;
const TELL_WITHIN_MS = 10_000;

/** Whether to publish counts now: during a rollout they change all the time, and each change costs a write. */
function mayPublish({ memory, context }: NormalScope, { machines }: PlannedObservation): boolean {
  const nowMs = context.env.clock.monotonic();
  const pauseMs = Math.min(TELL_WITHIN_MS, machines.length * MS_FOR_MACHINE);
  if (!memory.isSettled && nowMs - memory.publishedAtMs < pauseMs) return false;
  memory.publishedAtMs = nowMs;
  return true;
}

type Status = NonNullable<AzureMachinePool["status"]>;

function statusOf(
  { pool, owners }: NormalScope,
  { set, machines, view, planned }: PlannedObservation,
): Partial<Status> {
  const { version } = owners.machinePool.spec.template.spec;
  const isCurrent = view.setHash === view.desiredHash;
  const isSized = planned.budget.live === planned.budget.desired;
  const image = set && reportedImage(pool, set);
  return {
    ready: false,
    ...(set && setStatus(set.provisioningState, { isSized, wasReady: pool.status?.ready === true })),
    replicas: machines.filter(({ isReady }) => isReady === true).length,
    upToDateReplicas: planned.budget.upToDate,
    infrastructureMachineKind: MACHINE_KIND,
    ...(view.setHash !== undefined && { modelHash: view.setHash }),
    ...(isCurrent && version !== undefined && { version }),
    ...(isCurrent && image && { image }),
    ...(view.desired === view.machines.length && { lastReconciledReplicas: view.desired }),
  };
}

/** Sets the provider ids where Cluster API reads them. */
function publishIDs({ pool, azureTarget }: NormalScope, { instances }: PlannedObservation): void {
  const { scaleSetID } = azureTarget;
  // Machines are matched to the pool by this id, so a wrong value that a user has set is corrected.
  if (!isOfSet(pool.spec.providerID, scaleSetID))
    pool.spec.providerID = formatProviderId(parseProviderId(`azure://${scaleSetID}`));
  const ids = instances
    .filter(({ provisioningState }) => provisioningState !== "Deleting")
    .map(({ providerID }) => providerID);
  if (ids.length > 0 || pool.spec.providerIDList) pool.spec.providerIDList = ids.sort();
}

function isOfSet(providerID: string | undefined, scaleSetID: string): boolean {
  return providerID !== undefined && sameArmId(providerID.replace(/^azure:\/\//, ""), scaleSetID);
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

/** The last rejection by Azure. */
function refusalIn({ memory, trouble }: NormalScope): Failure | undefined {
  return (trouble ?? memory.refusal?.error) as Failure | undefined;
}

function rejectedCondition(type: string, { reason, message }: Failure): ConditionUpdate {
  return { type, status: "False", severity: "Error", reason, message };
}

function runningCondition(scope: NormalScope, { set, view }: PlannedObservation): ConditionUpdate {
  const type = SCALE_SET_RUNNING;
  if (scope.refusal) return rejectedCondition(type, scope.refusal);
  const failure = refusalIn(scope);
  if (failure) {
    const { message } = failure;
    const severity = failure.failure === "Terminal" ? "Error" : "Warning";
    return { type, status: "False", severity, reason: REFUSED, message };
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
  if (scope.refusal) return rejectedCondition(type, scope.refusal);
  const failure = refusalIn(scope);
  if (failure?.failure === "Terminal")
    return { type, status: "False", severity: "Error", reason: REFUSED, message: failure.message };
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
