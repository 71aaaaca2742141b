import { again, next, type Outcome } from "@capstan/runtime";
import type { WantedWrite } from "../../azure/operations/wanted.ts";
import { isExternallyScaled } from "../../contract/pool-spec.ts";
import { isModelHeld } from "../../rollout/scale-set/models.ts";
import { type FreshData, freshData, isRenewed, isStillFresh } from "./fresh-data.ts";
import { refused, startOnSet, desiredStateKey } from "./operations.ts";
import { BOOTSTRAP_TAG, scaleSetBody, type SeenSet } from "./scale-set-body.ts";
import { needed, type Scope, type Observation } from "./scope.ts";
import { tagsToWrite, wantedTags } from "./tags.ts";

/** What a write of the scale set is for. */
export interface PutOptions {
  readonly capacity: number;
  readonly why: string;
}

// Whoever makes the data wakes the pool; this is for a maker that has died.
const DATA_MS = 15_000;

/**
 * Brings the scale set to the wanted model and a size, with bootstrap data that its new machines can join with. While the
 * wanted model waits because Azure would have one too many, the set keeps the model that it has.
 */
export async function putModel(scope: Scope, { capacity, why }: PutOptions): Promise<Outcome> {
  const { pool, context } = scope;
  const { set, view } = needed(scope.observation);
  const isKept = isModelHeld(view);
  const heldMs = isKept ? 0 : heldFor(scope);
  if (heldMs > 0) return again(heldMs, "WaitingForAzure");
  const model = isKept ? needed(view.setHash) : needed(scope.desired).hash.hash;
  const data = await freshData(scope, { model, from: view.capacity, to: capacity });
  if (!data) return again(DATA_MS, "WaitingForBootstrapData");
  const waitMs = await startOnSet(scope, (isKept ? resizeOf : writeOf)(scope, capacity, data));
  if (pool.status?.operation) {
    const reason = set ? "ScaleSetUpdated" : "ScaleSetCreated";
    context.event({ type: "Normal", reason, message: `Writing the scale set: ${why}` });
  }
  return again(waitMs, "OperationRunning");
}

function writeOf(scope: Scope, capacity: number, { customData, stamp }: FreshData): WantedWrite {
  const { set } = needed(scope.observation);
  const { model, hash } = needed(scope.desired);
  const tags = { ...wantedTags(scope, set?.tags ?? {}, hash.hash), [BOOTSTRAP_TAG]: stamp };
  return {
    verb: "PUT",
    resourceID: needed(scope.azureTarget).scaleSetID,
    body: scaleSetBody(scope.pool, { model, capacity, tags, customData }),
    instances: Math.abs(capacity - (set?.capacity ?? 0)),
    // Whoever else changes the set meanwhile, such as an autoscaler, is not overwritten.
    ...(set ? etagOf(set) : { isNew: true }),
  };
}

/**
 * A write of the size alone. All machines of a model join with the same token, which has just been given more time: the
 * data that the set has is as good as the data that it would get, which would make another model of it.
 */
function resizeOf(scope: Scope, capacity: number, { stamp }: FreshData): WantedWrite {
  const set = needed(needed(scope.observation).set);
  const tags = { ...wantedTags(scope, set.tags, set.modelHash), [BOOTSTRAP_TAG]: stamp };
  return {
    verb: "PATCH",
    resourceID: needed(scope.azureTarget).scaleSetID,
    body: { tags, sku: { name: set.size, tier: "Standard", capacity } },
    instances: Math.abs(capacity - set.capacity),
    ...etagOf(set),
  };
}

function etagOf({ etag }: SeenSet): { readonly etag?: string } {
  return etag === undefined ? {} : { etag };
}

/** How long a write that Azure has refused is not tried again, unless something else is wanted now. */
function heldFor(scope: Scope): number {
  const { refusal } = scope.memory;
  if (!refusal || refusal.desiredStateKey !== desiredStateKey(scope)) return 0;
  scope.trouble = refusal.error;
  return refusal.retryAtMs - scope.context.env.clock.monotonic();
}

/**
 * Machines that are updated in place join anew. Where they could not with the bootstrap data that the scale set has, that
 * is written anew first.
 */
export async function renewForUpdates(scope: Scope, { set }: Observation): Promise<Outcome> {
  if (isStillFresh(scope, set?.tags[BOOTSTRAP_TAG])) return next;
  if (scope.pool.status?.operation) return again(DATA_MS, "OperationRunning");
  const why = "fresh bootstrap data, with which machines rejoin after an update in place";
  return putModel(scope, { capacity: set?.capacity ?? 0, why });
}

/** Pools whose machines come without us asking for them must have good bootstrap data at any time. */
export function needsRenewal(scope: Scope, { set, view }: Observation): boolean {
  const { pool, owners } = scope;
  const isSpot = pool.spec.template.spotVMOptions !== undefined;
  const isAlwaysGood = isSpot || isExternallyScaled(needed(owners).machinePool);
  return (
    set !== undefined &&
    isAlwaysGood &&
    view.setHash === view.wantedHash &&
    isRenewed(scope, set.tags[BOOTSTRAP_TAG])
  );
}

/** Whether only tags of the scale set are not as they should be. */
export function needsPatchOfTags(scope: Scope, observation: Observation): boolean {
  return observation.isLiveRead && tagsToWrite(scope, observation) !== undefined;
}

/**
 * Writes the tags alone, ours and no others: neither the model nor any machine is touched by that. It is done at once,
 * and doing it twice changes nothing, so that it needs no record.
 */
export async function patchTags(scope: Scope, { set }: Observation): Promise<Outcome> {
  const wanted = tagsToWrite(scope, { set });
  if (!set || !wanted) return next;
  const heldMs = heldFor(scope);
  if (heldMs > 0) return again(heldMs, "WaitingForAzure");
  const { arm, scaleSetID, location } = needed(scope.azureTarget);
  const entries = Object.entries(wanted).filter(([name, value]) => set.tags[name] !== value);
  const leaving = Object.entries(set.tags).filter(([name]) => !(name in wanted));
  try {
    for (const [operation, tags] of [["Delete", leaving] as const, ["Merge", entries] as const]) {
      if (tags.length === 0) continue;
      const body = { operation, properties: { tags: Object.fromEntries(tags) } };
      await arm.patch(`${scaleSetID}/providers/Microsoft.Resources/tags/default`, body, { location });
    }
  } catch (error) {
    return again(refused(scope, error), "WaitingForAzure");
  }
  scope.memory.forgetSet(scaleSetID);
  return again(0, "TagsWritten");
}
