import { type Blocked, type Forecast, forecastPool, isDisruptive, planPool } from "@capstan/manager";
import { expectedTimes } from "./expected-times.ts";
import { counted } from "../render/amounts.ts";
import { drainPatience, type Obstacle } from "./obstacles.ts";
import type { PoolBlock } from "./pool-block.ts";
import { observedPool } from "./pool-plan.ts";
import { refuseImpossibleSize } from "./pool-size.ts";
import type { ProposedPool } from "./proposed-pools.ts";
import { missingClusterOf, standstillOf } from "./standstill.ts";
import { changesBetween, type FieldChange } from "./spec-changes.ts";

/** What a change would do to a pool. */
export interface PoolForecast {
  readonly namespace: string;
  readonly name: string;
  readonly isNew: boolean;
  /** Then nothing of the forecast happens until it is resumed. */
  readonly isPaused: boolean;
  /** What keeps all of it from happening. */
  readonly standstill: PoolBlock | undefined;
  /** Whether the pool is being deleted, with machines that it still has. */
  readonly losesMachines: boolean;
  readonly changes: readonly FieldChange[];
  /** As it goes when every step takes as long as half of them do. */
  readonly typical: Forecast;
  /** How long it takes when every step is as slow as one in ten. */
  readonly slowMs: number;
  readonly blocked: readonly (Blocked | Obstacle | PoolBlock)[];
  /** What the times leave out: drains that a budget holds up. */
  readonly heldDrains: readonly string[];
  readonly notes: readonly string[];
}

/** Goes through the rollout that a change starts; a pause puts it off and takes nothing of it away. */
export function forecastChange(
  { before, after, hasCluster }: ProposedPool,
  obstacles: readonly Obstacle[],
  nowMs: number,
): PoolForecast {
  refuseImpossibleSize(after.machinePool);
  const { view, notes } = observedPool(after, nowMs);
  const { minReadySeconds = 0 } = after.machinePool.spec;
  const standstill = standstillOf(after, view) ?? (hasCluster ? undefined : missingClusterOf(after));
  // For the planner a pool that rests for whatever reason is one that is paused.
  const begun = { ...view, isPaused: standstill !== undefined };
  const typical = forecastPool(begun, expectedTimes("p50", minReadySeconds));
  const slow = forecastPool(begun, expectedTimes("p90", minReadySeconds));
  const pause = view.isPaused ? planPool(view).blocked : [];
  const inTheWay = inTheWayOf(typical, obstacles);
  return {
    namespace: view.namespace,
    name: view.name,
    isNew: before === undefined,
    isPaused: view.isPaused,
    standstill,
    losesMachines: standstill?.reason === "BeingDeleted" && view.machines.length > 0,
    changes: before
      ? [
          ...changesBetween(before.pool.spec, after.pool.spec, "AzureMachinePool spec"),
          ...changesBetween(before.machinePool.spec, after.machinePool.spec, "MachinePool spec"),
        ]
      : [],
    typical,
    slowMs: slow.totals.durationMs,
    blocked: [...pause, ...(standstill ? [standstill] : typical.blocked), ...inTheWay],
    heldDrains: heldDrains(inTheWay, drainPatience(after)),
    notes,
  };
}

/** Nobody knows when a budget allows something again, so that no time has it; says what it may come to. */
function heldDrains(inTheWay: readonly Obstacle[], patience: string | undefined): readonly string[] {
  const held = new Set(inTheWay.flatMap(({ targets }) => targets)).size;
  if (held === 0) return [];
  const wait =
    patience === undefined ? "for as long as their budgets allow nothing" : `up to ${patience} each`;
  return [`not in these times: the drains of ${counted(held, "machine")} that wait ${wait}`];
}

/** Only what is disrupted is drained. */
function inTheWayOf({ waves }: Forecast, obstacles: readonly Obstacle[]): readonly Obstacle[] {
  const disrupted = new Set(
    waves.flatMap(({ actions }) =>
      actions.flatMap(({ action }) => (isDisruptive(action) ? action.targets : [])),
    ),
  );
  return obstacles.flatMap((obstacle) => {
    const targets = obstacle.targets.filter((name) => disrupted.has(name));
    return targets.length === 0 ? [] : [{ ...obstacle, targets }];
  });
}
