import {
  type Cluster,
  deprecatedConditionsOf,
  formatTimestamp,
  type Frozen,
  getCondition,
  type Machine,
  Node,
  type ContractReference,
  PRE_TERMINATE_HOOK_PREFIX,
} from "@capstan/api";
import { block, deleteIfExists, Failure, next, type Outcome, type Phase } from "@capstan/runtime";
import { providerIDOf } from "../../contract/contract-object.ts";
import { isControlPlaneGone } from "../../machines/control-plane-gone.ts";
import { findOwned, type OwnedObject, remove } from "../../contract/removal.ts";
import { type DrainState, drainMachine, hookOf } from "../../workload/drain/drain-machine.ts";
import type { DrainLimit } from "../../workload/drain/decide.ts";
import { drainRulesOf } from "../../workload/drain/drain-rules.ts";
import {
  DRAINING_SUCCEEDED,
  PRE_DRAIN_HOOK_SUCCEEDED,
  PRE_TERMINATE_HOOK_SUCCEEDED,
  VOLUME_DETACH_SUCCEEDED,
} from "../../machines/conditions.ts";
import { lookUpNode, REFERENCES } from "./observe.ts";
import type { Scope } from "./scope.ts";

// Watches report deletions; this interval is for kinds without a watch.
const DELETION_POLL_MS = 10_000;
const RETRY_MS = 5_000;
const DEFAULT_NODE_DELETION_SECONDS = 10;
const LONGEST_OUTAGE_MS = 60_000;

/**
 * Skips a phase that protects pods and Nodes of a cluster that is being deleted as a whole, or whose API server does not
 * answer and has no machine any more that could run it.
 */
export function unlessClusterGoes(phase: Phase<Scope>): Phase<Scope> {
  return async (scope) => {
    const { cluster } = scope;
    if (!cluster || cluster.metadata.deletionTimestamp !== undefined) return next;
    const { outcome, failure } = await attempt(phase, scope);
    const isUnanswered = failure !== undefined || scope.node.state === "unknown";
    if (!isUnanswered || !(await isServerGone(scope, cluster))) {
      if (outcome === undefined) throw failure;
      return outcome;
    }
    const message = `The control plane of Cluster ${cluster.metadata.name} is gone, so its Nodes cannot be drained or deleted`;
    scope.context.setCondition({ type: DRAINING_SUCCEEDED, status: "True", reason: "DrainSkipped", message });
    delete scope.waitsFor;
    return next;
  };
}

async function attempt(
  phase: Phase<Scope>,
  scope: Scope,
): Promise<{ readonly outcome?: Outcome; readonly failure?: Failure }> {
  try {
    return { outcome: await phase(scope) };
  } catch (failure) {
    if (!(failure instanceof Failure)) throw failure;
    return { failure };
  }
}

/** An outage of a minute is not the end of a control plane. */
async function isServerGone({ context, machine }: Scope, cluster: Frozen<Cluster>): Promise<boolean> {
  const sinceMs = context.env.clock.now() - Date.parse(machine.metadata.deletionTimestamp ?? "");
  return sinceMs >= LONGEST_OUTAGE_MS && (await isControlPlaneGone(context, cluster));
}

export async function findNodeToDelete(scope: Scope): Promise<Outcome> {
  await copyProviderID(scope);
  scope.node = await lookUpNode(scope);
  return next;
}

/** A machine that is deleted before its infrastructure is ready has no provider id yet, but may have a Node. */
async function copyProviderID(scope: Scope): Promise<void> {
  const { machine } = scope;
  if (machine.spec.providerID !== undefined) return;
  const infrastructure = await find(scope, "infrastructure");
  const providerID = infrastructure && providerIDOf(infrastructure.object);
  if (providerID !== undefined) machine.spec.providerID = providerID;
}

/** Waits for pre-drain hooks, then cordons and drains the Node and waits for its volumes. */
export async function drainNode(scope: Scope): Promise<Outcome> {
  const { machine } = scope;
  if (getCondition(deprecatedConditionsOf(machine), DRAINING_SUCCEEDED)?.status === "True") return next;
  const infrastructure = await find(scope, "infrastructure");
  const state = await drainMachine({
    metadata: machine.metadata,
    node: scope.node,
    workload: scope.workload,
    isInstanceGone: !infrastructure || infrastructure.object.metadata.deletionTimestamp !== undefined,
    pause: undefined,
    limit: limitOf(
      scope,
      machine.spec.deletion?.nodeDrainTimeoutSeconds,
      machine.status?.deletion?.nodeDrainStartTime,
    ),
    volumes: limitOf(
      scope,
      machine.spec.deletion?.nodeVolumeDetachTimeoutSeconds,
      machine.status?.deletion?.waitForNodeVolumeDetachStartTime,
    ),
    refusals: scope.refusals,
    rules: drainRulesOf(scope.context.cache, machine, scope.cluster),
    nowMs: scope.context.env.clock.now(),
    onCordoned: ({ metadata: { name } }) =>
      scope.context.event({ type: "Normal", reason: "Draining", message: `Draining Node ${name}` }),
  });
  return recordDrain(scope, state);
}

function recordDrain(scope: Scope, state: DrainState): Outcome {
  const { context } = scope;
  const { reason, message } = state;
  if (state.isOver) {
    context.setCondition({ type: DRAINING_SUCCEEDED, status: "True", reason, message });
    context.event({ type: reason === "DrainTimedOut" ? "Warning" : "Normal", reason, message });
    return next;
  }
  if (state.timer === "start") startTimer(scope, "nodeDrainStartTime");
  if (state.isWaitingForVolumes === true) startTimer(scope, "waitForNodeVolumeDetachStartTime");
  if (reason === "WaitingExternalHook") startTimer(scope, "waitForPreDrainHookStartTime");
  const type =
    reason === "WaitingExternalHook"
      ? PRE_DRAIN_HOOK_SUCCEEDED
      : state.isWaitingForVolumes === true
        ? VOLUME_DETACH_SUCCEEDED
        : DRAINING_SUCCEEDED;
  const severity = reason === "DrainBlocked" ? "Warning" : "Info";
  context.setCondition({ type, status: "False", severity, reason, message });
  return wait(scope, { reason, message, requeueAfterMs: state.requeueAfterMs });
}

/** Waits until the owners of pre-terminate hooks have removed them. */
export function awaitPreTerminateHooks(scope: Scope): Outcome {
  const { context, machine } = scope;
  const hook = hookOf(machine, PRE_TERMINATE_HOOK_PREFIX);
  if (!hook) return next;
  const { reason, message, requeueAfterMs } = hook;
  startTimer(scope, "waitForPreTerminateHookStartTime");
  const type = PRE_TERMINATE_HOOK_SUCCEEDED;
  context.setCondition({ type, status: "False", severity: "Info", reason, message });
  return wait(scope, { reason, message, requeueAfterMs });
}

/** Deletes the infrastructure, waits until it is gone, and then does the same with the bootstrap config. */
export async function deleteReferences(scope: Scope): Promise<Outcome> {
  for (const which of ["infrastructure", "bootstrap"] as const) {
    const owned = await find(scope, which);
    if (!owned) continue;
    await remove(scope.context.client, owned);
    const message = `Waiting until ${owned.target.text} is gone`;
    const reason =
      which === "infrastructure" ? "WaitingForInfrastructureDeletion" : "WaitingForBootstrapDeletion";
    return wait(scope, { reason, message, requeueAfterMs: DELETION_POLL_MS });
  }
  return next;
}

/** Deletes the Node; other controllers would take longer. */
export async function deleteNode(scope: Scope): Promise<Outcome> {
  const { context, node, machine } = scope;
  if (node.state !== "found" && node.state !== "unknown") return next;
  const reason = "WaitingForNodeDeletion";
  try {
    if (node.state === "unknown") throw new Failure("Waiting", node.reason, { message: node.message });
    await askNodeToGo(scope, node.node);
    return next;
  } catch (error) {
    // A Retry-After of the server holds even if the time limit has passed.
    if (!(error instanceof Failure) || error.retryAfterMs !== undefined) throw error;
    if (!isNodeOverdue(machine, context.env.clock.now()))
      return wait(scope, { reason, message: error.message, requeueAfterMs: RETRY_MS });
    context.log.warn("Could not delete the Node of a deleted machine; it remains", { error });
    return next;
  }
}

/** Deletes this Node by UID; a new Node of the same name stays. */
async function askNodeToGo({ context, workload }: Scope, node: Frozen<Node>): Promise<void> {
  const { name, deletionTimestamp } = node.metadata;
  if (deletionTimestamp !== undefined || !workload) return;
  if (await deleteIfExists(workload, Node, node.metadata))
    context.event({ type: "Normal", reason: "NodeDeleted", message: `Deleted Node ${name}` });
}

async function find(scope: Scope, which: keyof typeof REFERENCES): Promise<OwnedObject | undefined> {
  const { context, machine } = scope;
  const { namespace = "" } = machine.metadata;
  const references: Record<keyof typeof REFERENCES, Frozen<ContractReference> | undefined> = {
    bootstrap: machine.spec.bootstrap.configRef,
    infrastructure: machine.spec.infrastructureRef,
  };
  const reference = references[which];
  return reference && findOwned(context, { reference, field: REFERENCES[which].field, namespace }, machine);
}

/** The recorded start of a wait. */
export type Timer = keyof NonNullable<NonNullable<Frozen<Machine>["status"]>["deletion"]>;

/** Records when a wait began, once: a new leader continues its timeout. */
export function startTimer({ context, machine }: Scope, timer: Timer): void {
  const { deletion } = machine.status ?? {};
  if (deletion?.[timer] !== undefined) return;
  const now = formatTimestamp(context.env.clock.now());
  machine.status = { ...machine.status, deletion: { ...deletion, [timer]: now } };
}

function wait(
  scope: Scope,
  { reason, message, requeueAfterMs }: { reason: string; message: string; requeueAfterMs: number },
): Outcome {
  scope.waitsFor = { reason, message };
  return block(requeueAfterMs, reason);
}

/** A timeout and its start; a timeout of 0 means no limit. */
export function limitOf(
  { context }: Pick<Scope, "context">,
  timeoutSeconds: number | undefined,
  started: string | undefined,
): DrainLimit | undefined {
  const timeoutMs = (timeoutSeconds ?? 0) * 1000;
  if (timeoutMs === 0) return undefined;
  const startedMs = Date.parse(started ?? "");
  return { startedMs: Number.isNaN(startedMs) ? context.env.clock.now() : startedMs, timeoutMs };
}

/** Whether the time limit for the Node has passed; a limit of 0 means no limit. */
function isNodeOverdue({ metadata, spec }: Frozen<Machine>, nowMs: number): boolean {
  const limitMs = (spec.deletion?.nodeDeletionTimeoutSeconds ?? DEFAULT_NODE_DELETION_SECONDS) * 1000;
  return limitMs > 0 && nowMs > Date.parse(metadata.deletionTimestamp ?? "") + limitMs;
}
