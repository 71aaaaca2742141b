import { formatTimestamp } from "@capstan/api";
import { again, block, next, type Outcome, terminal } from "@capstan/runtime";
import { AzureError, failureOf } from "@capstan/azure";
import { missingNames, observeMissing, planPool, type PoolAction, type PoolView } from "@capstan/plan";
import { recordedSize } from "./external-size.ts";
import { noteResize } from "./resize.ts";
import { joinFacts } from "./machine-facts.ts";
import { type AzureObservation, busyListMs, lookAtAzure, nodesOf, workloadFacts } from "./observe.ts";
import { isModelRefused, desiredStateKey } from "./operations.ts";
import { hashOfNames, poolView } from "./pool-view.ts";
import { foreignProblem } from "./scale-set-body.ts";
import { SCALE_SET_RUNNING, type NormalScope, type Observation } from "./scope.ts";
import { tagsToWrite } from "./tags.ts";

const MINUTE_MS = 60_000;
const UNTOLD_WAIT_MS = MINUTE_MS;

/** Observes Azure, resources and Nodes, and plans. A plan that would write is made again on fresh reads. */
export async function observeAndPlan(scope: NormalScope): Promise<Outcome> {
  try {
    const observation = await observed(scope);
    refuseForeign(scope, observation);
    scope.observation = observation;
    scope.memory.decided = {
      atMs: scope.context.env.clock.monotonic(),
      desiredStateKey: desiredStateKey(scope),
    };
    recordGuard(scope, observation);
    recordSize(scope, observation);
    forgetRefusal(scope, observation);
    return requeue(scope, observation);
  } catch (error) {
    // Without fresh reads nothing is decided.
    if (error instanceof AzureError && error.class === "Throttled")
      return block(error.retryAfterMs ?? UNTOLD_WAIT_MS, "WaitingForAzure");
    throw failureOf(error, "reading the scale set");
  }
}

async function observed(scope: NormalScope): Promise<Observation> {
  const observation = await observationOf(scope, false);
  return isDoubtful(scope, observation) ? observationOf(scope, true) : observation;
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
  return { ...seen, machines, unavailable, view, planned: planPool(view) };
}

/** A spec that cannot be built is planned as if paused, and its limits are ignored. */
const AT_A_STANDSTILL = { isPaused: true, maxSurge: 0, maxUnavailable: 0 } as const;

function viewOf(
  scope: NormalScope,
  { set, listedAtMs }: AzureObservation,
  seen: Pick<Parameters<typeof poolView>[0], "machines" | "workload">,
): PoolView {
  const { pool, owners, desired, context } = scope;
  const view = poolView({
    pool,
    machinePool: owners.machinePool,
    scaleSet: set,
    desired: desired.hash,
    isModelRefused: isModelRefused(scope),
    nowMs: context.env.clock.now(),
    ...seen,
  });
  // Lists are told apart by the time of their request, so that each confirms a removal only once.
  const removalGuard = observeMissing(view.removalGuard, missingNames(view), listedAtMs);
  return scope.refusal ? { ...view, removalGuard, ...AT_A_STANDSTILL } : { ...view, removalGuard };
}

/** Whether the plan would write to Azure, or contradicts itself, on reads from an earlier pass. */
function isDoubtful(scope: NormalScope, observation: Observation): boolean {
  // A paused pool writes nothing.
  if (observation.isLiveRead || observation.view.isPaused) return false;
  const { view, planned, set } = observation;
  const isPut = planned.actions.some(isWriteOfSet);
  const isMiscounted =
    set !== undefined && view.operation === undefined && planned.budget.live !== set.capacity;
  const mayDecide = planned.actions.some(({ action }) => action !== "Wait") && scope.memory.isSettled;
  return isPut || isMiscounted || mayDecide || tagsToWrite(scope, observation) !== undefined;
}

/** Refuses a scale set of another pool, or one that another client created. */
function refuseForeign({ azureTarget, context }: NormalScope, { set }: Observation): void {
  const { plan, poolKey } = azureTarget;
  const problem = set && foreignProblem(set, { clusterName: plan.clusterName, poolKey });
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
function recordGuard({ pool }: NormalScope, { planned, view }: Observation): void {
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
function recordSize(scope: NormalScope, observation: Observation): void {
  const { pool } = scope;
  const { externalReplicas: known, externalCapacity: _, ...rest } = pool.status ?? {};
  const externalReplicas = recordedSize(observation.view, observation.planned, known);
  pool.status = externalReplicas === undefined ? rest : { ...pool.status, externalReplicas };
  noteResize(scope, observation);
}

/** Forgets a rejection when Azure accepts the write, or when the desired state has changed. */
function forgetRefusal(scope: NormalScope, { planned, set }: Observation): void {
  const { memory } = scope;
  const isDesired = planned.actions.some(isWriteOfSet);
  const isOver = !isDesired && !isModelRefused(scope) && set?.provisioningState === "Succeeded";
  if (isOver || memory.refusal?.desiredStateKey !== desiredStateKey(scope)) memory.refusal = undefined;
}

const MOVING: ReadonlySet<string> = new Set(["Creating", "Updating", "Deleting"]);

/** When to requeue the pool, if it waits for Azure. Changes of Nodes and resources enqueue it anyway. */
function requeue({ memory }: NormalScope, { planned, view, instances }: Observation): Outcome {
  const isHeld = planned.blocked.length > 0 && !view.isPaused;
  const isQuiet = planned.actions.length === 0 && !isHeld && view.operation === undefined;
  memory.isSettled = isQuiet;
  if (isQuiet) return next;
  const isMoving =
    memory.isDisturbed ||
    view.operation !== undefined ||
    instances.some(({ provisioningState }) => MOVING.has(provisioningState));
  const reason = planned.blocked[0]?.reason ?? "Progressing";
  return again(Math.max(isMoving ? 0 : MINUTE_MS, busyListMs(instances.length)), reason);
}
