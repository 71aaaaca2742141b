import type { PoolView } from "./view.ts";

/** Who has begun the write of a scale set that runs now. */
export type RunningWrite = "ours" | "another client's";

/**
 * Whose write of the scale set runs: a second one would preempt it half done. Our own record comes first, because a read of
 * Azure may show the state from before our write.
 */
export function runningWrite({
  operation,
  isSetChanging = false,
  isResized = false,
}: Pick<PoolView, "operation" | "isSetChanging" | "isResized">): RunningWrite | undefined {
  if (operation?.kind === "PutModel" || operation?.kind === "SetCapacity") return "ours";
  // Operations on instances change the state of the scale set, too, and others may begin beside them.
  const isOfInstances = operation !== undefined && !isResized;
  return isSetChanging && !isOfInstances ? "another client's" : undefined;
}
