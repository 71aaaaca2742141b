import {
  clusterGroupOf,
  groupID,
  locationOf,
  networkGroupOf,
  ownerOf,
  virtualNetworkID,
} from "../../azure-cluster/spec-view.ts";
import { block, next, type Outcome, waiting } from "@capstan/runtime";
import { AzureError, failureOf, isGone, normalizedId, SETTLE_MS } from "@capstan/azure";
import type { JsonObject } from "@capstan/api";
import { decideDeletion, type Deletion } from "./operations/decide-deletion.ts";
import { poolsOf } from "../../azure-cluster/members.ts";
import { readResource, together } from "./observe.ts";
import { follow, type Round, start } from "./operations/operations.ts";
import type { Scope } from "./scope.ts";

const DELETING = "Deleting";
// The deletion of a pool enqueues the cluster; this interval covers missed events.
const POOLS_POLL_MS = 30_000;

/**
 * Waits until the pools are deleted: they need this object to find their scale sets and the identity to delete them. The
 * Cluster controller keeps this order; this phase keeps it for a user who deletes all objects at once.
 */
export function awaitPools({ context, plan }: Scope): Outcome {
  const { namespace } = context.object.metadata;
  const pools = poolsOf(context.cache, { name: plan.clusterName, namespace });
  if (pools.length === 0) return next;
  const names = pools.map(({ metadata }) => metadata.name).toSorted();
  const message = `Waiting for the AzureMachinePools in the network to be deleted: ${names.join(", ")}`;
  throw waiting("WaitingForMachinePools", message, POOLS_POLL_MS);
}

/**
 * Deletes all resources of the cluster. It first waits for running operations, because they may still create a resource
 * that must be deleted.
 */
export async function deleteResources(scope: Scope): Promise<Outcome> {
  scope.context.setCondition({
    type: "NetworkInfrastructureReady",
    status: "False",
    severity: "Info",
    reason: DELETING,
  });
  if (scope.isUntouched) return through(scope);
  try {
    const waitMs = outcomeOf(await follow(scope, "DELETE"));
    if (waitMs !== undefined) return block(waitMs, DELETING);
    const deletions = await toDelete(scope);
    if (deletions.length === 0) return afterEmptyLook(scope);
    scope.memory.emptySinceMs = undefined;
    const desired = deletions.map(({ resourceID }) => ({ verb: "DELETE" as const, resourceID }));
    return block(outcomeOf(await start(scope, desired)) ?? 0, DELETING);
  } catch (error) {
    throw failureOf(error, "deleting the network");
  }
}

function outcomeOf({ failures, retryAfterMs }: Round): number | undefined {
  const [failure] = failures;
  // While other deletions run, the pass waits for them; a refusal comes again and is reported then.
  if (failure && retryAfterMs === undefined) throw failure.error;
  return retryAfterMs;
}

/**
 * No resource of the cluster is visible any more. A read may miss a new resource for some seconds, so a cluster that was
 * not finished is read once more.
 */
function afterEmptyLook(scope: Scope): Outcome {
  const { memory, context, cluster } = scope;
  const nowMs = context.env.clock.monotonic();
  memory.emptySinceMs ??= nowMs;
  const leftMs = memory.emptySinceMs + SETTLE_MS - nowMs;
  return cluster.status?.ready === true || leftMs <= 0 ? through(scope) : block(leftMs, DELETING);
}

function through({ shared, cluster }: Scope): Outcome {
  shared.memory.forget(cluster.metadata.uid ?? "");
  return next;
}

/**
 * The next resources to delete, decided on a live read: one read of the group and one list of its resources. The tags in
 * the list show the owner of each resource, including resources that are no longer in the spec.
 */
async function toDelete(scope: Scope): Promise<readonly Deletion[]> {
  const { plan, arm } = scope;
  const own = groupID(plan, clusterGroupOf(plan));
  const other = groupID(plan, networkGroupOf(plan));
  const { body: group } = await readResource(arm, own, locationOf(plan));
  const groups = [...(group ? [own] : []), ...(normalizedId(other) === normalizedId(own) ? [] : [other])];
  const lists = await together(groups.map((id) => contentsOf(scope, id)));
  const network = virtualNetworkID(plan);
  const scene = {
    owner: ownerOf(plan),
    groupID: own,
    group,
    networkID: network === undefined ? undefined : normalizedId(network),
  };
  const deletions = decideDeletion({ ...scene, resources: lists.flat() });
  if (deletions.length > 0 || groups.length === 0) return deletions;
  return decideDeletion({ ...scene, resources: await stillThere(scope) });
}

/** Reads the resources of the spec one by one, because a wrongly empty list would leave all of them behind. */
async function stillThere({ arm, plan, desired }: Scope): Promise<readonly JsonObject[]> {
  const readings = await together(desired.map(({ id }) => readResource(arm, id, locationOf(plan))));
  return readings.flatMap(({ body }) => (body ? [body] : []));
}

async function contentsOf({ arm }: Scope, group: string): Promise<readonly JsonObject[]> {
  try {
    const { items } = await arm.list(`${group}/resources`, { priority: "normal" });
    for (const { id } of items) checkInside(String(id), group);
    return items;
  } catch (error) {
    if (isGone(error)) return [];
    throw error;
  }
}

/** A resource outside the listed group must not be deleted because of a wrong answer. */
function checkInside(id: string, group: string): void {
  if (normalizedId(id).startsWith(normalizedId(`${group}/`))) return;
  const message = `Azure answered a list of the resources of ${group} with ${id}`;
  throw new AzureError({ class: "Transient", code: "AnswerAboutAnotherResource", message });
}
