import type { MachineView, PoolView } from "./view.ts";

/** A scale set does not grow while its instances have more models than this: a limit of Azure. */
export const MODELS_AT_MOST = 10;

/**
 * Whether a new model must wait because it would be one too many. Machines are then brought to the model that the scale
 * set has, which lowers the number, and the new one follows. That of the set counts also when no machine has it: nobody
 * knows whether Azure gives it up before it counts.
 */
export function isModelHeld({ modelsInUse, setHash, wantedHash, isModelRefused }: PoolView): boolean {
  if (setHash === undefined || setHash === wantedHash) return false;
  return isModelRefused || new Set([...modelsInUse, setHash, wantedHash]).size > MODELS_AT_MOST;
}

/**
 * Which machines move on to the model of the scale set while a new one waits for its place: those of the model that has
 * the fewest. Whatever else moved would only have to move again. Where all have that model, Azure counts its editions,
 * and those that do not have the latest of them move.
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
