import { formatTimestamp } from "@capstan/api";
import { again, block, next, type Outcome, terminal } from "@capstan/runtime";
import { failureOf } from "../../azure/failure.ts";
import { AzureError } from "../../azure/port.ts";
import type { PoolAction } from "../../rollout/scale-set/action.ts";
import { planPool } from "../../rollout/scale-set/plan.ts";
import { missingNames, observeMissing } from "../../rollout/scale-set/removal-guard.ts";
import type { PoolView } from "../../rollout/scale-set/view.ts";
import { recordedSize } from "./external-size.ts";
import { noteResize } from "./resize.ts";
import { joinFacts } from "./machine-facts.ts";
import { type AzureObservation, busyListMs, lookAtAzure, nodesOf, workloadFacts } from "./observe.ts";
import { isModelRefused, desiredStateKey } from "./operations.ts";
import { hashOfNames, poolView } from "./pool-view.ts";
import { foreignProblem } from "./scale-set-body.ts";
import { needed, SCALE_SET_RUNNING, type Scope, type Observation } from "./scope.ts";
import { tagsToWrite } from "./tags.ts";

const MINUTE_MS = 60_000;
const UNTOLD_WAIT_MS = MINUTE_MS;

/** Looks at everything and plans. What would change something is decided on what was seen just now. */
export async function observeAndPlan(scope: Scope): Promise<Outcome> {
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
    // Without a fresh look nothing is decided.
    if (error instanceof AzureError && error.class === "Throttled")
      return block(error.retryAfterMs ?? UNTOLD_WAIT_MS, "WaitingForAzure");
    throw failureOf(error, "reading the scale set");
  }
}

async function observed(scope: Scope): Promise<Observation> {
  const observation = await observationOf(scope, false);
  return isDoubtful(scope, observation) ? observationOf(scope, true) : observation;
}

function isWriteOfSet({ action }: PoolAction): boolean {
  return action === "PutModel" || action === "SetCapacity";
}

async function observationOf(scope: Scope, isFresh: boolean): Promise<Observation> {
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

/** Nothing is planned on a spec that cannot be built, and numbers in it that mean nothing are not counted with. */
const AT_A_STANDSTILL = { isPaused: true, maxSurge: 0, maxUnavailable: 0 } as const;

function viewOf(
  scope: Scope,
  { set, listedAtMs }: AzureObservation,
  seen: Pick<Parameters<typeof poolView>[0], "machines" | "workload">,
): PoolView {
  const { pool, owners, desired, context } = scope;
  const view = poolView({
    pool,
    machinePool: needed(owners).machinePool,
    scaleSet: set,
    wanted: needed(desired).hash,
    isModelRefused: isModelRefused(scope),
    nowMs: context.env.clock.now(),
    ...seen,
  });
  // A list is counted by the time it set out, so that it counts once, however often it is looked at.
  const removalGuard = observeMissing(view.removalGuard, missingNames(view), listedAtMs);
  return scope.refusal ? { ...view, removalGuard, ...AT_A_STANDSTILL } : { ...view, removalGuard };
}

/** Whether a plan would write to Azure, or something does not add up, on what was not read in this pass. */
function isDoubtful(scope: Scope, observation: Observation): boolean {
  // Nothing is written for a pool that is paused.
  if (observation.isLiveRead || observation.view.isPaused) return false;
  const { view, planned, set } = observation;
  const isPut = planned.actions.some(isWriteOfSet);
  const isMiscounted =
    set !== undefined && view.operation === undefined && planned.budget.live !== set.capacity;
  const mayDecide = planned.actions.some(({ action }) => action !== "Wait") && scope.memory.isSettled;
  return isPut || isMiscounted || mayDecide || tagsToWrite(scope, observation) !== undefined;
}

/** Two pools must never share a scale set, and one that somebody else made is not ours. */
function refuseForeign({ azureTarget, context }: Scope, { set }: Observation): void {
  const { plan, poolKey } = needed(azureTarget);
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

/** What lists have said about a removal that is too large to be believed at once outlives the process. */
function recordGuard({ pool }: Scope, { planned, view }: Observation): void {
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

/** Written with the first thing that is done: whatever that leads to, the number is known. */
function recordSize(scope: Scope, observation: Observation): void {
  const { pool } = scope;
  const { externalReplicas: known, externalCapacity: _, ...rest } = pool.status ?? {};
  const externalReplicas = recordedSize(observation.view, observation.planned, known);
  pool.status = externalReplicas === undefined ? rest : { ...pool.status, externalReplicas };
  noteResize(scope, observation);
}

/** What Azure said no to is told until it says yes, or until nobody wants it any more. */
function forgetRefusal(scope: Scope, { planned, set }: Observation): void {
  const { memory } = scope;
  const isWanted = planned.actions.some(isWriteOfSet);
  const isOver = !isWanted && !isModelRefused(scope) && set?.provisioningState === "Succeeded";
  if (isOver || memory.refusal?.desiredStateKey !== desiredStateKey(scope)) memory.refusal = undefined;
}

const MOVING: ReadonlySet<string> = new Set(["Creating", "Updating", "Deleting"]);

/** When to look again, if there is anything to wait for. Nodes and resources that change tell of themselves. */
function requeue({ memory }: Scope, { planned, view, instances }: Observation): Outcome {
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
