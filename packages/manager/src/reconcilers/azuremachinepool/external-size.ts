import { type AzureMachinePool, isJsonObject } from "@capstan/api";
import type { Wanted } from "../../azure/operations/wanted.ts";
import type { JsonObject } from "../../azure/port.ts";
import type { PoolAction } from "../../rollout/scale-set/action.ts";
import type { Budget } from "../../rollout/scale-set/budget.ts";
import type { PoolPlan } from "../../rollout/scale-set/plan.ts";
import type { MachineView, PoolView } from "../../rollout/scale-set/view.ts";

const CHANGES_SIZE: ReadonlySet<PoolAction["action"]> = new Set(["DeleteMachine", "PutModel", "SetCapacity"]);

/** What is remembered of the size of a pool that an autoscaler scales, in its status. */
type ExternalSize = Pick<NonNullable<AzureMachinePool["status"]>, "externalReplicas" | "externalCapacity">;

/**
 * What the autoscaler has made of the size while we are at work: a capacity that is not the one that we left the scale
 * set at is its wish. Where that is not known, because a write of ours has failed, it is whatever lies beyond the
 * `possible` ones; and where those are not known either, nothing is concluded.
 */
export function resizedByOthers(
  { externalReplicas, externalCapacity }: ExternalSize,
  capacity: number,
  possible: readonly number[],
): ExternalSize {
  if (externalReplicas === undefined) return {};
  const ours = externalCapacity === undefined ? possible : [externalCapacity];
  const isOurs = ours.length === 0 || (Math.min(...ours) <= capacity && capacity <= Math.max(...ours));
  return { externalReplicas: isOurs ? externalReplicas : capacity, externalCapacity: capacity };
}

/** The capacity that the scale set has after a write of ours, where that is known. */
export function capacityAfter(wanted: Wanted, before: number | undefined): number | undefined {
  if (wanted.verb === "DELETE") return before;
  if (wanted.verb !== "POST") return capacityIn(wanted.body);
  // Azure takes instances off the capacity when it agrees to delete them.
  const { action, instanceIDs = [] } = wanted;
  return action === "delete" && before !== undefined ? before - instanceIDs.length : before;
}

function capacityIn({ sku }: JsonObject): number | undefined {
  const capacity = isJsonObject(sku) ? sku["capacity"] : undefined;
  return typeof capacity === "number" ? capacity : undefined;
}

/**
 * How many machines an autoscaler wants, as far as that must be remembered. It sets nothing but the capacity of the scale
 * set, which replacing machines lowers and raises as well. So its number is kept from before we begin until all is done
 * and as many are there again.
 */
export function recordedSize(
  view: PoolView,
  { actions, budget }: PoolPlan,
  known: number | undefined,
): number | undefined {
  if (!view.isExternallyScaled || view.setHash === undefined) return undefined;
  const isAtWork =
    budget.outdated > 0 ||
    view.machines.some(isInOurHands) ||
    actions.some(({ action }) => CHANGES_SIZE.has(action));
  if (isAtWork) return known ?? view.desired;
  return known === undefined || isWhole(view, budget, known) ? undefined : known;
}

function isInOurHands({ isDeleting, picked }: MachineView): boolean {
  return isDeleting || picked !== undefined;
}

function isWhole({ operation, capacity }: PoolView, { live }: Budget, wanted: number): boolean {
  return operation === undefined && live >= wanted && live === capacity;
}
