import type { WantedPost } from "../operations/wanted.ts";

/** What can be done to instances, in the spelling of the set's own paths. */
export type InstanceAction =
  | "delete"
  | "manualupgrade"
  | "reimage"
  | "start"
  | "poweroff"
  | "deallocate"
  | "restart";

/** An action on instances of a scale set. */
export interface WantedInstancePost extends WantedPost {
  readonly action: InstanceAction;
  readonly instanceIDs: readonly string[];
}

/** How many instances one request is about: as many as Azure works on at once, and few enough for a record of 5 KB. */
export const BATCH_SIZE = 100;

/** Instances in batches, each id once, in the order they were given. */
export function batchesOf(
  instanceIDs: readonly string[],
  size: number = BATCH_SIZE,
): readonly (readonly string[])[] {
  if (!Number.isInteger(size) || size < 1)
    throw new RangeError(`a batch has at least 1 instance, not ${size}`);
  const ids = [...new Set(instanceIDs)];
  return Array.from({ length: Math.ceil(ids.length / size) }, (_, index) =>
    ids.slice(index * size, (index + 1) * size),
  );
}

/** What has to be asked of Azure to have something done to instances: one action a batch. */
export function instanceActions(
  scaleSetID: string,
  action: InstanceAction,
  instanceIDs: readonly string[],
): readonly WantedInstancePost[] {
  return batchesOf(instanceIDs).map((batch) => ({
    verb: "POST",
    resourceID: scaleSetID,
    action,
    instanceIDs: batch,
    priority: action === "delete" ? "urgent" : "normal",
  }));
}
