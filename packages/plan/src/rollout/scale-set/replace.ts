import { counted, isOrAre } from "../shared/action.ts";
import { type Blocked, type BlockedReason, headingOf } from "./action.ts";
import type { PoolState } from "./budget.ts";
import { byDeletionPriority } from "./selection.ts";
import { stuckLimit } from "./stuck.ts";
import { type WholeMachine, isAvailable, isBroken, isLive, isLongUnavailable } from "./view.ts";

/** Machines that are disrupted within the budget, by kind of disruption. */
export interface BudgetedPicks {
  readonly annotated: readonly WholeMachine[];
  readonly outdated: readonly WholeMachine[];
  readonly blocked: readonly Blocked[];
  /** Whether a rollout may add machines; false while the machines it has added do not work. */
  readonly mayAddForRollout: boolean;
}

/**
 * Picks machines with the delete annotation and machines with an older model, within the budget. Every pick costs one
 * disruption, even of a machine that is unavailable now, because that machine may recover before its replacement exists.
 */
export function pickWithinBudget(
  state: PoolState,
  already: { readonly going: ReadonlySet<string>; readonly isScalingDown: boolean },
): BudgetedPicks {
  const candidates = candidatesOf(state, already.going);
  const hold = holdOf(state, already.isScalingDown);
  const mayAddForRollout = hold?.reason !== "NewMachinesNotAvailable";
  const none = { annotated: [], outdated: [], mayAddForRollout };
  if (candidates.length === 0) return { ...none, blocked: [] };
  if (hold) return { ...none, blocked: [{ ...hold, targets: candidates.map(({ name }) => name) }] };
  const picks = candidates.slice(0, disruptionsFor(state, candidates[0]));
  return {
    annotated: picks.filter((machine) => machine.hasDeleteAnnotation),
    outdated: picks.filter((machine) => !machine.hasDeleteAnnotation),
    blocked: picks.length === 0 ? usedUp(state) : [],
    mayAddForRollout,
  };
}

function candidatesOf(state: PoolState, going: ReadonlySet<string>): readonly WholeMachine[] {
  const { view, budget, goalHash } = state;
  // The next wave of updates in place starts when all machines of the last one are available again.
  const isWaveOut = view.instanceUpdate === "InPlace" && budget.updating > 0;
  const mayRoll = state.isModelCurrent && !isWaveOut;
  const candidates = state.free.filter(
    (machine) =>
      !going.has(machine.name) && (machine.hasDeleteAnnotation || (mayRoll && state.isToBeMoved(machine))),
  );
  return byDeletionPriority(view, candidates, goalHash);
}

/** An annotated machine that does not work costs no availability, so one at a time is deleted even without budget. */
function disruptionsFor(state: PoolState, first: WholeMachine | undefined): number {
  const { available, floor, leaving, disruptionsLeft } = state.budget;
  const isFree = first?.hasDeleteAnnotation === true && !isAvailable(first);
  return isFree && available >= floor && leaving === 0 ? Math.max(1, disruptionsLeft) : disruptionsLeft;
}

type Hold = Omit<Blocked, "targets">;

function holdOf(state: PoolState, isScalingDown: boolean): Hold | undefined {
  const { view, budget } = state;
  const hold = (reason: BlockedReason, why: string): Hold => ({ ...headingOf(view), reason, why });
  // A machine with the delete annotation is ignored here: the rollout does not wait for it to work.
  const current = state.staying.filter(
    (machine) =>
      machine.modelHash === state.goalHash && !machine.hasDeleteAnnotation && machine.isDonor !== true,
  );
  const failing = current.filter(
    (machine) => !machine.isAvailable && (isBroken(machine) || isLongUnavailable(machine, view.nowMs)),
  ).length;
  if (failing >= stuckLimit(budget.desired)) {
    const why = `${failing} up-to-date ${failing === 1 ? "machine is" : "machines are"} not available, so no further machine is disrupted`;
    return hold("NewMachinesNotAvailable", why);
  }
  if (!view.workload.isReachable) {
    const why = "the API server of the workload cluster is unreachable, so machine availability is unknown";
    return hold("WorkloadUnreachable", why);
  }
  const byUser = state.machines.filter((machine) => machine.deletedByUser && isLive(machine)).length;
  if (byUser > 0) {
    const why = `${counted(byUser, "machine")} that a user deleted ${isOrAre(byUser)} still being deleted`;
    return hold("UserDeletion", why);
  }
  const isAboveCeiling = !view.isExternallyScaled && budget.live > budget.ceiling;
  if (!isScalingDown && !isAboveCeiling) return undefined;
  return hold("ScaleDownUnderWay", `scaling down to ${counted(budget.desired, "replica")} first`);
}

function usedUp(state: PoolState): readonly Blocked[] {
  const { view, budget } = state;
  const unavailable = state.staying.filter((machine) => !isAvailable(machine));
  const isStandstill =
    budget.live >= budget.ceiling || (view.instanceUpdate === "InPlace" && view.isExternallyScaled);
  if (!isStandstill || budget.leaving > 0 || view.operation !== undefined) return [];
  const counts = `${budget.available} of ${counted(budget.desired, "machine")} available, at least ${budget.floor} must stay available`;
  const isExternal = view.isExternallyScaled && unavailable.length === 0;
  const advice = "an autoscaler sets the size, so no surge machine is added: raise maxUnavailable";
  return [
    {
      ...headingOf(view),
      reason: isExternal ? "ExternallyScaled" : "BudgetUsedUp",
      targets: unavailable.flatMap(({ name }) => name ?? []),
      why: isExternal ? `${counts}; ${advice}` : counts,
    },
  ];
}
