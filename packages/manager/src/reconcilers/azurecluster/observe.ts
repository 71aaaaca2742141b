import { type Arm, AzureError, isGone, normalizedId } from "@capstan/azure";
import type { JsonObject } from "@capstan/api";
import type { Decision } from "./operations/decide.ts";
import type { CachedReading } from "./operations/memory.ts";
import { throttledFor } from "./operations/operations.ts";
import { clusterGroupOf, groupID, locationOf } from "../../azure-cluster/spec-view.ts";
import type { Scope } from "./scope.ts";

// A little less than the shortest time between two resyncs, so that each resync looks for drift.
const LOOK_FOR_DRIFT_MS = 8 * 60_000;
// No write relies on an older read than this.
const FRESH_MS = 2 * 60_000;

/**
 * Reads every resource whose last read is old: one by one while a cluster is built or changed, because a list of its group
 * has neither properties nor states; from the shared lists of the subscription once it is built.
 */
export async function observe(scope: Scope): Promise<void> {
  const old = scope.desired.map(({ id }) => id).filter((id) => isOld(scope, id, LOOK_FOR_DRIFT_MS));
  if (old.length === 0) return;
  if (scope.cluster.status?.ready !== true) return look(scope, old);
  const hasSeenAll = scope.desired.every(({ id }) => scope.memory.seen.has(normalizedId(id)));
  try {
    await look(scope, await notListed(scope, old));
  } catch (error) {
    // The check for drift can wait; all other decisions work with the cached reads.
    if (hasSeenAll && error instanceof AzureError && error.class === "Throttled") return;
    throw error;
  }
}

/** Reads the resources again that are about to be written; returns whether there were any. */
export async function confirm(scope: Scope, decisions: readonly Decision[]): Promise<boolean> {
  const doubtful = decisions
    .filter(({ do: what }) => what === "put" || what === "patchTags" || what === "refuse")
    .map(({ resource }) => resource.id)
    .filter(
      (id) => isOld(scope, id, FRESH_MS) || scope.memory.seen.get(normalizedId(id))?.isLiveRead === false,
    );
  if (doubtful.length === 0) return false;
  await look(scope, doubtful);
  return true;
}

/** Reads resources one by one; resources in a group that does not exist need no read. */
async function look(scope: Scope, ids: readonly string[]): Promise<void> {
  const group = groupID(scope.plan, clusterGroupOf(scope.plan));
  const inGroup = normalizedId(`${group}/`);
  if (ids.includes(group)) await lookAt(scope, group);
  const isGroupThere = scope.memory.seen.get(normalizedId(group))?.body !== undefined;
  const absent = isGroupThere ? [] : ids.filter((id) => normalizedId(id).startsWith(inGroup));
  for (const id of absent) cacheReading(scope, id, { isLiveRead: true });
  const rest = ids.filter((id) => id !== group && !absent.includes(id));
  await together(rest.map((id) => lookAt(scope, id)));
}

/**
 * Waits for all reads even if one fails, because none may continue after the pass has ended. If several fail, it throws
 * the error with the longest Retry-After, so that the next attempt is not too early.
 */
export async function together<T>(reads: readonly Promise<T>[]): Promise<T[]> {
  const results = await Promise.allSettled(reads);
  const errors = results.flatMap((one) => (one.status === "rejected" ? [one.reason as unknown] : []));
  const [first] = errors.toSorted((left, right) => (throttledFor(right) ?? 0) - (throttledFor(left) ?? 0));
  if (errors.length > 0) throw first;
  return Promise.all(reads);
}

async function lookAt(scope: Scope, id: string): Promise<void> {
  const reading = await readResource(scope.arm, id, locationOf(scope.plan));
  cacheReading(scope, id, { ...reading, isLiveRead: true });
}

/** Reads one resource; undefined when it does not exist. */
export async function readResource(
  arm: Arm,
  id: string,
  location: string,
): Promise<{ readonly body?: JsonObject; readonly etag?: string }> {
  try {
    const reading = await arm.get(id, { location });
    checkID(reading.body, id);
    return reading;
  } catch (error) {
    // If Azure does not have the type, the resource does not exist either.
    if (isGone(error) || (error instanceof AzureError && error.code === "InvalidResourceType")) return {};
    throw error;
  }
}

/** The answer must be about the requested resource, because writes rely on it. */
function checkID(body: JsonObject, id: string): void {
  const shown = body["id"];
  if (typeof shown !== "string" || normalizedId(shown) === normalizedId(id)) return;
  const message = `Azure answered a read of ${id} with ${shown}`;
  throw new AzureError({ class: "Transient", code: "AnswerAboutAnotherResource", message });
}

/** Stores what the lists of the subscription show, and returns the ids that they lack. */
async function notListed(scope: Scope, ids: readonly string[]): Promise<readonly string[]> {
  const { arm, identity, shared } = scope;
  try {
    const collections = [...new Set(ids.flatMap((id) => collectionOf(id) ?? []))];
    const lists = await together(
      collections.map((collection) => shared.inventory.list({ arm, identity, collection })),
    );
    return ids.filter((id) => {
      const body = lists.map((list) => list.get(normalizedId(id))).find((item) => item !== undefined);
      if (body) cacheReading(scope, id, { body, ...etagIn(body), isLiveRead: false });
      return !body;
    });
  } catch (error) {
    // An identity with access to one group only may not list a subscription.
    if (error instanceof AzureError && error.class === "Auth") return ids;
    throw error;
  }
}

/** The collection of the subscription that contains a resource; a child resource has none. */
function collectionOf(id: string): string | undefined {
  const [, , subscription, , , , provider, type, ...rest] = id.split("/");
  if (provider === undefined) return `/subscriptions/${subscription}/resourceGroups`;
  return rest.length > 1 ? undefined : `/subscriptions/${subscription}/providers/${provider}/${type}`;
}

function etagIn({ etag }: JsonObject): { readonly etag?: string } {
  return typeof etag === "string" && etag !== "" ? { etag } : {};
}

function cacheReading(scope: Scope, id: string, observed: Omit<CachedReading, "atMs">): void {
  const atMs = scope.context.env.clock.monotonic();
  scope.memory.seen.set(normalizedId(id), { ...observed, atMs });
}

function isOld({ memory, ledger, context }: Scope, id: string, limitMs: number): boolean {
  // While a resource changes, its operation is polled instead.
  if (ledger.ids().has(normalizedId(id))) return false;
  const observed = memory.seen.get(normalizedId(id));
  return !observed || context.env.clock.monotonic() - observed.atMs >= limitMs;
}
