import type { AzureMachinePool, Frozen } from "@capstan/api";
import { isFinal } from "@capstan/azure";

/** What is known about writes of a scale set that run now. */
export interface WriteFacts {
  readonly status: Frozen<AzureMachinePool>["status"];
  /** Whether another client has resized the scale set while operations of ours ran on its instances. */
  readonly isResized: boolean;
  /** The provisioning state of the scale set; undefined without a scale set. */
  readonly provisioningState: string | undefined;
}

/**
 * Whose write of the scale set runs: a second one would preempt it half done. Our own record comes first, because a read of
 * Azure may show the state from before our write.
 */
export function runningWrite({
  status,
  isResized,
  provisioningState,
}: WriteFacts): "ours" | "another client's" | undefined {
  if (status?.operation) return "ours";
  if (provisioningState === undefined || isFinal(provisioningState)) return undefined;
  // Operations on instances change the state of the set, too, and others may begin beside them.
  const isOfInstances = (status?.instanceOperations ?? []).length > 0 && !isResized;
  return isOfInstances ? undefined : "another client's";
}
