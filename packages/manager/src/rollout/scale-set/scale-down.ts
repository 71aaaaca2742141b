import type { PoolState } from "./budget.ts";
import { byDeletionPriority } from "./selection.ts";
import { surgeFor } from "./surge.ts";
import {
  type InstanceView,
  type MachineView,
  type WholeMachine,
  hasInstance,
  isAvailable,
  isUpdating,
  isWhole,
} from "./view.ts";

/**
 * Picks the machines that are too many. It is the user's will, so the budget is not asked; but in a rollout the new
 * machines that old ones wait for are kept, and available ones go only as far as the floor allows.
 */
export function pickSurplus(state: PoolState, going: ReadonlySet<string>): readonly WholeMachine[] {
  const { view, budget } = state;
  if (view.isExternallyScaled) return [];
  const staying = state.staying.filter(({ name }) => name === undefined || !going.has(name));
  const surplus = staying.length - budget.desired - surgeFor(state, staying);
  if (surplus <= 0) return [];
  // One that has no resource yet has its place among the others, and goes when it has one: none goes in its place.
  const free = staying.filter(hasInstance).filter((machine) => !isUpdating(machine));
  const ordered = byDeletionPriority(view, free, state.goalHash);
  const isPlain = budget.outdated === 0 || budget.desired === 0;
  return (isPlain ? ordered : sparing(state, ordered)).slice(0, surplus).filter(isWhole);
}

/** Leaves out the new machines that would take over from available old ones, and available ones below the floor. */
function sparing(state: PoolState, ordered: readonly InstanceView[]): readonly InstanceView[] {
  const isNew = (machine: MachineView): boolean => machine.modelHash === state.goalHash;
  const isComing = (machine: MachineView): boolean => isNew(machine) && !isAvailable(machine);
  const workingOld = ordered.filter((machine) => !isNew(machine) && isAvailable(machine)).length;
  let coming = Math.max(0, ordered.filter(isComing).length - workingOld);
  let available = state.budget.disruptionsLeft;
  return ordered.filter((machine) => {
    if (isAvailable(machine)) return available-- > 0;
    return !isComing(machine) || coming-- > 0;
  });
}
