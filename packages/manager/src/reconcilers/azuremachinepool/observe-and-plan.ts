import { type AzureMachinePoolMachine, formatTimestamp, type Frozen } from "@capstan/api";
import { again, block, next, type Outcome, terminal } from "@capstan/runtime";
import { AzureError, failureOf, isFinal } from "@capstan/azure";
import {
  hasOtherTags,
  isHalted,
  isOfRollout,
  missingNames,
  observeMissing,
  planPool,
  type PoolAction,
  type PoolView,
  recordedSize,
} from "@capstan/plan";
import { updateOf } from "../../workload/availability.ts";
import { bootImageView } from "./boot-image.ts";
import { observeInstances } from "./drained-machines.ts";
import { bootstrapDataView } from "./fresh-data.ts";
import { noteResize } from "./resize.ts";
import { joinFacts } from "./machine-facts.ts";
import { type AzureObservation, busyListMs, lookAtAzure, nodesOf, workloadFacts } from "./observe.ts";
import { isModelRefused, desiredStateKey } from "./operations.ts";
import { hashOfNames, poolView } from "./pool-view.ts";
import { foreignProblem, type SeenSet } from "./scale-set-body.ts";
import { SCALE_SET_RUNNING, type NormalScope, type Observation, type PlannedObservation } from "./scope.ts";
import { tagsView } from "./tags.ts";

const MINUTE_MS = 60_000;
const UNTOLD_WAIT_MS = MINUTE_MS;

/** Observes Azure, resources and Nodes. A plan that would write needs fresh reads. */
export async function observe(scope: NormalScope): Promise<Outcome> {
  try {
    const first = await observationOf(scope, false);
    const observation = isDoubtful(scope, first) ? await observationOf(scope, true) : first;
    refuseForeign(scope, observation);
    const { view } = observation;
    const instances = view.isPaused ? undefined : await observeInstances(scope, observation);
    scope.observation = { ...observation, view: { ...view, ...(instances && { instances }) } };
    return next;
  } catch (error) {
    // Without fresh reads nothing is decided.
    if (error instanceof AzureError && error.class === "Throttled")
      return block(error.retryAfterMs ?? UNTOLD_WAIT_MS, "WaitingForAzure");
    throw failureOf(error, "reading the scale set");
  }
}

/** Plans, and requeues the pool if it waits for Azure. */
export function plan(scope: NormalScope): Outcome {
  const { observation, memory, context } = scope;
  if (!observation) return next;
  scope.planned = planPool(observation.view);
  const seen = { ...observation, planned: scope.planned };
  memory.decided = { atMs: context.env.clock.monotonic(), desiredStateKey: desiredStateKey(scope) };
  forgetRefusal(scope, seen);
  return requeue(scope, seen);
}

/** Stores in the status what the next plan needs to know of this one. */
export function recordPlan(scope: NormalScope): Outcome {
  const { observation, planned } = scope;
  if (!observation || !planned) return next;
  const seen = { ...observation, planned };
  recordGuard(scope, seen);
  recordSize(scope, seen);
  if (!isHalted(observation.view)) forgetPicks(scope, seen);
  return next;
}

/** Forgets the picks of machines that are done, or that a later plan does not pick any more. */
function forgetPicks({ pool }: NormalScope, { unavailable, planned }: PlannedObservation): void {
  const { pickedForDeletion = [], pickedForUpdate = [], ...rest } = pool.status ?? {};
  const pickedAgain = new Set(
    planned.actions.flatMap(({ action, targets }) => (action === "DeleteMachine" ? targets : [])),
  );
  const machines = unavailable.flatMap(({ machine }) => machine ?? []);
  const deleting = namesOf(machines.filter(({ metadata }) => metadata.deletionTimestamp !== undefined));
  const updating = namesOf(machines.filter(isUpdating));
  const deletions = pickedForDeletion.filter((name) => deleting.has(name) || pickedAgain.has(name));
  const updates = pickedForUpdate.filter((name) => updating.has(name));
  pool.status = {
    ...rest,
    ...(deletions.length > 0 && { pickedForDeletion: deletions }),
    ...(updates.length > 0 && { pickedForUpdate: updates }),
  };
}

function namesOf(machines: readonly Frozen<AzureMachinePoolMachine>[]): ReadonlySet<string> {
  return new Set(machines.map(({ metadata }) => metadata.name));
}

function isUpdating(machine: Frozen<AzureMachinePoolMachine>): boolean {
  return updateOf(machine) !== undefined || machine.status?.instanceUpdate !== undefined;
}

function isWriteOfSet({ action }: PoolAction): boolean {
  return action === "PutModel" || action === "SetCapacity";
}

async function observationOf(scope: NormalScope, isFresh: boolean): Promise<Observation> {
  const first = await lookAtAzure(scope, isFresh);
  const seen = noteResize(scope, first) ? await lookAtAzure(scope, true) : first;
  const nodes = await nodesOf(scope);
  const machines = joinFacts(scope, seen, nodes);
  const view = viewOf(scope, seen, {
    machines,
    workload: workloadFacts(nodes, machines, scope.shared.ports.scaleSets),
  });
  const unavailable = machines.filter((_, index) => view.machines[index]?.isAvailable === false);
  return { ...seen, machines, unavailable, view };
}

function viewOf(
  scope: NormalScope,
  { set, listedAtMs }: AzureObservation,
  seen: Pick<Parameters<typeof poolView>[0], "machines" | "workload">,
): PoolView {
  const { pool, owners, desired, context, memory, refusal } = scope;
  const observed = poolView({
    pool,
    machinePool: owners.machinePool,
    scaleSet: set,
    desired: desired.hash,
    isModelRefused: isModelRefused(scope),
    nowMs: context.env.clock.now(),
    ...seen,
  });
  // Lists are told apart by the time of their request, so that each confirms a removal only once.
  const removalGuard = observeMissing(observed.removalGuard, missingNames(observed), listedAtMs);
  return {
    ...observed,
    removalGuard,
    ...(refusal && { specProblem: refusal.message }),
    ...(set && upkeepView(scope, set)),
    isResized: memory.isResized,
  };
}

/** What is known of the scale set beside its model and size. */
function upkeepView(scope: NormalScope, set: SeenSet): Partial<PoolView> {
  return {
    isSetChanging: !isFinal(set.provisioningState),
    tags: tagsView(scope, set),
    bootImage: bootImageView(scope, set),
    bootstrapData: bootstrapDataView(scope, set),
  };
}

/** Whether the plan would write to Azure, or contradicts itself, on reads from an earlier pass. */
function isDoubtful(scope: NormalScope, observation: Observation): boolean {
  const { view, set, isLiveRead } = observation;
  // A pool that is halted does not write its scale set.
  if (isLiveRead || isHalted(view)) return false;
  const planned = planPool(view);
  const isPut = planned.actions.some(isWriteOfSet);
  const isMiscounted =
    set !== undefined && view.operation === undefined && planned.budget.live !== set.capacity;
  const mayDecide =
    planned.actions.some((one) => one.action !== "Wait" && isOfRollout(one)) && scope.memory.isSettled;
  return isPut || isMiscounted || mayDecide || hasOtherTags(view);
}

/** Refuses a scale set of another pool, or one that another client created. */
function refuseForeign({ azureTarget, context }: NormalScope, { set }: Observation): void {
  const { clusterName } = azureTarget.plan;
  const problem = set && foreignProblem(set, { clusterName, poolKey: azureTarget.poolKey });
  if (problem === undefined) return;
  const message = `metadata.name: ${problem}`;
  context.setCondition({
    type: SCALE_SET_RUNNING,
    status: "False",
    severity: "Error",
    reason: "ScaleSetForeign",
    message,
  });
  throw terminal("ScaleSetForeign", message);
}

/** Stores how many lists have confirmed a large removal, so that the count survives a restart. */
function recordGuard({ pool }: NormalScope, { planned, view }: PlannedObservation): void {
  const isBlocked = planned.blocked.some(({ reason }) => reason === "RemovalBlocked");
  const { blockedRemoval: _, ...rest } = pool.status ?? {};
  const guard = view.removalGuard;
  if (!isBlocked || !guard) {
    pool.status = rest;
    return;
  }
  const { missing, confirmations, lastCountedMs } = guard;
  const lastConfirmedAt = formatTimestamp(lastCountedMs);
  pool.status = {
    ...rest,
    blockedRemoval: { hash: hashOfNames(missing), count: missing.length, confirmations, lastConfirmedAt },
  };
}

/** Stores the autoscaler's number together with the first intent, so that a crash does not lose it. */
function recordSize(scope: NormalScope, observation: PlannedObservation): void {
  const { pool } = scope;
  const { externalReplicas: known, externalCapacity: _, ...rest } = pool.status ?? {};
  const externalReplicas = recordedSize(observation.view, observation.planned, known);
  pool.status = externalReplicas === undefined ? rest : { ...pool.status, externalReplicas };
  noteResize(scope, observation);
}

/** Forgets a rejection when Azure accepts the write, or when the desired state has changed. */
function forgetRefusal(scope: NormalScope, { planned, set }: PlannedObservation): void {
  const { memory } = scope;
  const isDesired = planned.actions.some(isWriteOfSet);
  const isOver = !isDesired && !isModelRefused(scope) && set?.provisioningState === "Succeeded";
  if (isOver || memory.refusal?.desiredStateKey !== desiredStateKey(scope)) memory.refusal = undefined;
}

const MOVING: ReadonlySet<string> = new Set(["Creating", "Updating", "Deleting"]);

/** When to requeue the pool, if it waits for Azure. Changes of Nodes and resources enqueue it anyway. */
function requeue({ memory }: NormalScope, { planned, view, instances }: PlannedObservation): Outcome {
  const isHeld = planned.blocked.length > 0 && !isHalted(view);
  const isQuiet = !planned.actions.some(isOfRollout) && !isHeld && view.operation === undefined;
  memory.isSettled = isQuiet;
  if (isQuiet) return next;
  const isMoving =
    memory.isDisturbed ||
    view.operation !== undefined ||
    instances.some(({ provisioningState }) => MOVING.has(provisioningState));
  const reason = planned.blocked[0]?.reason ?? "Progressing";
  return again(Math.max(isMoving ? 0 : MINUTE_MS, busyListMs(instances.length)), reason);
}
