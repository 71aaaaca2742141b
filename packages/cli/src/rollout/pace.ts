import { getCondition } from "@capstan/api";
import { humanDuration } from "@capstan/apiserver/human-duration";
import type { RolloutState } from "./rollout-state.ts";

/** A rollout from its beginning, in the time of its cluster. */
export interface Pace {
  readonly beganMs: number;
  /** Outdated machines at that moment. */
  readonly outdated: number;
  readonly endedMs?: number;
}

type Seen = Pick<RolloutState, "isDone"> & {
  readonly view: Pick<RolloutState["view"], "nowMs">;
  readonly plan: { readonly budget: Pick<RolloutState["plan"]["budget"], "outdated" | "upToDate"> };
  readonly parts: { readonly machinePool: Pick<RolloutState["parts"]["machinePool"], "status"> };
};

/** The pace with the next state; a rollout that starts after the last one has ended begins a new one. */
export function paceAfter(before: Pace | undefined, seen: Seen): Pace | undefined {
  const { isDone, view, plan } = seen;
  const { outdated } = plan.budget;
  if (isDone) return before && { ...before, endedMs: before.endedMs ?? view.nowMs };
  if (!before) return begunBefore(seen) ?? { beganMs: view.nowMs, outdated };
  const isNew = before.endedMs !== undefined || outdated > before.outdated;
  return isNew ? { beganMs: view.nowMs, outdated } : before;
}

/** A rollout that was under way when the watch began: it counts from when its MachinePool reported it. */
function begunBefore({ view, plan, parts }: Seen): Pace | undefined {
  const { conditions } = parts.machinePool.status ?? {};
  const begun = ["RollingOut", "ScalingUp"]
    .map((type) => getCondition(conditions, type))
    .find((condition) => condition?.status === "True");
  const beganMs = Date.parse(begun?.lastTransitionTime ?? "");
  if (!(beganMs < view.nowMs)) return undefined;
  // A rollout replaces all machines; those that are up to date have been replaced since.
  const { outdated, upToDate } = plan.budget;
  return { beganMs, outdated: begun?.type === "RollingOut" ? outdated + upToDate : outdated };
}

/** How long the rollout has taken, and how long the rest takes at the same pace. */
export function paceLine({ beganMs, outdated, endedMs }: Pace, { view, plan }: Seen): string {
  if (endedMs !== undefined) return `took ${humanDuration(endedMs - beganMs)}`;
  const elapsedMs = view.nowMs - beganMs;
  const left = plan.budget.outdated;
  const replaced = outdated - left;
  const elapsed = `elapsed ${humanDuration(elapsedMs)}`;
  if (left === 0) return `${elapsed}, the last machines are on their way`;
  // One replaced machine is the least from which a pace follows.
  if (replaced < 1) return elapsed;
  return `${elapsed}, about ${humanDuration((elapsedMs / replaced) * left)} left`;
}
