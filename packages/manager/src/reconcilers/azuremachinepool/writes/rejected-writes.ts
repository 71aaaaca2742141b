import { AzureError, DEFAULT_RETRY_AFTER_MS, failureOf } from "@capstan/azure";
import type { Failure } from "@capstan/runtime";
import { poolSpecOf } from "../../../contract/pool-spec.ts";
import type { RejectedWrite } from "../cache/rejected-writes.ts";
import type { NormalScope, PlannedObservation } from "../scope.ts";

/** Requeue soon, not immediately: the next decision needs a fresh read of Azure. */
const DECIDE_AGAIN_MS = 5_000;
const TEN_MINUTES_MS = 10 * 60_000;
// Azure's message; its error code says only that the request is not allowed.
const MODEL_LIMIT = /\blimit of \d+ models\b/i;

/** Records a rejection by Azure and returns when to retry; the rest of the pass continues. */
export function noteRejected(scope: NormalScope, error: unknown, isOfInstances = false): number {
  if (!(error instanceof AzureError)) throw error;
  const { class: meaning, retryAfterMs } = error;
  if (meaning === "Throttled") return retryAfterMs ?? DEFAULT_RETRY_AFTER_MS;
  if (meaning === "Precondition" || meaning === "Preempted" || meaning === "Gone") return DECIDE_AGAIN_MS;
  const waitMs = isOfInstances ? retryMs(failureIn(error)) : noteRejectedWrite(scope, error);
  recordRejection(scope, error);
  return waitMs;
}

/** Records that Azure has rejected a write of the scale set; returns when to retry. */
export function noteRejectedWrite(scope: NormalScope, error: AzureError): number {
  const { poolCache, context } = scope;
  const failure = failureIn(error);
  const waitMs = retryMs(failure);
  const isOfModels = MODEL_LIMIT.test(error.message);
  poolCache.rejectedWrites.note({
    error: failure,
    retryAtMs: context.env.clock.monotonic() + waitMs,
    desiredStateKey: desiredStateKey(scope),
    isOfModels,
  });
  return isOfModels ? DECIDE_AGAIN_MS : waitMs;
}

/** Records the event of a rejection. */
export function recordRejection({ context }: NormalScope, error: AzureError): void {
  const failure = failureOf(error, "Azure refused a change of the scale set") as Failure;
  context.event({ type: "Warning", reason: failure.reason, message: failure.message });
}

function failureIn(error: AzureError): Failure {
  return failureOf(error, "writing the scale set") as Failure;
}

function retryMs({ failure, retryAfterMs }: Failure): number {
  return retryAfterMs ?? (failure === "Terminal" ? TEN_MINUTES_MS : DEFAULT_RETRY_AFTER_MS);
}

/** The rejection of the desired state; undefined if Azure has rejected none, or another one. */
function rejectionOf(scope: NormalScope): RejectedWrite | undefined {
  const { last } = scope.poolCache.rejectedWrites;
  return last && last.desiredStateKey === desiredStateKey(scope) ? last : undefined;
}

/** How long a rejected write is not retried, unless the desired state has changed. */
export function heldForMs(scope: NormalScope): number {
  const rejected = rejectionOf(scope);
  return rejected ? rejected.retryAtMs - scope.context.env.clock.monotonic() : 0;
}

/** Whether Azure has rejected the desired state because of too many models, and the retry is not due yet. */
export function isModelRejected(scope: NormalScope): boolean {
  return rejectionOf(scope)?.isOfModels === true && heldForMs(scope) > 0;
}

/** Forgets a rejection when Azure accepts the write, or when the desired state has changed. */
export function forgetRejection(scope: NormalScope, { planned, set }: PlannedObservation): void {
  const isWriting = planned.actions.some(({ action }) => action === "PutModel" || action === "SetCapacity");
  const isOver = !isWriting && !isModelRejected(scope) && set?.provisioningState === "Succeeded";
  if (isOver || !rejectionOf(scope)) scope.poolCache.rejectedWrites.forget();
}

/**
 * Identifies the desired state: a change of it is worth another attempt after a rejection. It includes the AzureCluster, which
 * gives tags and identity, and the model hash, which changes with a restart annotation.
 */
export function desiredStateKey({ pool, owners, desired }: NormalScope): string {
  const ofOwners = [poolSpecOf(owners.machinePool), owners.azureCluster.metadata.generation];
  return JSON.stringify([poolSpecOf(pool), ofOwners, desired.hash.hash]);
}
