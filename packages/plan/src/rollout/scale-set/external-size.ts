import type { AzureMachinePool } from "@capstan/api";
import type { PoolAction } from "./action.ts";
import type { Budget } from "./budget.ts";
import type { PoolPlan } from "./plan.ts";
import type { MachineView, PoolView } from "./view.ts";

const CHANGES_SIZE: ReadonlySet<PoolAction["action"]> = new Set(["DeleteMachine", "PutModel", "SetCapacity"]);

/** The status fields about the size of a pool that an autoscaler scales. */
type ExternalSize = Pick<NonNullable<AzureMachinePool["status"]>, "externalReplicas" | "externalCapacity">;

/**
 * The size that an autoscaler has set while the pool controller replaces machines. If the capacity differs from the one that
 * our last write set, an autoscaler changed it. After a failed write compare with all capacities it may have left
 * (`possible`); if there are none, assume no change.
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
    view.machines.some(isDisrupted) ||
    actions.some(({ action }) => CHANGES_SIZE.has(action));
  if (isAtWork) return known ?? view.desired;
  return known === undefined || isComplete(view, budget, known) ? undefined : known;
}

function isDisrupted({ isDeleting, picked }: MachineView): boolean {
  return isDeleting || picked !== undefined;
}

function isComplete({ operation, capacity }: PoolView, { live }: Budget, desired: number): boolean {
  return operation === undefined && live >= desired && live === capacity;
}
