import { again, type Outcome } from "@capstan/runtime";
import type { DesiredWrite } from "@capstan/azure";
import { keepsModelOfSet, type PoolAction } from "@capstan/plan";
import { type FreshData, freshData } from "./bootstrap-data.ts";
import { startOnSet } from "./operations.ts";
import { heldForMs, noteRejected } from "./rejected-writes.ts";
import { mergedBody } from "../model/merge-body.ts";
import { BOOTSTRAP_TAG, scaleSetBody, type ObservedSet } from "../model/body.ts";
import { modelToSend } from "../model/boot-image.ts";
import type { NormalScope, Observation } from "../scope.ts";
import { desiredTags } from "../model/tags.ts";

/** The size that a write of the scale set sets, and why. */
export interface PutOptions {
  readonly capacity: number;
  readonly why: string;
}

/** New bootstrap data enqueues the pool; the requeue only covers an event that was missed. */
export const DATA_MS = 15_000;

/**
 * Writes the scale set with the desired model, a size, and bootstrap data that new machines can join with. While Azure's limit
 * of models does not allow the desired one, the set keeps its model and only the size is written.
 */
export async function putModel(
  scope: NormalScope,
  { set, view }: Observation,
  { capacity, why }: PutOptions,
): Promise<Outcome> {
  const kept = keepsModelOfSet(view) ? set : undefined;
  const heldMs = kept ? 0 : heldForMs(scope);
  if (heldMs > 0) return again(heldMs, "WaitingForAzure");
  const model = (kept && view.setHash) ?? scope.desired.hash.hash;
  const data = await freshData(scope, { model, from: view.capacity, to: capacity });
  if (!data) return again(DATA_MS, "WaitingForBootstrapData");
  const write = kept
    ? resizeOf(scope, kept, { capacity, stamp: data.stamp })
    : writeOf(scope, set, { capacity, ...data });
  const waitMs = await startOnSet(scope, write);
  recordWrite(scope, set ? "ScaleSetUpdated" : "ScaleSetCreated", why);
  return again(waitMs, "OperationRunning");
}

/** Records an event if Azure has accepted the write. */
function recordWrite({ pool, context }: NormalScope, reason: string, why: string): void {
  if (!pool.status?.operation) return;
  context.event({ type: "Normal", reason, message: `Writing the scale set: ${why}` });
}

function writeOf(
  scope: NormalScope,
  set: ObservedSet | undefined,
  { capacity, customData, stamp }: FreshData & { readonly capacity: number },
): DesiredWrite {
  const { hash } = scope.desired;
  const tags = { ...desiredTags(scope, set?.tags ?? {}, hash.hash), [BOOTSTRAP_TAG]: stamp };
  const model = modelToSend(scope, set);
  const desired = scaleSetBody(scope.pool, { model, capacity, tags, customData });
  return {
    verb: "PUT",
    resourceID: scope.azureTarget.scaleSetID,
    body: set ? mergedBody(set.body, desired) : desired,
    instances: Math.abs(capacity - (set?.capacity ?? 0)),
    // With the etag a change by another client, such as an autoscaler, is not overwritten.
    ...(set ? etagOf(set) : { isNew: true }),
  };
}

/**
 * A write of the size alone. All machines of a model join with the same token, whose expiry was just extended: the bootstrap
 * data in the set is still valid, and new data would create another model.
 */
function resizeOf(
  scope: NormalScope,
  set: ObservedSet,
  { capacity, stamp }: { readonly capacity: number; readonly stamp: string },
): DesiredWrite {
  const tags = { ...desiredTags(scope, set.tags, set.modelHash), [BOOTSTRAP_TAG]: stamp };
  return {
    verb: "PATCH",
    resourceID: scope.azureTarget.scaleSetID,
    body: { tags, sku: { name: set.size, tier: "Standard", capacity } },
    instances: Math.abs(capacity - set.capacity),
    ...etagOf(set),
  };
}

function etagOf({ etag }: ObservedSet): { readonly etag?: string } {
  return etag === undefined ? {} : { etag };
}

/**
 * Patches our tags and no others: neither the model nor any machine changes. The patch is synchronous and idempotent, so it
 * needs no record.
 */
export async function writeTags(
  scope: NormalScope,
  { set, remove }: Extract<PoolAction, { action: "PatchTags" }>["detail"],
): Promise<Outcome> {
  const heldMs = heldForMs(scope);
  if (heldMs > 0) return again(heldMs, "WaitingForAzure");
  const { arm, scaleSetID, location } = scope.azureTarget;
  try {
    for (const [operation, tags] of [["Delete", remove] as const, ["Merge", set] as const]) {
      if (Object.keys(tags).length === 0) continue;
      const body = { operation, properties: { tags } };
      await arm.patch(`${scaleSetID}/providers/Microsoft.Resources/tags/default`, body, { location });
    }
  } catch (error) {
    return again(noteRejected(scope, error), "WaitingForAzure");
  }
  scope.poolCache.azure.forgetSet(scaleSetID);
  return again(0, "TagsWritten");
}
