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
 * Picks the surplus machines. A user has asked for fewer machines, so the budget does not apply; but during a rollout,
 * new machines that replace old ones are kept, and available machines are deleted only down to the floor.
 */
export function pickSurplus(state: PoolState, going: ReadonlySet<string>): readonly WholeMachine[] {
  const { view, budget } = state;
  if (view.isExternallyScaled) return [];
  const staying = state.staying.filter(({ name }) => name === undefined || !going.has(name));
  const surplus = staying.length - budget.desired - surgeFor(state, staying);
  if (surplus <= 0) return [];
  // A machine without a resource keeps its rank and is deleted when it has one; no other machine is deleted instead.
  const free = staying
    .filter(hasInstance)
    .filter((machine) => !isUpdating(machine) && machine.isDonor !== true);
  const ordered = byDeletionPriority(view, free, state.goalHash);
  const isPlain = budget.outdated === 0 || budget.desired === 0;
  return (isPlain ? ordered : sparing(state, ordered)).slice(0, surplus).filter(isWhole);
}

/** Leaves out the new machines that replace available old ones, and available machines below the floor. */
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
