import { formatTimestamp, type Frozen, type PodCondition } from "@capstan/api";
import { readiness } from "../readiness.ts";
import type { WorkloadPod } from "./workload-kinds.ts";

/** Whether a pod is neither being deleted nor finished. */
export function isActive({ metadata, status }: Frozen<WorkloadPod>): boolean {
  return metadata.deletionTimestamp === undefined && !hasEnded(status?.phase);
}

/** Whether a pod in this phase is finished. */
export function hasEnded(phase: string | undefined): boolean {
  return phase === "Succeeded" || phase === "Failed";
}

/** How long until a pod counts as available: 0 when it does, undefined while it is not Ready. */
export function untilAvailableMs(
  pod: Frozen<WorkloadPod>,
  minReadySeconds: number,
  nowMs: number,
): number | undefined {
  const ready = readiness(pod);
  if (ready?.status !== "True") return undefined;
  const sinceMs = Date.parse(ready.lastTransitionTime ?? formatTimestamp(nowMs));
  return Math.max(0, sinceMs + minReadySeconds * 1000 - nowMs);
}

/** The numbers of ready and available pods, and when the next one becomes available. */
export interface Tally {
  readonly ready: number;
  readonly available: number;
  readonly nextMs: number | undefined;
}

/** Counts the pods that are ready and available. */
export function tally(pods: readonly Frozen<WorkloadPod>[], minReadySeconds: number, nowMs: number): Tally {
  const waits = pods
    .map((pod) => untilAvailableMs(pod, minReadySeconds, nowMs))
    .filter((wait) => wait !== undefined);
  const later = waits.filter((wait) => wait > 0);
  return {
    ready: waits.length,
    available: waits.length - later.length,
    nextMs: later.length === 0 ? undefined : Math.min(...later),
  };
}

/** Replaces conditions of the same type; the transition time changes with status and reason. */
export function withConditions(
  known: readonly Frozen<PodCondition>[] | undefined,
  desired: readonly Omit<PodCondition, "lastTransitionTime">[],
  nowMs: number,
): Frozen<PodCondition>[] {
  const kept = (known ?? []).filter(({ type }) => !desired.some((other) => other.type === type));
  const set = desired.map((condition) => {
    const old = known?.find(({ type }) => type === condition.type);
    const isSame = old?.status === condition.status && old.reason === condition.reason;
    return { ...condition, lastTransitionTime: (isSame && old.lastTransitionTime) || formatTimestamp(nowMs) };
  });
  return [...kept, ...set];
}
