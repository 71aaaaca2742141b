import { type Frozen, getCondition, groupOf, Machine, Node, PRE_TERMINATE_HOOK_PREFIX } from "@capstan/api";
import {
  block,
  type Client,
  deleteIfExists,
  Failure,
  isNotFound,
  next,
  type Outcome,
  type Phase,
} from "@capstan/runtime";
import { isNodeReady } from "../../workload/availability.ts";
import { type DrainState, hookOf } from "../../workload/drain/drain-machine.ts";
import { precedingName } from "../../pools/claims.ts";
import { DRAINED, WAITING_FOR_INSTANCE } from "../../pools/machine-conditions.ts";
import { isDrained } from "./drained.ts";
import { drainNode, recordDrain } from "./drain-node.ts";
import { isOfPool, type Scope } from "./scope.ts";

// A list without the instance enqueues the machine; this interval covers missed events.
const INSTANCE_RECHECK_MS = 10 * 60_000;
const CONTRADICTED_MS = 30_000;
const RETRY_MS = 5_000;
// Conditions have timestamps in whole seconds.
const TIMESTAMP_STEP_MS = 1_000;
const DEFAULT_NODE_DELETION_SECONDS = 10;

/** Skips a phase of a deletion that has nothing left to protect. */
export function unlessPointless(phase: Phase<Scope>): Phase<Scope> {
  return (scope) => (isPointless(scope) ? next : phase(scope));
}

/** The whole cluster is being deleted, or the instance belongs to another machine or is gone with its pool. */
function isPointless({ context, machine, pool, cluster }: Scope): boolean {
  if (!pool || !isOfPool(machine, pool) || precedingName(machine, context.cache) !== undefined) return true;
  return !cluster || cluster.metadata.deletionTimestamp !== undefined;
}

/** Drains the Node; then the condition allows the pool controller to delete the instance. */
export async function drainBeforeLeaving(scope: Scope): Promise<Outcome> {
  if (isDrained(scope)) return next;
  const drained = await drainNode(scope);
  const state = drained.isOver ? (hookOf(scope.machine, PRE_TERMINATE_HOOK_PREFIX) ?? drained) : drained;
  if (!state.isOver) return wait(scope, state);
  // If the instance is gone, the pool controller does not wait for the condition.
  if (isSurelyGone(scope)) return next;
  forgetUpdate(scope);
  recordDrain(scope, state);
  return block(INSTANCE_RECHECK_MS, WAITING_FOR_INSTANCE);
}

/** Once the Node of an update is back, its record is outdated: it describes the earlier Node. */
function forgetUpdate({ machine, node }: Scope): void {
  const { instanceUpdate, ...rest } = machine.status ?? {};
  if (instanceUpdate && node.state === "found" && node.node.metadata.uid !== instanceUpdate.nodeUID)
    machine.status = rest;
}

function wait(scope: Scope, state: DrainState & { readonly isOver: false }): Outcome {
  if (state.isRoutine === true) scope.isQuiet = true;
  else recordDrain(scope, state);
  return block(state.requeueAfterMs, state.reason);
}

/** Waits until a list shows that the instance is gone. */
export function awaitInstance(scope: Scope): Outcome {
  if (isSurelyGone(scope)) return next;
  return scope.observed.state === "gone"
    ? block(CONTRADICTED_MS, WAITING_FOR_INSTANCE)
    : block(INSTANCE_RECHECK_MS, WAITING_FOR_INSTANCE);
}

/** One list may be wrong: a Ready Node outweighs a list from before the deletion of its instance. */
function isSurelyGone({ machine, node, observed }: Scope): boolean {
  if (observed.state !== "gone") return false;
  if (node.state !== "found" || !isNodeReady(node.node)) return true;
  const drained = getCondition(machine.status?.conditions, DRAINED);
  if (drained?.status !== "True") return false;
  return observed.atMs >= Date.parse(drained.lastTransitionTime) + TIMESTAMP_STEP_MS;
}

/** Deletes the Node of a deleted machine; other controllers would take longer. */
export async function removeNode(scope: Scope): Promise<Outcome> {
  const { context, machine, node } = scope;
  if (node.state !== "found" && node.state !== "unknown") return next;
  // The moment until the Node is gone needs no condition.
  scope.isQuiet = true;
  try {
    return await askNodeToGo(scope);
  } catch (error) {
    // A Retry-After of the server holds even if the time limit has passed.
    if (!(error instanceof Failure) || error.retryAfterMs !== undefined) throw error;
    if (!isOverdue(scope)) return block(RETRY_MS, error.reason);
    context.log.warn("Could not delete the Node of a deleted machine; it remains", {
      machine: machine.metadata.name,
      error,
    });
    return next;
  }
}

/** The deletion of the Node enqueues the machine; a Node that stays holds the machine only up to the time limit. */
async function askNodeToGo(scope: Scope): Promise<Outcome> {
  const { node, workload } = scope;
  const isToBeAsked = node.state === "found" && node.node.metadata.deletionTimestamp === undefined;
  if (!isToBeAsked || !workload) return isOverdue(scope) ? next : block(RETRY_MS, "WaitingForNodeDeletion");
  await deleteNode(scope, { node: node.node, workload });
  return block(RETRY_MS, "WaitingForNodeDeletion");
}

/** The Node to delete, and the version it must still have if that matters. */
interface NodeDeletion {
  readonly node: Frozen<Node>;
  readonly workload: Client;
  readonly resourceVersion?: string | undefined;
}

/** Deletes this Node by UID; a new Node of the same name stays. */
export async function deleteNode(
  scope: Scope,
  { node, workload, resourceVersion }: NodeDeletion,
): Promise<void> {
  const { context, askedToGo } = scope;
  const { name, uid } = node.metadata;
  if (askedToGo.has(node)) return;
  try {
    await workload.delete(
      Node,
      { name },
      { ...(uid !== undefined && { uid }), ...(resourceVersion !== undefined && { resourceVersion }) },
    );
    askedToGo.add(node);
    context.event({ type: "Normal", reason: "NodeDeleted", message: `Deleted Node ${name}` });
  } catch (error) {
    // The next pass tries again if the Node still exists: the cache may be old.
    if (!isNotFound(error)) throw error;
  }
}

/** Whether the time limit for the Node has passed; a limit of 0 means no limit. */
function isOverdue({ context, machine, machinePool }: Scope): boolean {
  const { nodeDeletionTimeoutSeconds = DEFAULT_NODE_DELETION_SECONDS } =
    machinePool?.spec.template.spec.deletion ?? {};
  const limitMs = nodeDeletionTimeoutSeconds * 1000;
  const sinceMs = Date.parse(machine.metadata.deletionTimestamp ?? "");
  return limitMs > 0 && context.env.clock.now() > sinceMs + limitMs;
}

/**
 * Deletes the Machine that stands for the machine beside Cluster API's own core, which would otherwise keep a Machine of
 * nothing. It comes last: while the Machine exists its Node is drained only once, by us. A Machine that is being deleted
 * has drained the Node before.
 */
export async function deleteMachine({ context, machine }: Scope): Promise<Outcome> {
  const { namespace, ownerReferences = [] } = machine.metadata;
  const owner = ownerReferences.find(
    ({ kind, apiVersion }) => kind === Machine.kind && groupOf(apiVersion) === Machine.group,
  );
  if (!owner) return next;
  const found = await context.client.find(Machine, { name: owner.name, namespace });
  if (found?.metadata.uid !== owner.uid || found.metadata.deletionTimestamp !== undefined) return next;
  await deleteIfExists(context.client, Machine, found.metadata);
  return next;
}
