import {
  type Condition,
  durationProblem,
  EXCLUDE_NODE_DRAINING_ANNOTATION,
  EXCLUDE_VOLUME_DETACH_ANNOTATION,
  formatTimestamp,
  type Frozen,
  getCondition,
  type Node,
  parseDuration,
  PRE_DRAIN_HOOK_PREFIX,
} from "@capstan/api";
import type { Client } from "@capstan/runtime";
import { isNodeReady, isNodeUnreachable } from "../../workload/availability.ts";
import { cordon } from "../../workload/drain/cordon.ts";
import { type DrainLimit, type JudgedPod, named } from "../../workload/drain/decide.ts";
import { drainRound } from "../../workload/drain/drain.ts";
import { lookAtVolumes } from "../../workload/drain/volumes.ts";
import { DRAIN_BLOCKED, DRAINED, NO_NODE, VOLUMES_DETACHED } from "./conditions.ts";
import { isPoolPaused, type Scope } from "./scope.ts";

/** How far the Node of a machine is from being empty. */
export type DrainState =
  | { readonly isOver: true; readonly reason: string; readonly message: string }
  | {
      readonly isOver: false;
      readonly reason: string;
      readonly message: string;
      readonly requeueAfterMs: number;
      /** It takes a moment, as it always does, and nobody has to be told. */
      readonly isRoutine?: boolean;
    };

// Whoever takes a hook or a pause away wakes the machine; this is for what nobody tells.
const HELD_MS = 10 * 60_000;
const RETRY_MS = 15_000;
const VOLUMES_MS = 20_000;
// Pods mostly have half a minute to stop: a drain that is over by then is told of once, when it is over.
const ROUTINE_MS = 30_000;

/** Cordons the Node of the machine and takes its pods off it, as far as that goes in one pass. */
export async function drainNode(scope: Scope): Promise<DrainState> {
  const decided = withoutDraining(scope) ?? heldBack(scope);
  if (decided) return decided;
  const { node, workload } = scope;
  const limit = limitOf(scope);
  if (node.state !== "found" || !workload) return unreached(scope, limit);
  const state = await drainFound(scope, { node: node.node, workload, limit });
  // The time is counted from here on, also by a process that comes after this one.
  if (!state.isOver && state.isRoutine !== true) noteStart(scope);
  return state;
}

function withoutDraining({ machine, node, observed }: Scope): DrainState | undefined {
  if (machine.metadata.annotations?.[EXCLUDE_NODE_DRAINING_ANNOTATION] !== undefined) {
    const message = `Not drained, as the annotation ${EXCLUDE_NODE_DRAINING_ANNOTATION} says`;
    return { isOver: true, reason: "DrainSkipped", message };
  }
  // What only claims to be the machine is not ours to drain, and must not hold it either.
  if (node.state === "none" || node.state === "impostor")
    return { isOver: true, reason: NO_NODE, message: "There is no Node to drain" };
  // A Node that is Ready contradicts the list; draining it is never wrong.
  if (observed.state === "gone" && node.state === "found" && !isNodeReady(node.node)) {
    const message = `The instance of Node ${node.node.metadata.name} is gone, and nothing runs there any more`;
    return { isOver: true, reason: "InstanceGone", message };
  }
  return undefined;
}

function heldBack(scope: Scope): DrainState | undefined {
  if (isPoolPaused(scope)) {
    forgetStart(scope);
    const message = "The Node is not drained while its pool is paused";
    return { isOver: false, reason: "PoolPaused", message, requeueAfterMs: HELD_MS };
  }
  return hookOf(scope, PRE_DRAIN_HOOK_PREFIX);
}

/** Waits for whoever has put a hook of Cluster API on the machine. */
export function hookOf({ machine }: Scope, prefix: string): DrainState | undefined {
  const { annotations = {}, deletionTimestamp } = machine.metadata;
  if (deletionTimestamp === undefined) return undefined;
  const hook = Object.keys(annotations)
    .sort()
    .find((name) => name === prefix || name.startsWith(`${prefix}/`));
  if (hook === undefined) return undefined;
  const message = `Waiting until somebody removes the annotation ${hook}`;
  return { isOver: false, reason: "WaitingExternalHook", message, requeueAfterMs: HELD_MS };
}

function unreached(scope: Scope, limit: DrainLimit | undefined): DrainState {
  const { node, context } = scope;
  const nowMs = context.env.clock.now();
  const reason = node.state === "unknown" ? node.reason : "NodeDisputed";
  const why = "message" in node ? node.message : "The workload cluster does not answer";
  if (limit && nowMs >= limit.startedMs + limit.timeoutMs) {
    const message = `The Node could not be drained within ${limit.timeoutMs / 1000} s: ${why}`;
    return { isOver: true, reason: "DrainTimedOut", message };
  }
  noteStart(scope);
  return { isOver: false, reason, message: why, requeueAfterMs: RETRY_MS };
}

interface Drainable {
  readonly node: Frozen<Node>;
  readonly workload: Client;
  readonly limit: DrainLimit | undefined;
}

async function drainFound(scope: Scope, { node, workload, limit }: Drainable): Promise<DrainState> {
  const { context, machine } = scope;
  const isFirst = await cordon(workload, node);
  if (isFirst) recordStart(scope, node);
  const nowMs = context.env.clock.now();
  const { verdict, staying } = await drainRound(workload, { node, limit, nowMs, refusals: scope.refusals });
  if (verdict.isOver) {
    return verdict.reason === "DrainTimedOut"
      ? verdict
      : await awaitVolumes(scope, { node, workload, staying });
  }
  const sinceMs = nowMs - Date.parse(machine.metadata.deletionTimestamp ?? "");
  const isRoutine = limit === undefined && verdict.reason === "Draining" && (isFirst || sinceMs < ROUTINE_MS);
  return { ...verdict, isRoutine };
}

function recordStart({ context }: Scope, { metadata: { name } }: Frozen<Node>): void {
  context.event({ type: "Normal", reason: "Draining", message: `Draining Node ${name}` });
}

function noteStart({ machine, context }: Scope): void {
  const nodeDrainStartTime = formatTimestamp(context.env.clock.now());
  machine.status = { nodeDrainStartTime, ...machine.status };
}

/** A pause takes nothing off the time that a drain has: whoever resumes a pool does not want its pods killed for that. */
function forgetStart({ machine }: Scope): void {
  const { nodeDrainStartTime: _, ...rest } = machine.status ?? {};
  machine.status = rest;
}

/** For how long the Node may be drained: as the pool says, else as its MachinePool says; 0 is without end. */
function limitOf({ machine, pool, machinePool, context }: Scope): DrainLimit | undefined {
  const wanted = pool?.spec.nodeDrainTimeout ?? machinePool?.spec.template.spec.nodeDrainTimeout;
  const timeoutMs = durationMs(wanted);
  if (timeoutMs === 0) return undefined;
  const startedMs = Date.parse(machine.status?.nodeDrainStartTime ?? "");
  return { startedMs: Number.isNaN(startedMs) ? context.env.clock.now() : startedMs, timeoutMs };
}

/** Admission refuses what is no duration; should it get here all the same, nobody is cut short by it. */
function durationMs(text: string | undefined): number {
  return text === undefined || durationProblem(text) !== undefined ? 0 : parseDuration(text);
}

interface Emptied {
  readonly node: Frozen<Node>;
  readonly workload: Client;
  readonly staying: readonly JudgedPod[];
}

/** A volume that is attached to a machine which goes cannot be attached elsewhere for minutes. */
async function awaitVolumes(scope: Scope, { node, workload, staying }: Emptied): Promise<DrainState> {
  const { name } = node.metadata;
  const drained = { isOver: true, reason: "Drained", message: `Node ${name} is drained` } as const;
  const isExcluded = scope.machine.metadata.annotations?.[EXCLUDE_VOLUME_DETACH_ANNOTATION] !== undefined;
  // Nobody detaches anything from a machine that does not answer.
  if (isExcluded || isNodeUnreachable(node) || isLateForVolumes(scope)) return drained;
  const left = await lookAtVolumes(workload, node, staying);
  if (left.length === 0) return drained;
  const reason = "WaitingForVolumeDetach";
  const message = `Node ${name} is drained; waiting until ${named(left, "volume")} ${left.length === 1 ? "is" : "are"} detached`;
  scope.context.setCondition({ type: VOLUMES_DETACHED, status: "False", severity: "Info", reason, message });
  return { isOver: false, reason, message, requeueAfterMs: VOLUMES_MS };
}

function isLateForVolumes({ machine, machinePool, context }: Scope): boolean {
  const timeoutMs = durationMs(machinePool?.spec.template.spec.nodeVolumeDetachTimeout);
  const waiting = getCondition(machine.status?.conditions, VOLUMES_DETACHED);
  if (timeoutMs === 0 || waiting?.status !== "False") return false;
  return context.env.clock.now() >= Date.parse(waiting.lastTransitionTime) + timeoutMs;
}

/** Tells how far draining has come: in the condition that the pool looks at, and in events. */
export function recordDrain(scope: Scope, state: DrainState): void {
  const { context, machine } = scope;
  const { isOver, reason, message } = state;
  const before = getCondition(machine.status?.conditions, DRAINED);
  if (isOver) context.setCondition({ type: DRAINED, status: "True", reason, message });
  else
    context.setCondition({ type: DRAINED, status: "False", severity: severityOf(reason), reason, message });
  if (reason === DRAIN_BLOCKED) {
    if (hasBeenLong(before, context.env.clock.now())) context.event({ type: "Warning", reason, message });
    return;
  }
  if (before?.reason === reason || reason === "Draining") return;
  context.event({ type: reason === "DrainTimedOut" ? "Warning" : "Normal", reason, message });
}

// A budget holds up nearly every drain for a moment, until pods are ready elsewhere; only what lasts is worth a warning.
const BLOCKED_MS = 60_000;

function hasBeenLong(before: Frozen<Condition> | undefined, nowMs: number): boolean {
  return before?.status === "False" && nowMs - Date.parse(before.lastTransitionTime) >= BLOCKED_MS;
}

function severityOf(reason: string): "Warning" | "Info" {
  return reason === DRAIN_BLOCKED ? "Warning" : "Info";
}
