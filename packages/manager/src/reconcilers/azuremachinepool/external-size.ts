import type { PoolAction } from "../../rollout/action.ts";
import type { Plan } from "../../rollout/plan.ts";
import type { PoolView } from "../../rollout/view.ts";

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
  const isOurs = view.machines.some(({ isDeleting, picked }) => isDeleting || picked !== undefined);
  const isAtWork = isOurs || budget.outdated > 0 || actions.some(({ action }) => CHANGES_SIZE.has(action));
  if (known === undefined) return isAtWork ? view.desired : undefined;
  const isWhole = view.operation === undefined && budget.live >= known && budget.live === view.capacity;
  return isAtWork || !isWhole ? known : undefined;
}
