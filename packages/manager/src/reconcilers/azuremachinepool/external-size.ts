import { type AzureMachinePool, isJsonObject, type JsonObject } from "@capstan/api";
import type { DesiredOperation } from "@capstan/azure";
import type { Budget, MachineView, PoolAction, PoolPlan, PoolView } from "@capstan/plan";

const CHANGES_SIZE: ReadonlySet<PoolAction["action"]> = new Set(["DeleteMachine", "PutModel", "SetCapacity"]);

/** The status fields about the size of a pool that an autoscaler scales. */
type ExternalSize = Pick<NonNullable<AzureMachinePool["status"]>, "externalReplicas" | "externalCapacity">;

/**
 * The size that an autoscaler has set while the pool controller replaces machines: a capacity other than the one that our
 * last write left is the autoscaler's. If that is unknown, because a write failed, a capacity that is none of the `possible`
 * ones is; if those are unknown too, nothing is concluded.
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

/** The capacity of the scale set after our write, if that is known. */
export function capacityAfter(desired: DesiredOperation, before: number | undefined): number | undefined {
  if (desired.verb === "DELETE") return before;
  if (desired.verb !== "POST") return capacityIn(desired.body);
  // Azure lowers the capacity when it accepts the deletion of instances.
  const { action, instanceIDs = [] } = desired;
  return action === "delete" && before !== undefined ? before - instanceIDs.length : before;
}

function capacityIn({ sku }: JsonObject): number | undefined {
  const capacity = isJsonObject(sku) ? sku["capacity"] : undefined;
  return typeof capacity === "number" ? capacity : undefined;
}

/**
 * The number of machines that an autoscaler wants, while it has to be recorded. The autoscaler sets only the capacity of the
 * scale set, which replacing machines lowers and raises as well. So the status keeps the number from before the first
 * replacement until all are done and the pool has that many machines again.
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

function isWhole({ operation, capacity }: PoolView, { live }: Budget, desired: number): boolean {
  return operation === undefined && live >= desired && live === capacity;
}
