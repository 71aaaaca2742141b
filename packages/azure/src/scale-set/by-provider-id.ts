import { normalizedId } from "../normalized-id.ts";
import type { ScaleSetInstance } from "./instance.ts";

type Keyed = ReadonlyMap<string, ScaleSetInstance>;

const keyedLists = new WeakMap<readonly ScaleSetInstance[], Keyed>();

/** The instances of a list by normalized provider id, cached by list because many passes use the same one. */
export function byProviderID(instances: readonly ScaleSetInstance[]): Keyed {
  const known = keyedLists.get(instances);
  if (known) return known;
  const made = new Map(instances.map((instance) => [normalizedId(instance.providerID), instance]));
  keyedLists.set(instances, made);
  return made;
}
