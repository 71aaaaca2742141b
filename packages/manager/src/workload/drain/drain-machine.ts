import {
  EXCLUDE_NODE_DRAINING_ANNOTATION,
  EXCLUDE_VOLUME_DETACH_ANNOTATION,
  type Frozen,
  type KubernetesObject,
  type MachineDrainRule,
  type Node,
  PRE_DRAIN_HOOK_PREFIX,
} from "@capstan/api";
import type { Client } from "@capstan/runtime";
import { isNodeReady, isNodeUnreachable } from "../availability.ts";
import type { NodeLookup } from "../find-node.ts";
import { cordon, type CordonPurpose } from "./cordon.ts";
import { type DrainLimit, type JudgedPod, named } from "./decide.ts";
import { drainRound } from "./drain.ts";
import type { Refusals } from "./refusals.ts";
import { lookAtVolumes } from "./volumes.ts";

/** A machine of any kind whose Node is to be drained. */
export interface MachineToDrain {
  readonly metadata: Frozen<Pick<KubernetesObject["metadata"], "annotations" | "deletionTimestamp">>;
  readonly node: NodeLookup;
  /** The workload cluster, while it answers. */
  readonly workload: Client | undefined;
  /** Azure no longer lists the instance. */
  readonly isInstanceGone: boolean;
  /** Why the drain is paused; its timeout starts again afterwards. */
  readonly pause: { readonly reason: string; readonly message: string } | undefined;
  /** The drain timeout and its start; undefined means no limit. */
  readonly limit: DrainLimit | undefined;
  /** The timeout for detaching volumes and its start. */
  readonly volumes: DrainLimit | undefined;
  readonly refusals: Refusals;
  /** The MachineDrainRules for the machine. */
  readonly rules: readonly Frozen<MachineDrainRule>[];
  readonly nowMs: number;
  /** Why it is cordoned, unless it goes. */
  readonly purpose?: CordonPurpose;
  /** Called when this pass cordons the Node, before the first eviction. */
  readonly onCordoned: (node: Frozen<Node>) => void;
}

/** The state of a machine's drain, for its controller to record. */
export type DrainState = DrainFacts &
  (
    | { readonly isOver: true; readonly reason: string; readonly message: string }
    | {
        readonly isOver: false;
        readonly reason: string;
        readonly message: string;
        readonly requeueAfterMs: number;
        /** A drain that ends within the time pods take to stop is reported once, when it is over. */
        readonly isRoutine?: boolean;
      }
  );

interface DrainFacts {
  /** Whether the drain timeout starts now or is reset. */
  readonly timer?: "start" | "reset";
  /** The Node is empty, and volumes are still attached to it. */
  readonly isWaitingForVolumes?: boolean;
}

// Removing a hook or resuming a pool enqueues the machine; the requeue only covers an event that was missed.
const HELD_MS = 10 * 60_000;
const RETRY_MS = 15_000;
const VOLUMES_MS = 20_000;
// Pods usually have half a minute to stop: a drain that is over by then is reported once, when it is over.
const ROUTINE_MS = 30_000;

/** Why a machine counts as drained that has no Node; a Node that registers later is drained then. */
export const NO_NODE = "NoNode";

/** Cordons the Node of a machine and evicts its pods, as far as one pass can. */
export async function drainMachine(machine: MachineToDrain): Promise<DrainState> {
  const decided = withoutDraining(machine) ?? heldBack(machine);
  if (decided) return decided;
  const { node, workload } = machine;
  if (node.state !== "found" || !workload) return unreached(machine);
  const state = await drainFound(machine, node.node, workload);
  // The timeout is persisted from here on, so a new leader continues it.
  return state.isOver || state.isRoutine === true ? state : { ...state, timer: "start" };
}

function withoutDraining({ metadata, node, isInstanceGone }: MachineToDrain): DrainState | undefined {
  if (metadata.annotations?.[EXCLUDE_NODE_DRAINING_ANNOTATION] !== undefined) {
    const message = `Not drained because of the annotation ${EXCLUDE_NODE_DRAINING_ANNOTATION}`;
    return { isOver: true, reason: "DrainSkipped", message };
  }
  // A Node that only claims to be the machine is not drained, and must not hold up the machine either.
  if (node.state === "none" || node.state === "impostor")
    return { isOver: true, reason: NO_NODE, message: "The machine has no Node to drain" };
  // A Node that is Ready contradicts the list; draining it is never wrong.
  if (isInstanceGone && node.state === "found" && !isNodeReady(node.node)) {
    const message = `The instance of Node ${node.node.metadata.name} no longer exists, so its pods have ended`;
    return { isOver: true, reason: "InstanceGone", message };
  }
  return undefined;
}

function heldBack(machine: MachineToDrain): DrainState | undefined {
  const { pause } = machine;
  if (pause) return { isOver: false, ...pause, requeueAfterMs: HELD_MS, timer: "reset" };
  return hookOf(machine, PRE_DRAIN_HOOK_PREFIX);
}

/** Waits until the owner of a Cluster API hook removes it from a machine that is being deleted. */
export function hookOf(
  { metadata }: Pick<MachineToDrain, "metadata">,
  prefix: string,
): (DrainState & { readonly isOver: false }) | undefined {
  const { annotations = {}, deletionTimestamp } = metadata;
  if (deletionTimestamp === undefined) return undefined;
  const hook = Object.keys(annotations)
    .sort()
    .find((name) => name === prefix || name.startsWith(`${prefix}/`));
  if (hook === undefined) return undefined;
  const message = `Waiting until the owner of the hook removes the annotation ${hook}`;
  return { isOver: false, reason: "WaitingExternalHook", message, requeueAfterMs: HELD_MS };
}

function unreached({ node, limit, nowMs }: MachineToDrain): DrainState {
  const reason = node.state === "unknown" ? node.reason : "NodeDisputed";
  const why = "message" in node ? node.message : "The workload cluster does not answer";
  if (limit && isUp(limit, nowMs)) {
    const message = `The Node could not be drained within ${limit.timeoutMs / 1000} s: ${why}`;
    return { isOver: true, reason: "DrainTimedOut", message };
  }
  return { isOver: false, reason, message: why, requeueAfterMs: RETRY_MS, timer: "start" };
}

async function drainFound(
  machine: MachineToDrain,
  node: Frozen<Node>,
  workload: Client,
): Promise<DrainState> {
  const { limit, nowMs, refusals, rules, metadata } = machine;
  const isFirst = await cordon(workload, node, machine.purpose);
  if (isFirst) machine.onCordoned(node);
  const { verdict, staying } = await drainRound(workload, { node, limit, nowMs, refusals, rules });
  if (verdict.isOver) {
    return verdict.reason === "DrainTimedOut"
      ? verdict
      : await awaitVolumes(machine, { node, workload, staying });
  }
  const sinceMs = nowMs - Date.parse(metadata.deletionTimestamp ?? "");
  const isRoutine = limit === undefined && verdict.reason === "Draining" && (isFirst || sinceMs < ROUTINE_MS);
  return { ...verdict, isRoutine };
}

interface EmptyNode {
  readonly node: Frozen<Node>;
  readonly workload: Client;
  readonly staying: readonly JudgedPod[];
}

/** A volume of a deleted machine cannot be attached to another one for minutes. */
async function awaitVolumes(
  { metadata, volumes, nowMs }: MachineToDrain,
  { node, workload, staying }: EmptyNode,
): Promise<DrainState> {
  const { name } = node.metadata;
  const drained = { isOver: true, reason: "Drained", message: `Node ${name} is drained` } as const;
  const isExcluded = metadata.annotations?.[EXCLUDE_VOLUME_DETACH_ANNOTATION] !== undefined;
  // A kubelet that does not answer detaches nothing.
  if (isExcluded || isNodeUnreachable(node) || (volumes && isUp(volumes, nowMs))) return drained;
  const left = await lookAtVolumes(workload, node, staying);
  if (left.length === 0) return drained;
  const message = `Node ${name} is drained; waiting until ${named(left, "volume")} ${left.length === 1 ? "is" : "are"} detached`;
  const reason = "WaitingForVolumeDetach";
  return { isOver: false, reason, message, requeueAfterMs: VOLUMES_MS, isWaitingForVolumes: true };
}

function isUp({ startedMs, timeoutMs }: DrainLimit, nowMs: number): boolean {
  return nowMs >= startedMs + timeoutMs;
}
