import type { Frozen, Operation } from "@capstan/api";
import { again, block, next, type Outcome } from "@capstan/runtime";
import { minReconcileIntervalMsOf } from "../../../workload/reconcile-interval.ts";
import type { NormalScope } from "../scope.ts";
import { pollOnce } from "../writes/operations.ts";
import { desiredStateKey } from "../writes/rejected-writes.ts";

/** Polls each running operation once. One that hangs holds up only itself. */
export async function pollOperations(scope: NormalScope): Promise<Outcome> {
  const { operation, instanceOperations = [] } = scope.pool.status ?? {};
  const waits: number[] = [];
  for (const record of [...(operation ? [operation] : []), ...instanceOperations])
    waits.push(await pollIfDue(scope, record));
  const soonest = Math.min(...waits.filter((waitMs) => waitMs > 0));
  if (!Number.isFinite(soonest)) return next;
  const minReconcileIntervalMs = waits.includes(0) ? 0 : reconcileIntervalLeftMs(scope);
  if (minReconcileIntervalMs <= 0) return again(soonest, "OperationRunning");
  scope.isQuiet = true;
  return block(Math.min(soonest, minReconcileIntervalMs), "OperationRunning");
}

/** Polls an operation no more often than Azure asks for, however often the pool is enqueued. */
async function pollIfDue(scope: NormalScope, record: Frozen<Operation>): Promise<number> {
  const waitMs = scope.poolCache.polls.leftMs(record.url);
  return waitMs > 0 ? waitMs : pollOnce(scope, record);
}

/** The rest of the minimum reconcile interval, if the last plan was for the same desired state: polling needs no new plan. */
function reconcileIntervalLeftMs(scope: NormalScope): number {
  const { context, poolCache, pool } = scope;
  const { lastPlan } = poolCache;
  if (lastPlan?.desiredStateKey !== desiredStateKey(scope)) return 0;
  return (
    lastPlan.madeAtMs + minReconcileIntervalMsOf(pool.spec.providerIDList) - context.env.clock.monotonic()
  );
}
