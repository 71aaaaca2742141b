import { isFinal } from "../../azure/operations/decide.ts";
import { resizedByOthers } from "./external-size.ts";
import { type AzureSight, readSet } from "./observe.ts";
import { needed, type Scope } from "./scope.ts";

/** Whether the number of an autoscaler is remembered, because we are at work on its pool. */
export function mayBeResized({ pool }: Scope): boolean {
  return pool.status?.externalReplicas !== undefined;
}

/**
 * Notes what an autoscaler has made of the size, and says whether that is news: instances that were listed before it are
 * not what there is.
 *
 * What is ours changes the capacity, too. A deletion does so when Azure agrees to it, and then it is known by how much; of a
 * write of the set nothing is concluded before it has ended.
 */
export function noteResize(
  scope: Scope,
  { set, isFirstHand }: Pick<AzureSight, "set" | "isFirstHand">,
): boolean {
  const { pool, memory } = scope;
  const { status = {} } = pool;
  const { operation, instanceOperations = [] } = status;
  const isOpen = operation !== undefined || instanceOperations.some(({ url }) => url === undefined);
  if (!mayBeResized(scope) || !isFirstHand || !set || isOpen) return false;
  const size = resizedByOthers(status, set.capacity, memory.capacities);
  const isNews = size.externalReplicas !== status.externalReplicas;
  memory.isResized = !isFinal(set.provisioningState) && (isNews || memory.isResized);
  pool.status = { ...status, ...size };
  memory.capacities = [];
  return isNews;
}

/**
 * Whether an autoscaler has set a number since the set was looked at: when we have taken something off it, nobody can tell
 * any more what it was. What was planned before is decided anew.
 */
export async function isResizedMeanwhile(scope: Scope): Promise<boolean> {
  const { memory, site } = scope;
  const isNews = noteResize(scope, { set: await readSet(scope), isFirstHand: true });
  if (isNews) memory.forgetSet(needed(site).scaleSetID);
  return isNews;
}
