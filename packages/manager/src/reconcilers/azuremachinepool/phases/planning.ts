import { isHalted, isOfRollout, planPool } from "@capstan/plan";
import { again, next, type Outcome } from "@capstan/runtime";
import { busyListMs } from "../observation/read-azure.ts";
import type { NormalScope, PlannedObservation } from "../scope.ts";
import { desiredStateKey, forgetRejection } from "../writes/rejected-writes.ts";

const MINUTE_MS = 60_000;

/** Plans, and requeues the pool if it waits for Azure. */
export function plan(scope: NormalScope): Outcome {
  const { observation, poolCache, context } = scope;
  if (!observation) return next;
  const planned = planPool(observation.view);
  const isSettled = hasNothingToWaitFor({ ...observation, planned });
  scope.planned = planned;
  poolCache.lastPlan = {
    madeAtMs: context.env.clock.monotonic(),
    desiredStateKey: desiredStateKey(scope),
    isSettled,
  };
  forgetRejection(scope, { ...observation, planned });
  return isSettled ? next : requeue(scope, { ...observation, planned });
}

function hasNothingToWaitFor({ planned, view }: PlannedObservation): boolean {
  const isHeld = planned.blocked.length > 0 && !isHalted(view);
  return !planned.actions.some(isOfRollout) && !isHeld && view.operation === undefined;
}

const MOVING: ReadonlySet<string> = new Set(["Creating", "Updating", "Deleting"]);

/** When to requeue the pool, if it waits for Azure. Changes of Nodes and resources enqueue it anyway. */
function requeue({ poolCache }: NormalScope, { planned, view, instances }: PlannedObservation): Outcome {
  const isMoving =
    poolCache.azure.isDisturbed ||
    view.operation !== undefined ||
    instances.some(({ provisioningState }) => MOVING.has(provisioningState));
  const reason = planned.blocked[0]?.reason ?? "Progressing";
  return again(Math.max(isMoving ? 0 : MINUTE_MS, busyListMs(instances.length)), reason);
}
