import { type PoolAction, headingOf } from "../action.ts";
import type { PoolView } from "../view.ts";

/** Renews the bootstrap data in the scale set where autoscalers or Azure (spot) create machines at any time. */
export function renewBootstrapData(view: PoolView): PoolAction | undefined {
  const { bootstrapData, setHash, desiredHash } = view;
  const isNeeded = bootstrapData?.isAlwaysNeeded === true && bootstrapData.isSuperseded;
  if (!isNeeded || setHash !== desiredHash) return undefined;
  return renewal(view, "NewMachines", "the bootstrap data was renewed");
}

/** Renews the bootstrap data for machines that are updated in place: they join again. */
export function renewForUpdates(view: PoolView): PoolAction {
  return renewal(
    view,
    "Updates",
    "fresh bootstrap data, with which machines rejoin after an update in place",
  );
}

/** Whether machines that are updated in place now can join again. */
export function canRejoin({ bootstrapData }: PoolView): boolean {
  return bootstrapData?.isValid ?? true;
}

function renewal(view: PoolView, cause: "NewMachines" | "Updates", why: string): PoolAction {
  return { ...headingOf(view), action: "RenewBootstrapData", targets: [view.name], detail: { cause }, why };
}
