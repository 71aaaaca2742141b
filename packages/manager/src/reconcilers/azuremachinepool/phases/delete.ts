import { isTrue } from "@capstan/api";
import { block, Failure, next, type Outcome } from "@capstan/runtime";
import { advance, failureOf, type Progress } from "@capstan/azure";
import { DRAINED } from "../../../pools/machine-conditions.ts";
import { providerKey } from "../../../workload/nodes.ts";
import { adoptStragglers } from "../writes/machine-resources.ts";
import { deleteAll } from "../writes/machine-resources.ts";
import { withUndrainedNodes } from "../observation/undrained-nodes.ts";
import { readAzure, readSet } from "../observation/read-azure.ts";
import { machinesOfPool } from "../../../pools/machines-of-pool.ts";
import { operationPorts, persistSetOperation } from "../writes/operations.ts";
import { foreignProblem } from "../model/body.ts";
import { type AzurePass, type DeletingScope, hasTarget, SCALE_SET_RUNNING } from "../scope.ts";

const DELETING = "ScaleSetDeleting";
// Events of machines enqueue the pool; the requeue only covers an event that was missed.
const DELETION_POLL_MS = 30_000;

/** Deletes the machines of the pool and waits until they are drained, unless the whole Cluster is being deleted. */
export async function drainMachines(scope: DeletingScope): Promise<Outcome> {
  const { context, isClusterGoing, pool } = scope;
  context.setCondition({ type: SCALE_SET_RUNNING, status: "False", severity: "Info", reason: DELETING });
  pool.status = { ...pool.status, ready: false };
  const machines = machinesOfPool(scope.context.cache, scope.pool);
  await deleteAll(context.client, machines);
  if (await hasStragglers(scope)) return block(0, "DrainingMachines");
  const isDrained =
    machines.every(({ status }) => isTrue(status?.conditions, DRAINED)) &&
    !(await hasLateNodes(scope, machines));
  // Once the deletion of the scale set has begun, its machines go with it, drained or not.
  const hasBegun = pool.status.operation?.verb === "DELETE";
  return isClusterGoing || isDrained || hasBegun ? next : block(DELETION_POLL_MS, "DrainingMachines");
}

async function hasLateNodes(
  scope: DeletingScope,
  machines: ReturnType<typeof machinesOfPool>,
): Promise<boolean> {
  const byKey = new Map(
    scope.poolCache.azure.listed?.instances.map((instance) => [providerKey(instance.providerID), instance]),
  );
  const candidates = machines.flatMap((machine) => {
    const instance = byKey.get(providerKey(machine.spec.providerID));
    return instance ? [{ machine, instance, node: undefined }] : [];
  });
  return (await withUndrainedNodes(scope, candidates)).size > 0;
}

/**
 * Lists the scale set, because after a restart the instance cache is empty and machines drain only instances they know.
 * True when instances had no resource so far.
 */
async function hasStragglers(scope: DeletingScope): Promise<boolean> {
  const { pool, isClusterGoing } = scope;
  // Other operations do not matter any more, and the list of a scale set that is being deleted is useless.
  if (!hasTarget(scope) || pool.status?.operation?.verb === "DELETE") return false;
  try {
    const { set, instances } = await readAzure(scope, false);
    const { plan, poolKey } = scope.azureTarget;
    const isOurs = set && foreignProblem(set, { clusterName: plan.clusterName, poolKey }) === undefined;
    return isOurs === true && !isClusterGoing && (await adoptStragglers(scope, instances)) > 0;
  } catch (error) {
    throw failureOf(error, "reading the scale set");
  }
}

/** Deletes the scale set with all its instances; done when it is gone. */
export async function deleteScaleSet(scope: DeletingScope): Promise<Outcome> {
  const { poolCache, shared, context } = scope;
  if (!hasTarget(scope)) return next;
  try {
    const waitMs = await deletion(scope);
    if (waitMs !== undefined) return block(waitMs, DELETING);
  } catch (error) {
    const failure = failureOf(error, "deleting the scale set");
    const isWait = failure instanceof Failure && failure.failure === "Waiting";
    if (isWait) return block(failure.retryAfterMs ?? DELETION_POLL_MS, DELETING);
    throw failure;
  }
  poolCache.azure.forgetSet(scope.azureTarget.scaleSetID);
  shared.ports.scaleSets.record(scope.azureTarget.scaleSetID, [], context.env.clock.now());
  return next;
}

/** Advances the deletion; returns when to poll it, undefined when the scale set is gone or not ours. */
async function deletion(scope: AzurePass): Promise<number | undefined> {
  const { scaleSetID, location } = scope.azureTarget;
  const record = scope.pool.status?.operation;
  const task = { persist: persistSetOperation(scope), location };
  const instances = machinesOfPool(scope.context.cache, scope.pool).length;
  const desired = { verb: "DELETE", resourceID: scaleSetID, instances } as const;
  if (record?.verb === "DELETE") {
    return waitFor(await advance(operationPorts(scope), { ...task, record, desired }));
  }
  // A write without a known answer is looked up first; the deletion preempts one that Azure has accepted.
  if (record && record.url === undefined) {
    const progress = await advance(operationPorts(scope), { ...task, record });
    if (!progress.isDone) return progress.retryAfterMs;
  }
  if (!(await isOursThere(scope))) return undefined;
  return waitFor(await advance(operationPorts(scope), { ...task, desired }));
}

function waitFor(progress: Progress): number | undefined {
  if (!progress.isDone) return progress.retryAfterMs;
  return progress.outcome === "Succeeded" ? undefined : DELETION_POLL_MS;
}

/** Whether the scale set exists and is ours to delete. */
async function isOursThere(scope: AzurePass): Promise<boolean> {
  const { plan, poolKey } = scope.azureTarget;
  const set = await readSet(scope);
  return set !== undefined && foreignProblem(set, { clusterName: plan.clusterName, poolKey }) === undefined;
}

/** Waits until all machines are gone: each removes its finalizer when its instance is gone. */
export function awaitMachines(scope: DeletingScope): Outcome {
  const { shared, pool, azureTarget } = scope;
  if (machinesOfPool(scope.context.cache, scope.pool).length > 0)
    return block(DELETION_POLL_MS, "WaitingForMachines");
  shared.poolCaches.forget(pool.metadata.uid ?? "");
  if (azureTarget) shared.ports.scaleSets.forget(azureTarget.scaleSetID);
  return next;
}
