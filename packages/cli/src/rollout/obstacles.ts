import { type Condition, deprecatedConditionsOf, type Frozen, getCondition } from "@capstan/api";
import { needsAttention } from "@capstan/plan";
import { isTrouble } from "../describe/trouble.ts";
import type { PoolParts } from "../plan/planners/pool-parts.ts";
import { counted } from "../render/amounts.ts";
import type { RolloutState } from "./rollout-state.ts";

/**
 * What is in the way: blocks of the plan, then conditions of the pool and its MachinePool. They repeat each other and
 * `shown`, which is printed already, so duplicates are dropped.
 */
export function inTheWay(state: RolloutState, shown = state.failure): readonly Report[] {
  const { plan, parts, standstill } = state;
  const blocks = [...(standstill ? [standstill] : []), ...needsAttention(plan)];
  const all: readonly Report[] = [
    ...blocks.map(({ reason, why }) => ({ who: "blocked", reason, message: why })),
    ...reportsOfPool(parts.pool),
    ...(state.isDone ? [] : reportsOfMachinePool(parts)),
  ];
  return all.filter(
    (one, index) => !isIn(one, shown ?? "") && !all.slice(0, index).some((other) => isSame(one, other)),
  );
}

/** The same, one line each. */
export function obstacleLines(state: RolloutState, shown = state.failure): readonly string[] {
  return inTheWay(state, shown).map(lineOf);
}

/** A message, and the object it comes from. */
export interface Report {
  readonly who: string;
  readonly reason: string;
  readonly message: string;
}

function lineOf({ who, reason, message }: Report): string {
  return message === "" ? `${who}, ${reason}` : `${who}, ${reason}: ${message}`;
}

/** A summary condition keeps the reason, and puts the condition's type before the message. */
function isSame(one: Report, other: Report): boolean {
  return one.reason === other.reason || isIn(one, other.message) || isIn(other, one.message);
}

function isIn({ reason, message }: Report, text: string): boolean {
  return text.startsWith(`${reason}: `) || (message !== "" && text.includes(message));
}

/** Conditions that block a rollout are printed with any severity; others only if they report trouble, not progress. */
function reportsOfPool({ metadata, status }: PoolParts["pool"]): readonly Report[] {
  const rollout = getCondition(status?.conditions, "RolloutProgressing");
  const removal = getCondition(status?.conditions, "RemovalBlocked");
  const ready = getCondition(status?.conditions, "Ready");
  return [
    ...(rollout?.status === "False" ? [reportIn(metadata.name, rollout)] : []),
    ...(removal?.status === "True" ? [{ ...reportIn(metadata.name, removal), reason: removal.type }] : []),
    ...(ready && isTrouble(ready) ? [reportIn(metadata.name, ready)] : []),
  ];
}

/** While there is no machine, progress is the only thing to report. */
function reportsOfMachinePool({ machinePool, machines }: PoolParts): readonly Report[] {
  const { metadata } = machinePool;
  const ready = getCondition(deprecatedConditionsOf(machinePool), "Ready");
  if (!ready || ready.status === "True" || (machines.length > 0 && !isTrouble(ready))) return [];
  return [reportIn(`${machinePool.kind} ${metadata.name}`, ready)];
}

// A user with more to repair begins with these.
const MACHINES_SHOWN = 3;

/** The conditions of machines in trouble, one line each. */
export function machineTroubles(state: RolloutState): readonly string[] {
  const shown = machineReports(state);
  const more = shown.length - MACHINES_SHOWN;
  const rest = more > 0 ? [`and ${counted(more, "more machine")} in trouble`] : [];
  return [...shown.slice(0, MACHINES_SHOWN).map(lineOf), ...rest];
}

/** The conditions of machines in trouble. */
export function machineReports({ parts: { machines } }: RolloutState): readonly Report[] {
  return machines.flatMap((machine) => [...troubleOf(machine), ...cordonOf(machine)].slice(0, 1));
}

/** Condition of a machine: whether the scheduler may place pods on its Node. */
export const NODE_SCHEDULABLE = "NodeSchedulable";

interface Reporter {
  readonly metadata: { readonly name: string };
  readonly status?: { readonly conditions?: Frozen<readonly Condition[]> } | undefined;
}

function troubleOf({ metadata, status }: Frozen<Reporter>): readonly Report[] {
  const ready = getCondition(status?.conditions, "Ready");
  return ready && isTrouble(ready) ? [reportIn(metadata.name, ready)] : [];
}

/** Only the user who has cordoned a Node can make its machine available again, so this is printed with any severity. */
function cordonOf({ metadata, status }: Frozen<Reporter>): readonly Report[] {
  const schedulable = getCondition(status?.conditions, NODE_SCHEDULABLE);
  return schedulable?.status === "False" ? [reportIn(metadata.name, schedulable)] : [];
}

function reportIn(who: string, { type, reason = type, message = "" }: Frozen<Condition>): Report {
  return { who, reason, message };
}
