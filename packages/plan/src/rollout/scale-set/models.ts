import type { MachineView, PoolView } from "./view.ts";

/** Azure's limit: a scale set does not grow while its instances have more models than this. */
export const MODELS_AT_MOST = 10;

/**
 * Whether a new model must wait because it would exceed the limit. Machines then move to the model that the scale set
 * has, which lowers the number of models, and the new model follows. The model of the scale set counts even when no
 * machine has it, because Azure does not document when it stops counting a model.
 */
export function isModelHeld({ modelsInUse, setHash, desiredHash, isModelRejected }: PoolView): boolean {
  if (setHash === undefined || setHash === desiredHash) return false;
  return isModelRejected || new Set([...modelsInUse, setHash, desiredHash]).size > MODELS_AT_MOST;
}

/**
 * Whether a write must keep the model of the scale set, bootstrap data included. New bootstrap data makes another edition of
 * the same model, which Azure may refuse; machines then join with the data that the scale set has.
 */
export function keepsModelOfSet(view: PoolView): boolean {
  return isModelHeld(view) || (view.isModelRejected && view.setHash === view.desiredHash);
}

/**
 * Which machines move to the model of the scale set while the new model waits: those of the model with the fewest
 * machines, because any other machine would have to move a second time. If all machines have the model of the scale set,
 * Azure counts its editions, and the machines that do not have the latest edition move.
 */
export function moversWhileHeld(
  machines: readonly MachineView[],
  setHash: string,
): (machine: MachineView) => boolean {
  const counts = new Map<string, number>();
  for (const { modelHash } of machines)
    if (modelHash !== setHash) counts.set(modelHash, (counts.get(modelHash) ?? 0) + 1);
  const [rarest] = [...counts].toSorted(([a, few], [b, many]) => few - many || (a < b ? -1 : 1));
  if (!rarest) return ({ isLatestModel }) => isLatestModel === false;
  return ({ modelHash }) => modelHash === rarest[0];
}

/** Whether Azure would refuse to add instances. */
export function hasTooManyModels(view: PoolView): boolean {
  return new Set(view.modelsInUse).size > MODELS_AT_MOST;
}
