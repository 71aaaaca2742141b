import { type PoolAction, headingOf } from "../action.ts";
import type { PoolState } from "../budget.ts";

/**
 * Switches the image that new machines boot from, although the model is current. That is never urgent: it waits until the
 * pool has its model and its size. The caller has checked that the rollout needs nothing.
 */
export function switchImage({ view, budget }: PoolState): PoolAction | undefined {
  const { bootImage, capacity, setHash, desiredHash } = view;
  if (!bootImage || bootImage.isInUse) return undefined;
  if (capacity > budget.ceiling || setHash !== desiredHash) return undefined;
  const { definition } = bootImage;
  const why =
    definition === undefined
      ? "new machines boot from the image in the spec again, existing ones stay"
      : `new machines boot from the image definition ${definition}, existing ones stay`;
  const detail = definition === undefined ? {} : { definition };
  return { ...headingOf(view), action: "SwitchImage", targets: [view.name], detail, why };
}
