import { isFinal } from "../../azure/operations/decide.ts";
import { resizedByOthers } from "./external-size.ts";
import { type AzureObservation, readSet } from "./observe.ts";
import { type NormalScope } from "./scope.ts";

/** Whether the number of an autoscaler is remembered, because we are at work on its pool. */
export function mayBeResized({ pool }: NormalScope): boolean {
  return pool.status?.externalReplicas !== undefined;
}

/**
 * Notes what an autoscaler has made of the size, and says whether that is news: then what was seen before is forgotten, as
 * instances that were listed before it are not what there is.
 *
 * What is ours changes the capacity, too. A deletion does so when Azure agrees to it, and then it is known by how much; of a
 * write of the set nothing is concluded before it has ended.
 */
export function noteResize(
  scope: NormalScope,
  { set, isLiveRead }: Pick<AzureObservation, "set" | "isLiveRead">,
): boolean {
  const { pool, memory, azureTarget } = scope;
  const { status = {} } = pool;
  if (!mayBeResized(scope) || !isLiveRead || !set || isOpen(scope)) return false;
  const size = resizedByOthers(status, set.capacity, memory.capacities);
  const isChanged = size.externalReplicas !== status.externalReplicas;
  memory.isResized = !isFinal(set.provisioningState) && (isChanged || memory.isResized);
  pool.status = { ...status, ...size };
  memory.capacities = [];
  if (isChanged) memory.forgetSet(azureTarget.scaleSetID);
  return isChanged;
}

/** Whether it is not known what a write of ours makes, or has made, of the capacity. */
function isOpen({ pool }: NormalScope): boolean {
  const { operation, instanceOperations = [] } = pool.status ?? {};
  return operation !== undefined || instanceOperations.some(({ url }) => url === undefined);
}

/**
 * Whether an autoscaler has set a number since the set was looked at: when we have taken something off it, nobody can tell
 * any more what it was. What was planned before is decided anew.
 */
export async function isResizedMeanwhile(scope: NormalScope): Promise<boolean> {
  return noteResize(scope, { set: await readSet(scope), isLiveRead: true });
}
