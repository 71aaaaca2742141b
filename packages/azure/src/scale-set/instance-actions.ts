import type { DesiredPost } from "../operations/desired-operation.ts";

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
export interface DesiredInstancePost extends DesiredPost {
  readonly action: InstanceAction;
  readonly instanceIDs: readonly string[];
}

/** The number of instances in one request: as many as Azure handles at once, and few enough for a record of 5 KB. */
export const BATCH_SIZE = 100;

/** Instances in batches without duplicates, in the given order. */
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

/** The Azure actions for instances: one for each batch. */
export function instanceActions(
  scaleSetID: string,
  action: InstanceAction,
  instanceIDs: readonly string[],
): readonly DesiredInstancePost[] {
  return batchesOf(instanceIDs).map((batch) => ({
    verb: "POST",
    resourceID: scaleSetID,
    action,
    instanceIDs: batch,
    priority: action === "delete" ? "urgent" : "normal",
  }));
}
