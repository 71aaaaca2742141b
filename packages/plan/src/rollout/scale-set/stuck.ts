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

/** The share of a pool that may be replaced at once outside the budget. */
const STUCK_SHARE = 0.1;

/** If a larger share of the Nodes is not Ready, the cause is the cluster and not its machines. */
const UNHEALTHY_SHARE = 0.4;

/** Machines that are replaced outside the budget, and the blocks that prevent it. */
export interface StuckPicks {
  readonly picks: readonly WholeMachine[];
  readonly blocked: readonly Blocked[];
}

/** How many machines may fail before the failures count as systematic. */
export function stuckLimit(desired: number): number {
  return Math.max(1, Math.floor(desired * STUCK_SHARE));
}

/**
 * Picks machines that have been unavailable for long and do not recover: broken ones, and outdated ones, which the rollout
 * deletes anyway. Replacing them costs no availability; it picks few at a time, and none while the cluster is unhealthy.
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
  if (machine.isDonor === true || !isLongUnavailable(machine, state.view.nowMs)) return false;
  if (isBroken(machine)) return true;
  // An update in place drains first, which may take long; its controller handles it unless the VM is broken.
  return state.isModelCurrent && machine.modelHash !== state.goalHash && !isUpdating(machine);
}

function isReplacedAsStuck(machine: MachineView, nowMs: number): boolean {
  if (machine.instanceID === undefined || !isLeaving(machine) || machine.deletedByUser) return false;
  // A machine that worked until it was picked may take long to drain, perhaps for lack of the others: not a failure.
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
