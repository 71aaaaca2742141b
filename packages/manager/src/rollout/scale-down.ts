import type { PoolState } from "./budget.ts";
import { leastMissedFirst } from "./selection.ts";
import { surgeFor } from "./surge.ts";
import { type WholeMachine, isAvailable } from "./view.ts";

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
  const free = state.free.filter(({ name }) => !going.has(name));
  const ordered = leastMissedFirst(view, free, state.goalHash);
  if (budget.outdated === 0 || budget.desired === 0) return ordered.slice(0, surplus);
  return sparing(state, ordered).slice(0, surplus);
}

/** Leaves out the new machines that would take over from available old ones, and available ones below the floor. */
function sparing(state: PoolState, ordered: readonly WholeMachine[]): readonly WholeMachine[] {
  const isNew = (machine: WholeMachine): boolean => machine.modelHash === state.goalHash;
  const isComing = (machine: WholeMachine): boolean => isNew(machine) && !isAvailable(machine);
  const workingOld = ordered.filter((machine) => !isNew(machine) && isAvailable(machine)).length;
  let coming = Math.max(0, ordered.filter(isComing).length - workingOld);
  let available = state.budget.disruptionsLeft;
  return ordered.filter((machine) => {
    if (isAvailable(machine)) return available-- > 0;
    return !isComing(machine) || coming-- > 0;
  });
}
