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
  /** If true, nothing of the forecast happens until the pool is resumed. */
  readonly isPaused: boolean;
  /** What keeps the whole forecast from happening. */
  readonly standstill: PoolBlock | undefined;
  /** Whether the pool is being deleted and still has machines. */
  readonly losesMachines: boolean;
  readonly changes: readonly FieldChange[];
  /** The forecast with the median duration of every step. */
  readonly typical: Forecast;
  /** The duration if every step is as slow as the slowest tenth. */
  readonly slowMs: number;
  readonly blocked: readonly (Blocked | Obstacle | PoolBlock)[];
  /** What the durations leave out: drains that a disruption budget holds up. */
  readonly heldDrains: readonly string[];
  readonly notes: readonly string[];
}

/** Simulates the rollout that a change starts; a pause delays it and changes nothing else. */
export function forecastChange(
  { before, after, hasCluster }: ProposedPool,
  obstacles: readonly Obstacle[],
  nowMs: number,
): PoolForecast {
  refuseImpossibleSize(after.machinePool);
  const { view, notes } = observedPool(after, nowMs);
  const { minReadySeconds = 0 } = after.machinePool.spec;
  const standstill = standstillOf(after, view) ?? (hasCluster ? undefined : missingClusterOf(after));
  // To the planner, a pool at a standstill looks like a paused one.
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

/**
 * When a disruption budget will allow an eviction is unknown, so durations exclude that wait; this line states its
 * limit.
 */
function heldDrains(inTheWay: readonly Obstacle[], patience: string | undefined): readonly string[] {
  const held = new Set(inTheWay.flatMap(({ targets }) => targets)).size;
  if (held === 0) return [];
  const wait = patience === undefined ? "until their budgets allow evictions" : `up to ${patience} each`;
  return [`not in these times: the drains of ${counted(held, "machine")} that wait ${wait}`];
}

/** Only disrupted machines are drained, so only their obstacles count. */
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
