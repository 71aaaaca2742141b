import { isOfRollout } from "@capstan/plan";
import { titleOf } from "../plan/read/given-objects.ts";
import type { PoolBlock } from "../plan/print/pool-block.ts";
import { type Forecaster, planFor, type PlannedPool } from "../plan/planners/pool-plan.ts";
import { type PoolParts, rivalNotes } from "../plan/planners/pool-parts.ts";
import type { RolloutMoment } from "./pace.ts";

/** The state of a pool's rollout. */
export interface RolloutState extends PlannedPool {
  readonly parts: PoolParts;
  readonly title: string;
  /** Every machine is as desired and available, and there is none beyond the desired number. */
  readonly isDone: boolean;
  /** Why it will never be done, unless a user changes something. */
  readonly failure: string | undefined;
}

/** Reads the state of a pool. */
export type ReadState = () => Promise<RolloutState>;

/** The state of a rollout, from the same plan that the controllers make. */
export function rolloutState(parts: PoolParts, nowMs: number, forecaster?: Forecaster): RolloutState {
  const planned = planFor(parts, nowMs, forecaster);
  const { actions, blocked, budget } = planned.plan;
  const isIdle = !actions.some(isOfRollout) && blocked.length === 0;
  const failure = failureOf(parts, planned.standstill);
  const isReached = isIdle && budget.outdated + budget.leaving === 0 && budget.available >= budget.desired;
  return {
    ...planned,
    parts,
    title: titleOf(parts.pool),
    isDone: isReached && [failure, planned.refusal, planned.standstill].every((one) => one === undefined),
    failure,
  };
}

/** What the pace of a rollout depends on. */
export function momentOf({ isDone, view, plan, parts, course }: RolloutState): RolloutMoment {
  const { outdated, upToDate } = plan.budget;
  const { conditions } = parts.machinePool.status ?? {};
  return { isDone, nowMs: view.nowMs, outdated, upToDate, conditions, left: course };
}

function failureOf({ pool }: PoolParts, standstill: PoolBlock | undefined): string | undefined {
  if (standstill?.reason === "BeingDeleted") return standstill.why;
  const { failureReason, failureMessage } = pool.status ?? {};
  return failureReason === undefined ? undefined : `${failureReason}: ${failureMessage ?? "no message"}`;
}

/**
 * A refusal is a failure only if an earlier read found it, too: the first read may precede the controller's reaction to
 * the latest spec, so the refusal may concern an earlier spec.
 */
export function confirmed(state: RolloutState, earlier: RolloutState | undefined): RolloutState {
  const { refusal } = state;
  if (!refusal || !earlier || rejectedSpec(state) !== rejectedSpec(earlier)) return state;
  return { ...state, failure: state.failure ?? refusal.why };
}

/** What was refused, and of which spec. */
function rejectedSpec({ refusal, parts: { pool, machinePool } }: RolloutState): string {
  return `${pool.metadata.generation}/${machinePool.metadata.generation}/${refusal?.why}`;
}

/** The state as a sentence on one line. */
export function sentenceFor({ title, isDone, failure, plan }: RolloutState): string {
  const { desired, upToDate, outdated, available, leaving, updating } = plan.budget;
  if (failure !== undefined) return `${title} has failed: ${failure}`;
  if (isDone) return `${title} is rolled out: ${desired} of ${desired} up to date and available`;
  const parts = [
    `${upToDate} of ${desired} up to date`,
    ...(outdated > 0 ? [`${outdated} outdated`] : []),
    `${available} available`,
    ...(updating > 0 ? [`${updating} updating`] : []),
    ...(leaving > 0 ? [`${leaving} leaving`] : []),
  ];
  return `Waiting for ${title}: ${parts.join(", ")}`;
}

/** The other MachinePools that refer to the pool, one line each. */
export function noteLines({ parts }: RolloutState): readonly string[] {
  return rivalNotes(parts).map((note) => `note: ${note}`);
}
