import type { AzureState } from "../../core/azure-state.ts";
import { type Instance, type Model, modelOf, type ScaleSet } from "./scale-sets.ts";

/** Applies the newest model to an instance; its cores count by the new size from now on. */
export function applyModel(world: AzureState, set: ScaleSet, instance: Instance): void {
  countModel(world, set, { model: modelOf(set, instance), instances: -1 });
  instance.model = set.modelVersion;
  countModel(world, set, { model: modelOf(set, instance), instances: 1 });
}

/** Counts instances of a model, or uncounts them when the number is negative. */
export function countModel(
  world: AzureState,
  set: ScaleSet,
  counted: { readonly model: Model; readonly instances: number },
): void {
  const { subscription, location } = set;
  const { size, isSpot } = counted.model;
  world.usage.count({ subscription, location, size, isSpot, instances: counted.instances });
}
