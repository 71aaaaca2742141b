import { humanDuration } from "@capstan/apiserver/human-duration";
import type { RolloutState } from "./rollout-state.ts";

/** A rollout from the moment a watch first saw it, in the time of its cluster. */
export interface Pace {
  readonly beganMs: number;
  /** Outdated machines at that moment. */
  readonly outdated: number;
  readonly endedMs?: number;
}

type Seen = Pick<RolloutState, "isDone"> & {
  readonly view: Pick<RolloutState["view"], "nowMs">;
  readonly plan: { readonly budget: Pick<RolloutState["plan"]["budget"], "outdated"> };
};

/** The pace with the next state; a rollout that starts after the last one has ended begins a new one. */
export function paceAfter(before: Pace | undefined, { isDone, view, plan }: Seen): Pace | undefined {
  const { outdated } = plan.budget;
  if (isDone) return before && { ...before, endedMs: before.endedMs ?? view.nowMs };
  const isNew = !before || before.endedMs !== undefined || outdated > before.outdated;
  return isNew ? { beganMs: view.nowMs, outdated } : before;
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
