import { type Condition, type Frozen, getCondition } from "@capstan/api";
import { humanDuration } from "@capstan/apiserver/human-duration";

/** A rollout from its beginning, in the time of its cluster. */
export interface Pace {
  readonly beganMs: number;
  /** Outdated machines at that moment. */
  readonly outdated: number;
  readonly endedMs?: number;
  /** When it ends, by the forecast; undefined while it stands still. */
  readonly expectedEndMs?: number | undefined;
  /** How long all of it was forecast to take when the watch began. */
  readonly forecastMs?: number | undefined;
}

/** A rollout at one moment. */
export interface RolloutMoment {
  readonly isDone: boolean;
  readonly nowMs: number;
  readonly outdated: number;
  readonly upToDate: number;
  /** What its owner reports. */
  readonly conditions: readonly Frozen<Condition>[] | undefined;
  /** How long the rest takes by the forecast; undefined if it stands still, or no times are known. */
  readonly left: { readonly durationMs: number; readonly waves: number } | undefined;
}

/** The pace with the next state; a rollout that starts after the last one has ended begins a new one. */
export function paceAfter(before: Pace | undefined, seen: RolloutMoment): Pace | undefined {
  const { isDone, nowMs, outdated } = seen;
  if (isDone) return before && { ...before, endedMs: before.endedMs ?? nowMs };
  const isNew = !before || before.endedMs !== undefined || outdated > before.outdated;
  if (!isNew) return { ...before, expectedEndMs: steadyEnd(before.expectedEndMs, seen) };
  const expectedEndMs = steadyEnd(undefined, seen);
  const began = (before ? undefined : begunBefore(seen)) ?? { beganMs: nowMs, outdated };
  const forecastMs = expectedEndMs === undefined ? undefined : expectedEndMs - began.beganMs;
  return { ...began, expectedEndMs, forecastMs };
}

/**
 * When the rollout ends. A forecast takes a running step as one that has just begun, so its end moves by up to one wave: an
 * end that was named stays as long as it lies within that.
 */
function steadyEnd(before: number | undefined, { nowMs, left }: RolloutMoment): number | undefined {
  if (!left) return undefined;
  const latestMs = nowMs + left.durationMs;
  const waveMs = left.durationMs / Math.max(1, left.waves);
  return Math.min(latestMs, Math.max(latestMs - waveMs, before ?? latestMs));
}

/** A rollout that was under way when the watch began: it counts from when its owner reported it. */
function begunBefore({ nowMs, outdated, upToDate, conditions }: RolloutMoment): Pace | undefined {
  const begun = ["RollingOut", "ScalingUp"]
    .map((type) => getCondition(conditions, type))
    .find((condition) => condition?.status === "True");
  const beganMs = Date.parse(begun?.lastTransitionTime ?? "");
  if (!(beganMs < nowMs)) return undefined;
  // A rollout replaces all machines; those that are up to date have been replaced since.
  return { beganMs, outdated: begun?.type === "RollingOut" ? outdated + upToDate : outdated };
}

/** How long the rollout has taken, and how long the rest takes by the forecast. */
export function paceLine(pace: Pace, { nowMs, outdated }: RolloutMoment): string {
  const { beganMs, endedMs, expectedEndMs } = pace;
  if (endedMs !== undefined) return tookLine(pace) ?? "";
  const elapsed = `elapsed ${humanDuration(nowMs - beganMs)}`;
  if (outdated === 0) return `${elapsed}, the last machines are on their way`;
  const leftMs = expectedEndMs === undefined ? 0 : expectedEndMs - nowMs;
  return leftMs > 0 ? `${elapsed}, about ${humanDuration(leftMs)} left` : elapsed;
}

/** How long a rollout took that has ended, beside its forecast; undefined if it has not, or was over from the beginning. */
export function tookLine(pace: Pace | undefined): string | undefined {
  if (pace?.endedMs === undefined) return undefined;
  const { beganMs, endedMs, forecastMs } = pace;
  const took = `took ${humanDuration(endedMs - beganMs)}`;
  return forecastMs === undefined ? took : `${took}, forecast ${humanDuration(forecastMs)}`;
}
