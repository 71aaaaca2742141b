import { isTrue } from "@capstan/api";
import { block, Failure, next, type Outcome } from "@capstan/runtime";
import { failureOf } from "../../azure/failure.ts";
import { advance, type Progress } from "../../azure/operations/operations.ts";
import { DRAINED } from "../azuremachinepoolmachine/conditions.ts";
import { providerKey } from "../../workload/nodes.ts";
import { adoptStragglers } from "./perform.ts";
import { deleteAll } from "./machine-writes.ts";
import { withUndrainedNodes } from "./undrained-nodes.ts";
import { lookAtAzure, machinesOf, readSet } from "./observe.ts";
import { operationPorts, persistSetOperation } from "./operations.ts";
import { foreignProblem } from "./scale-set-body.ts";
import { needed, SCALE_SET_RUNNING, type Scope } from "./scope.ts";

const DELETING = "ScaleSetDeleting";
// Machines that change tell of themselves; this is for what nobody tells.
const DELETION_POLL_MS = 30_000;

/** Says that the pool goes, and tells its machines. Those of a cluster that goes as a whole are not waited for. */
export async function drainMachines(scope: Scope): Promise<Outcome> {
  const { context, isClusterGoing, pool } = scope;
  context.setCondition({ type: SCALE_SET_RUNNING, status: "False", severity: "Info", reason: DELETING });
  pool.status = { ...pool.status, ready: false };
  const machines = machinesOf(scope);
  await deleteAll(context.client, machines);
  if (await hasStragglers(scope)) return block(0, "DrainingMachines");
  const isDrained =
    machines.every(({ status }) => isTrue(status?.conditions, DRAINED)) &&
    !(await hasLateNodes(scope, machines));
  // A scale set whose deletion has begun takes its machines with it, drained or not.
  const hasBegun = pool.status.operation?.verb === "DELETE";
  return isClusterGoing || isDrained || hasBegun ? next : block(DELETION_POLL_MS, "DrainingMachines");
}

async function hasLateNodes(scope: Scope, machines: ReturnType<typeof machinesOf>): Promise<boolean> {
  const byKey = new Map(
    scope.memory.listed?.instances.map((instance) => [providerKey(instance.providerID), instance]),
  );
  const candidates = machines.flatMap((machine) => {
    const seen = byKey.get(providerKey(machine.spec.providerID));
    return seen ? [{ machine, seen, node: undefined }] : [];
  });
  return (await withUndrainedNodes(scope, candidates)).size > 0;
}

/**
 * Looks at the scale set: the machines drain only what they know is there, and after a restart nobody has told them yet.
 * True when it has instances that no machine stood for so far.
 */
async function hasStragglers(scope: Scope): Promise<boolean> {
  const { azureTarget, pool, isClusterGoing } = scope;
  // What else was under way does not matter any more; a set that is being deleted tells nothing of use.
  if (!azureTarget || pool.status?.operation?.verb === "DELETE") return false;
  try {
    const { set, instances } = await lookAtAzure(scope, false);
    const { plan, poolKey } = azureTarget;
    const isOurs = set && foreignProblem(set, { clusterName: plan.clusterName, poolKey }) === undefined;
    return isOurs === true && !isClusterGoing && (await adoptStragglers(scope, instances)) > 0;
  } catch (error) {
    throw failureOf(error, "reading the scale set");
  }
}

/** Deletes the scale set with all that is left in it; through when it is gone. */
export async function deleteScaleSet(scope: Scope): Promise<Outcome> {
  const { azureTarget, memory, shared, context } = scope;
  if (!azureTarget) return next;
  try {
    const waitMs = await deletion(scope);
    if (waitMs !== undefined) return block(waitMs, DELETING);
  } catch (error) {
    const failure = failureOf(error, "deleting the scale set");
    const isWait = failure instanceof Failure && failure.failure === "Waiting";
    if (isWait) return block(failure.retryAfterMs ?? DELETION_POLL_MS, DELETING);
    throw failure;
  }
  memory.forgetSet(azureTarget.scaleSetID);
  shared.ports.scaleSets.record(azureTarget.scaleSetID, [], context.env.clock.now());
  return next;
}

/** Takes the deletion as far as it goes; says when to come back, undefined when nothing of ours is left. */
async function deletion(scope: Scope): Promise<number | undefined> {
  const { scaleSetID, location } = needed(scope.azureTarget);
  const record = scope.pool.status?.operation;
  const task = { persist: persistSetOperation(scope), location };
  const instances = machinesOf(scope).length;
  const wanted = { verb: "DELETE", resourceID: scaleSetID, instances } as const;
  if (record?.verb === "DELETE") {
    return waitFor(await advance(operationPorts(scope), { ...task, record, wanted }));
  }
  // A write that may have arrived is looked for first; one that was accepted is overtaken by the deletion.
  if (record && record.url === undefined) {
    const progress = await advance(operationPorts(scope), { ...task, record });
    if (!progress.isDone) return progress.retryAfterMs;
  }
  if (!(await isOursThere(scope))) return undefined;
  return waitFor(await advance(operationPorts(scope), { ...task, wanted }));
}

function waitFor(progress: Progress): number | undefined {
  if (!progress.isDone) return progress.retryAfterMs;
  return progress.outcome === "Succeeded" ? undefined : DELETION_POLL_MS;
}

/** Whether there is a scale set, and it is ours to delete. */
async function isOursThere(scope: Scope): Promise<boolean> {
  const { plan, poolKey } = needed(scope.azureTarget);
  const set = await readSet(scope);
  return set !== undefined && foreignProblem(set, { clusterName: plan.clusterName, poolKey }) === undefined;
}

/** The machines let go when they see that their instances are gone; the last of them lets the pool go. */
export function awaitMachines(scope: Scope): Outcome {
  const { shared, pool, azureTarget } = scope;
  if (machinesOf(scope).length > 0) return block(DELETION_POLL_MS, "WaitingForMachines");
  shared.memory.forget(pool.metadata.uid ?? "");
  if (azureTarget) shared.ports.scaleSets.forget(azureTarget.scaleSetID);
  return next;
}
