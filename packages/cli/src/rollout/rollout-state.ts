import { type Condition, type Frozen, getCondition } from "@capstan/api";
import { type Blocked, obstinate } from "@capstan/manager";
import { titleOf } from "../plan/given-objects.ts";
import { planFor, type PlannedPool } from "../plan/pool-plan.ts";
import { type PoolParts, rivalNotes } from "../plan/pool-parts.ts";
import { counted } from "../render/amounts.ts";

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
    isDone: isReached && failure === undefined && planned.refusal === undefined,
    failure,
  };
}

function failureOf({ pool }: PoolParts): string | undefined {
  if (pool.metadata.deletionTimestamp !== undefined) return "it is being deleted";
  const { failureReason, failureMessage } = pool.status ?? {};
  return failureReason === undefined ? undefined : `${failureReason}: ${failureMessage ?? "no message"}`;
}

/**
 * What is refused is a failure when an earlier look found it, too: the first look may have come before the controller
 * saw the latest wish, and what it found would be the answer to another.
 */
export function confirmed(state: RolloutState, earlier: RolloutState | undefined): RolloutState {
  const { refusal } = state;
  if (!refusal || !earlier || refusedWish(state) !== refusedWish(earlier)) return state;
  return { ...state, failure: state.failure ?? refusal.why };
}

/** What was refused, and of which wish. */
function refusedWish({ refusal, parts: { pool, machinePool } }: RolloutState): string {
  return `${pool.metadata.generation}/${machinePool.metadata.generation}/${refusal?.why}`;
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

/** What stands in the way and does not pass by itself, in a line each. */
export function blockedLines({ plan }: RolloutState): readonly string[] {
  return obstinate(plan).map(({ reason, why }: Blocked) => `blocked, ${reason}: ${why}`);
}

/** Who else refers to the pool, in a line each. */
export function noteLines({ parts }: RolloutState): readonly string[] {
  return rivalNotes(parts).map((note) => `note: ${note}`);
}

/** What the pool says about itself when it is in trouble, in a line; what it has failed by is said already. */
export function poolTrouble({ parts: { pool }, failure, refusal }: RolloutState): readonly string[] {
  return failure !== undefined && failure === refusal?.why ? [] : troubleOf(pool);
}

// Whoever has more to repair begins with these.
const MACHINES_TOLD_OF = 3;

/** What machines in trouble say about themselves, in a line each. */
export function machineTroubles({ parts: { machines } }: RolloutState): readonly string[] {
  const told = machines.flatMap((machine) => [...troubleOf(machine), ...cordonOf(machine)].slice(0, 1));
  const more = told.length - MACHINES_TOLD_OF;
  const rest = more > 0 ? [`and ${counted(more, "more machine")} in trouble`] : [];
  return [...told.slice(0, MACHINES_TOLD_OF), ...rest];
}

/** Condition of a machine: whether pods may come to its Node. */
export const NODE_SCHEDULABLE = "NodeSchedulable";

interface Speaker {
  readonly metadata: { readonly name: string };
  readonly status?: { readonly conditions?: Frozen<readonly Condition[]> } | undefined;
}

/** What is only on its way has the severity Info, and is no trouble. */
function troubleOf({ metadata, status }: Frozen<Speaker>): readonly string[] {
  const ready = getCondition(status?.conditions, "Ready");
  if (ready?.status !== "False" || ready.severity === undefined || ready.severity === "Info") return [];
  return [saidBy(metadata.name, ready)];
}

/** Nobody but who has cordoned a Node will make its machine available again, so that is told whatever its severity. */
function cordonOf({ metadata, status }: Frozen<Speaker>): readonly string[] {
  const schedulable = getCondition(status?.conditions, NODE_SCHEDULABLE);
  return schedulable?.status === "False" ? [saidBy(metadata.name, schedulable)] : [];
}

function saidBy(name: string, { reason, message }: Frozen<Condition>): string {
  return `${name}, ${reason}: ${message ?? "no message"}`;
}
