/** What keeps a pool in order beside its rollout: tags, image and bootstrap data of the scale set, annotations of machines. */
import { counted, isOrAre } from "../../shared/action.ts";
import { type PoolAction, headingOf, isChangeOfSet } from "../action.ts";
import type { PoolState } from "../budget.ts";
import { runningWrite } from "../running-write.ts";
import type { MachineView, PoolView } from "../view.ts";
import { renewBootstrapData, renewForUpdates } from "./bootstrap-data.ts";
import { switchImage } from "./boot-image.ts";
import { patchTags } from "./tags.ts";

/** What the upkeep of a pool depends on, beside its state. */
interface OtherPlans {
  readonly rollout: readonly PoolAction[];
  /** Whether updates of instances wait for fresh bootstrap data. */
  readonly isUpdateHeld: boolean;
}

/** Decides the upkeep of a pool; changes of the scale set for it wait until the rollout needs none and no write runs. */
export function planUpkeep(state: PoolState, others: OtherPlans): readonly PoolAction[] {
  return [...revertUpdates(state), ...clearSurge(state), ...changeOfSet(state, others)];
}

/** One change at most: a write of the model also writes image, bootstrap data and tags. */
function changeOfSet(state: PoolState, { rollout, isUpdateHeld }: OtherPlans): readonly PoolAction[] {
  const { view } = state;
  if (rollout.some(isChangeOfSet) || runningWrite(view)) return [];
  const change =
    (maySwitchImage(view, rollout) ? switchImage(state) : undefined) ??
    renewBootstrapData(view) ??
    (isUpdateHeld ? renewForUpdates(view) : undefined) ??
    patchTags(view);
  return change ? [change] : [];
}

/**
 * A new image waits until the pool is in order. The way back to the image in the spec does not wait for machines: they may fail
 * because of the image, and would never be available.
 */
function maySwitchImage({ bootImage, operation }: PoolView, rollout: readonly PoolAction[]): boolean {
  if (rollout.length === 0) return true;
  const isWayBack = bootImage !== undefined && bootImage.definition === undefined;
  return isWayBack && operation === undefined && rollout.every(({ action }) => action === "Wait");
}

/** Reverts update annotations that the pool controller did not set: they would bypass the budget. */
function revertUpdates({ view, machines }: PoolState): readonly PoolAction[] {
  const targets = namesOf(machines.filter(({ isUpdateUnplanned }) => isUpdateUnplanned === true));
  if (targets.length === 0) return [];
  const why = `${counted(targets.length, "machine")} ${isOrAre(targets.length)} annotated for an update in place that the pool controller did not plan`;
  const detail = { cause: "NotPlanned" } as const;
  return [{ ...headingOf(view), action: "RevertUpdateAnnotation", targets, detail, why }];
}

/** Makes a surge machine an ordinary one when another machine has gone in its place. */
function clearSurge({ view, budget, machines }: PoolState): readonly PoolAction[] {
  if (budget.outdated > 0 || budget.live > budget.desired) return [];
  const targets = namesOf(machines.filter(({ isSurge, isDeleting }) => isSurge && !isDeleting));
  if (targets.length === 0) return [];
  const why = `all machines are up to date, and none exceeds the desired ${budget.desired}`;
  const detail = { cause: "NotInExcess" } as const;
  return [{ ...headingOf(view), action: "ClearSurge", targets, detail, why }];
}

function namesOf(machines: readonly MachineView[]): readonly string[] {
  return machines.flatMap(({ name }) => name ?? []);
}
