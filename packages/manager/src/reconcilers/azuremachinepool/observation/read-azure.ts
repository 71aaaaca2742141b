import type { JsonObject } from "@capstan/api";
import { AzureError, isGone, type ScaleSetInstance } from "@capstan/azure";
import type { PoolCache } from "../cache/pool-cache.ts";
import { type ObservedSet, parseScaleSet } from "../model/body.ts";
import type { AzureObservation, AzurePass } from "../scope.ts";

const SECOND_MS = 1000;
// A little less than the shortest time between two resyncs, so that each resync lists.
const SETTLED_LIST_MS = 8 * 60 * SECOND_MS;
const SETTLED_SET_MS = 55 * 60 * SECOND_MS;
const BUSY_MS = 15 * SECOND_MS;
// Azure allows ten pages of a hundred instances a minute for one set. A third of them is enough, because decisions wait for
// Nodes far longer than for lists. The rest is for fresh lists before writes.
const MS_FOR_INSTANCE = 180;
// While no Node has changed, a list rarely shows a change either.
const QUIET_FACTOR = 4;

/** How old a list may be while the pool changes: Azure allows fewer lists of larger sets. */
export function busyListMs(instances: number): number {
  return Math.max(BUSY_MS, instances * MS_FOR_INSTANCE);
}

/** Reads the scale set, then lists its instances; with `isFresh` nothing comes from the cache. */
export async function readAzure(scope: AzurePass, isFresh: boolean): Promise<AzureObservation> {
  const { poolCache, context } = scope;
  const nowMs = context.env.clock.monotonic();
  const known = poolCache.azure.set;
  const setMs = poolCache.isSettled ? SETTLED_SET_MS : Infinity;
  const isLiveRead = isFresh || !known || nowMs - known.atMs > setMs;
  const set = isLiveRead ? await readSet(scope) : known.observed;
  if (isLiveRead) poolCache.azure.recordSet(set, nowMs);
  if (!set) return { set, isLiveRead, ...noInstances(scope) };
  try {
    return { set, isLiveRead, ...(await list(scope, set, isFresh)) };
  } catch (error) {
    // The set existed when it was last read, so read it again.
    if (isGone(error) && !isLiveRead) return readAzure(scope, true);
    throw error;
  }
}

/** Reads the scale set; undefined when there is none. */
export async function readSet({ azureTarget }: AzurePass): Promise<ObservedSet | undefined> {
  const { arm, scaleSetID, location } = azureTarget;
  try {
    const { body, etag } = await arm.get(scaleSetID, { location });
    checkID(body, scaleSetID);
    return parseScaleSet(body, etag ?? etagIn(body));
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error;
  }
}

/** Refuses an answer about another resource: a proxy may mix up answers, and we would act on the wrong scale set. */
function checkID({ id }: JsonObject, desired: string): void {
  if (typeof id !== "string" || id.toLowerCase() === desired.toLowerCase()) return;
  const message = `Azure answered a read of ${desired} with ${id}`;
  throw new AzureError({ class: "Transient", code: "AnswerAboutAnotherResource", message });
}

function etagIn({ etag }: JsonObject): string | undefined {
  return typeof etag === "string" && etag !== "" ? etag : undefined;
}

type Listed = Pick<AzureObservation, "instances" | "listedAtMs">;

/** Without a set there are no instances; that is recorded like an empty list, unless the set is being created. */
function noInstances({ context, poolCache, pool, shared, azureTarget }: AzurePass): Listed {
  const listedAtMs = context.env.clock.now();
  poolCache.azure.recordNoInstances(listedAtMs);
  if (!pool.status?.operation) shared.ports.scaleSets.record(azureTarget.scaleSetID, [], listedAtMs);
  return { instances: [], listedAtMs };
}

async function list(scope: AzurePass, set: ObservedSet, isFresh: boolean): Promise<Listed> {
  const { poolCache, context, azureTarget, shared } = scope;
  const { scaleSetID, location } = azureTarget;
  const startedMs = context.env.clock.now();
  const before = poolCache.azure.listed;
  const maxAgeMs = isFresh ? BUSY_MS : usualListMs(poolCache, set);
  const instances = await poolCache.azure.instances.list(scaleSetID, {
    maxAgeMs,
    location,
    expected: set.capacity,
    priority: "normal",
  });
  if (before && before.instances === instances) return { instances, listedAtMs: before.atMs };
  checkInside(instances, scaleSetID);
  poolCache.azure.recordList(instances, startedMs);
  shared.ports.scaleSets.record(scaleSetID, instances, startedMs);
  return { instances, listedAtMs: startedMs };
}

/** How old a list may be that no write depends on. */
function usualListMs({ azure, isSettled }: PoolCache, { capacity }: ObservedSet): number {
  if (azure.isDisturbed) return busyListMs(capacity);
  return isSettled ? SETTLED_LIST_MS : QUIET_FACTOR * busyListMs(capacity);
}

/** Refuses a list with instances of another set: we would act on them. */
function checkInside(instances: readonly ScaleSetInstance[], scaleSetID: string): void {
  const prefix = `${scaleSetID.toLowerCase()}/`;
  const stranger = instances.find(({ resourceID }) => !resourceID.toLowerCase().startsWith(prefix));
  if (!stranger) return;
  const message = `Azure answered a list of the instances of ${scaleSetID} with ${stranger.resourceID}`;
  throw new AzureError({ class: "Transient", code: "AnswerAboutAnotherResource", message });
}
