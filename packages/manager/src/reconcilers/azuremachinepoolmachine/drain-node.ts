import {
  type Condition,
  durationProblem,
  formatTimestamp,
  type Frozen,
  getCondition,
  parseDuration,
} from "@capstan/api";
import type { DrainLimit } from "../../workload/drain/decide.ts";
import { drainRulesOf } from "../../workload/drain/drain-rules.ts";
import { drainMachine, type DrainState } from "../../workload/drain/drain-machine.ts";
import { DRAIN_BLOCKED, DRAINED, VOLUMES_DETACHED } from "../../pools/machine-conditions.ts";
import { isPoolPaused, type Scope } from "./scope.ts";

/** Cordons the Node of the machine and evicts its pods, as far as one pass can. */
export async function drainNode(scope: Scope): Promise<DrainState> {
  const { machine, node, workload, observed, refusals, context } = scope;
  const message = "The Node is not drained while its pool is paused";
  const state = await drainMachine({
    metadata: machine.metadata,
    node,
    workload,
    isInstanceGone: observed.state === "gone",
    pause: isPoolPaused(scope) ? { reason: "PoolPaused", message } : undefined,
    limit: limitOf(scope),
    volumes: volumeLimitOf(scope),
    refusals,
    rules: drainRulesOf(context.cache, machine, scope.cluster),
    nowMs: context.env.clock.now(),
    onCordoned: ({ metadata: { name } }) =>
      context.event({ type: "Normal", reason: "Draining", message: `Draining Node ${name}` }),
  });
  recordFacts(scope, state);
  return state;
}

function recordFacts({ machine, context }: Scope, state: DrainState): void {
  const { timer, isWaitingForVolumes, reason, message } = state;
  const { nodeDrainStartTime = formatTimestamp(context.env.clock.now()), ...rest } = machine.status ?? {};
  if (timer === "start") machine.status = { ...rest, nodeDrainStartTime };
  // A pause does not count towards the drain timeout: resuming a pool must not kill its pods.
  if (timer === "reset") machine.status = rest;
  if (isWaitingForVolumes === true)
    context.setCondition({ type: VOLUMES_DETACHED, status: "False", severity: "Info", reason, message });
}

/** The drain timeout of the pool, or else of its MachinePool; 0 means no limit. */
function limitOf({ machine, pool, machinePool, context }: Scope): DrainLimit | undefined {
  const own = pool?.spec.nodeDrainTimeout;
  const { nodeDrainTimeoutSeconds = 0 } = machinePool?.spec.template.spec.deletion ?? {};
  const timeoutMs = own === undefined ? nodeDrainTimeoutSeconds * 1000 : durationMs(own);
  if (timeoutMs === 0) return undefined;
  const startedMs = Date.parse(machine.status?.nodeDrainStartTime ?? "");
  return { startedMs: Number.isNaN(startedMs) ? context.env.clock.now() : startedMs, timeoutMs };
}

/** Admission refuses an invalid duration; one that was stored before means no limit. */
function durationMs(text: string): number {
  return durationProblem(text) !== undefined ? 0 : parseDuration(text);
}

function volumeLimitOf({ machine, machinePool }: Scope): DrainLimit | undefined {
  const timeoutMs = (machinePool?.spec.template.spec.deletion?.nodeVolumeDetachTimeoutSeconds ?? 0) * 1000;
  const waiting = getCondition(machine.status?.conditions, VOLUMES_DETACHED);
  if (timeoutMs === 0 || waiting?.status !== "False") return undefined;
  return { startedMs: Date.parse(waiting.lastTransitionTime), timeoutMs };
}

/** Reports the drain: in the condition that the pool controller reads, and in events. */
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

// A budget blocks nearly every drain until pods are ready elsewhere; only a longer wait is worth a warning.
const BLOCKED_MS = 60_000;

function hasBeenLong(before: Frozen<Condition> | undefined, nowMs: number): boolean {
  return before?.status === "False" && nowMs - Date.parse(before.lastTransitionTime) >= BLOCKED_MS;
}

function severityOf(reason: string): "Warning" | "Info" {
  return reason === DRAIN_BLOCKED ? "Warning" : "Info";
}
