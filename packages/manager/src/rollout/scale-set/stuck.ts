import { counted } from "../shared/action.ts";
import { type Blocked, headingOf } from "./action.ts";
import type { PoolState } from "./budget.ts";
import { byDeletionPriority } from "./selection.ts";
import {
  type MachineView,
  type WholeMachine,
  isBroken,
  isLeaving,
  isUpdating,
  isLongUnavailable,
  isWhole,
} from "./view.ts";

/** The share of a pool that is replaced at once without asking the budget. */
const STUCK_SHARE = 0.1;

/** When more Nodes than this share are not ready, the cluster is ill and its machines are not. */
const UNHEALTHY_SHARE = 0.4;

/** Machines that go although the budget may be used up, and what keeps others from it. */
export interface StuckPicks {
  readonly picks: readonly WholeMachine[];
  readonly blocked: readonly Blocked[];
}

/** How many machines may fail, or be replaced because they failed, before it is a pattern. */
export function stuckLimit(desired: number): number {
  return Math.max(1, Math.floor(desired * STUCK_SHARE));
}

/**
 * Picks machines that have not worked for a long time and do not get better: broken ones, and outdated ones, which would
 * have to go anyway. They cost no availability; but few at a time, and none while the cluster itself looks ill.
 */
export function pickStuck(state: PoolState): StuckPicks {
  const { view, budget } = state;
  const candidates = state.staying.filter(isWhole).filter((machine) => isStuck(state, machine));
  if (candidates.length === 0) return { picks: [], blocked: [] };
  const ordered = byDeletionPriority(view, candidates, state.goalHash);
  const illness = illnessOf(state);
  if (illness) return { picks: [], blocked: [{ ...illness, targets: ordered.map(({ name }) => name) }] };
  const underWay = state.machines.filter((machine) => isReplacedAsStuck(machine, view.nowMs)).length;
  return { picks: ordered.slice(0, Math.max(0, stuckLimit(budget.desired) - underWay)), blocked: [] };
}

function isStuck(state: PoolState, machine: WholeMachine): boolean {
  if (!isLongUnavailable(machine, state.view.nowMs)) return false;
  if (isBroken(machine)) return true;
  // An update in place drains first, which may take long; until it is broken it is left to its controller.
  return state.isModelCurrent && machine.modelHash !== state.goalHash && !isUpdating(machine);
}

function isReplacedAsStuck(machine: MachineView, nowMs: number): boolean {
  if (machine.instanceID === undefined || !isLeaving(machine) || machine.deletedByUser) return false;
  // One that worked until it was picked may take long to drain. That is no pattern, and may be for want of the others.
  return isBroken(machine) || isLongUnavailable(machine, machine.deletingSinceMs ?? nowMs);
}

function illnessOf({ view }: PoolState): Omit<Blocked, "targets"> | undefined {
  const { isReachable, nodes, notReady } = view.workload;
  const consequence = "unavailable machines are not replaced";
  if (!isReachable) {
    const why = `the API server of the workload cluster is unreachable, so ${consequence}`;
    return { ...headingOf(view), reason: "WorkloadUnreachable", why };
  }
  if (notReady <= nodes * UNHEALTHY_SHARE) return undefined;
  const why = `${notReady} of ${counted(nodes, "Node")} are not Ready, more than 40 %, so ${consequence}`;
  return { ...headingOf(view), reason: "WorkloadUnhealthy", why };
}
