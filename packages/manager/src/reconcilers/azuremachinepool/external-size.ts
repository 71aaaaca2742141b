import type { PoolAction } from "../../rollout/action.ts";
import type { Budget } from "../../rollout/budget.ts";
import type { Plan } from "../../rollout/plan.ts";
import type { MachineView, PoolView } from "../../rollout/view.ts";

const CHANGES_SIZE: ReadonlySet<PoolAction["action"]> = new Set(["DeleteMachine", "PutModel", "SetCapacity"]);

/**
 * How many machines an autoscaler wants, as far as that must be remembered. It sets nothing but the capacity of the scale
 * set, which replacing machines lowers and raises as well. So its number is kept from before we begin until all is done
 * and as many are there again. What it changes meanwhile counts afterwards.
 */
export function rememberedSize(
  view: PoolView,
  { actions, budget }: Plan,
  known: number | undefined,
): number | undefined {
  if (!view.isExternallyScaled || view.setHash === undefined) return undefined;
  const isAtWork =
    budget.outdated > 0 ||
    view.machines.some(isInOurHands) ||
    actions.some(({ action }) => CHANGES_SIZE.has(action));
  if (isAtWork) return known ?? view.desired;
  return known === undefined || isWhole(view, budget, known) ? undefined : known;
}

function isInOurHands({ isDeleting, picked }: MachineView): boolean {
  return isDeleting || picked !== undefined;
}

function isWhole({ operation, capacity }: PoolView, { live }: Budget, wanted: number): boolean {
  return operation === undefined && live >= wanted && live === capacity;
}
