import { isFinal } from "@capstan/azure";
import { resizedByOthers } from "@capstan/plan";
import { readSet } from "./read-azure.ts";
import type { AzureObservation, NormalScope } from "../scope.ts";

/** Whether the status records an autoscaler's number, because the pool controller replaces machines. */
export function mayBeResized({ pool }: NormalScope): boolean {
  return pool.status?.externalReplicas !== undefined;
}

/**
 * Records a resize by an autoscaler; returns whether there was one. Then earlier reads are forgotten, because the instances in
 * them are outdated.
 *
 * Our own operations change the capacity, too. A deletion does so when Azure accepts it, by a known number; while a write of
 * the set runs, nothing is concluded.
 */
export function noteResize(
  scope: NormalScope,
  { set, isLiveRead }: Pick<AzureObservation, "set" | "isLiveRead">,
): boolean {
  const { pool, poolCache, azureTarget } = scope;
  const { status = {} } = pool;
  if (!mayBeResized(scope) || !isLiveRead || !set || isOpen(scope)) return false;
  const size = resizedByOthers(status, set.capacity, poolCache.capacities.possible);
  const isChanged = size.externalReplicas !== status.externalReplicas;
  const isResized = !isFinal(set.provisioningState) && (isChanged || poolCache.capacities.isResized);
  pool.status = { ...status, ...size };
  poolCache.capacities.observe({ isResized });
  if (isChanged) poolCache.azure.forgetSet(azureTarget.scaleSetID);
  return isChanged;
}

/** Whether the effect of our own operation on the capacity is not known yet. */
function isOpen({ pool }: NormalScope): boolean {
  const { operation, instanceOperations = [] } = pool.status ?? {};
  return operation !== undefined || instanceOperations.some(({ url }) => url === undefined);
}

/**
 * Whether an autoscaler has resized the set since it was last read. It must be checked before our deletion changes the capacity,
 * because the number cannot be told afterwards. If so, the pool is planned again.
 */
export async function isResizedMeanwhile(scope: NormalScope): Promise<boolean> {
  return noteResize(scope, { set: await readSet(scope), isLiveRead: true });
}
