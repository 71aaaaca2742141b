import { type Condition, type Frozen, getCondition } from "@capstan/api";
import type { Blocked } from "@capstan/manager";
import { titleOf } from "../plan/given-objects.ts";
import { planFor, type PlannedPool } from "../plan/pool-plan.ts";
import type { PoolParts } from "../plan/pool-parts.ts";

/** Where the rollout of a pool is. */
export interface RolloutState extends PlannedPool {
  readonly parts: PoolParts;
  readonly title: string;
  /** Every machine is as wanted, available, and there is none beyond. */
  readonly isDone: boolean;
  /** Why it will never be done, unless somebody changes something. */
  readonly failure: string | undefined;
}

/** Says where a rollout is: the same plan that the controllers make, read the other way round. */
export function rolloutState(parts: PoolParts, nowMs: number): RolloutState {
  const planned = planFor(parts, nowMs);
  const { actions, blocked, budget } = planned.plan;
  const isIdle = actions.length === 0 && blocked.length === 0;
  const failure = failureOf(parts);
  const isReached = isIdle && budget.outdated + budget.leaving === 0 && budget.available >= budget.desired;
  return {
    ...planned,
    parts,
    title: titleOf(parts.pool),
    isDone: isReached && failure === undefined,
    failure,
  };
}

function failureOf({ pool }: PoolParts): string | undefined {
  if (pool.metadata.deletionTimestamp !== undefined) return "it is being deleted";
  const { failureReason, failureMessage } = pool.status ?? {};
  return failureReason === undefined ? undefined : `${failureReason}: ${failureMessage ?? "no message"}`;
}

/** What is the case, in a sentence for one line. */
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

/** What stands in the way, in a line. */
export function blockedLine({ reason, why }: Blocked): string {
  return `blocked, ${reason}: ${why}`;
}

/** What the pool says about itself when it is in trouble, in a line. */
export function poolTrouble({ parts: { pool } }: RolloutState): readonly string[] {
  return troubleOf(pool);
}

// Whoever has more to repair begins with these.
const MACHINES_TOLD_OF = 3;

/** What machines in trouble say about themselves, in a line each. */
export function machineTroubles({ parts: { machines } }: RolloutState): readonly string[] {
  const told = machines.flatMap(troubleOf);
  const more = told.length - MACHINES_TOLD_OF;
  return [...told.slice(0, MACHINES_TOLD_OF), ...(more > 0 ? [`and ${more} more machines in trouble`] : [])];
}

interface Speaker {
  readonly metadata: { readonly name: string };
  readonly status?: { readonly conditions?: Frozen<readonly Condition[]> } | undefined;
}

/** What is only on its way has the severity Info, and is no trouble. */
function troubleOf({ metadata, status }: Frozen<Speaker>): readonly string[] {
  const ready = getCondition(status?.conditions, "Ready");
  if (ready?.status !== "False" || ready.severity === undefined || ready.severity === "Info") return [];
  return [`${metadata.name}, ${ready.reason}: ${ready.message ?? "no message"}`];
}
