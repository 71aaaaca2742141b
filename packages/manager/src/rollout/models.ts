import { type PoolView, isLive, machinesOf } from "./view.ts";

/** A scale set does not grow while its instances have more models than this: a limit of Azure. */
export const MODELS_AT_MOST = 10;

/**
 * Whether a new model must wait because it would be one too many. Machines are then brought to the model that the scale
 * set has, which lowers the number, and the new one follows.
 */
export function isModelHeld(view: PoolView): boolean {
  if (view.setHash === undefined || view.setHash === view.wantedHash) return false;
  const inUse = new Set(view.modelsInUse);
  const isSetModelUsed = machinesOf(view).some((m) => isLive(m) && m.modelHash === view.setHash);
  // The model of the set itself is given up by the PUT, unless instances have it.
  if (!isSetModelUsed) inUse.delete(view.setHash);
  return inUse.add(view.wantedHash).size > MODELS_AT_MOST;
}

/** Whether Azure would refuse to add instances. */
export function hasTooManyModels(view: PoolView): boolean {
  return new Set(view.modelsInUse).size > MODELS_AT_MOST;
}
