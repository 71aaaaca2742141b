import { KubeadmConfig } from "@capstan/api";
import {
  type Blocked,
  type Forecast,
  forecastPool,
  isDisruptive,
  planPool,
  type PoolView,
  type VersionFinding,
  versionFindings,
} from "@capstan/plan";
import { drawnTimes, medianTimes, type TimeFacts } from "../times/expected-times.ts";
import { counted } from "../../render/amounts.ts";
import { drainPatience, type Obstacle, type ObstacleReport } from "./obstacles.ts";
import type { PoolBlock } from "../print/pool-block.ts";
import type { PoolParts } from "./pool-parts.ts";
import { observedPool } from "./pool-plan.ts";
import { refuseImpossibleSize } from "./pool-size.ts";
import type { ProposedPool } from "./proposed-pools.ts";
import { missingClusterOf, standstillOf, unjoinableOf } from "./standstill.ts";
import { changesBetween, type FieldChange } from "../read/spec-changes.ts";

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
  /** The waves and counts if every step takes as long as half of them do. */
  readonly typical: Forecast;
  /** Half of the runs are faster than this. */
  readonly typicalMs: number;
  /** Nine of ten runs are faster than this. */
  readonly slowMs: number;
  readonly blocked: readonly (Blocked | Obstacle | PoolBlock)[];
  /** What the durations leave out: drains that a disruption budget holds up. */
  readonly heldDrains: readonly string[];
  readonly notes: readonly string[];
}

/** Simulates the rollout that a change starts; a pause delays it and changes nothing else. */
export function forecastChange(
  { before, after, hasCluster, controlPlaneVersion }: ProposedPool,
  { obstacles, hasNoPods }: Omit<ObstacleReport, "note">,
  nowMs: number,
): PoolForecast {
  refuseImpossibleSize(after.machinePool);
  const { view, notes } = observedPool(after, nowMs);
  const { minReadySeconds = 0 } = after.machinePool.spec.template.spec;
  const findings = findingsOf({ before, after, controlPlaneVersion });
  const missing = hasCluster ? undefined : missingClusterOf(after);
  const standstill = standstillOf(after, view) ?? missing ?? unjoinableOf(after, findings);
  // To the planner, a pool at a standstill looks like a paused one.
  const begun = { ...view, isPaused: standstill !== undefined };
  const facts = { minReadySeconds, ...(hasNoPods !== undefined && { hasNoPods }) };
  const typical = forecastPool(begun, medianTimes(facts));
  const durations = drawnDurations(begun, facts);
  const pause = view.isPaused ? planPool(view).blocked : [];
  const inTheWay = inTheWayOf(typical, obstacles);
  return {
    namespace: view.namespace,
    name: view.name,
    isNew: before === undefined,
    isPaused: view.isPaused,
    standstill,
    losesMachines: standstill?.reason === "BeingDeleted" && view.machines.length > 0,
    changes: changesOf(before, after),
    typical,
    ...durations,
    blocked: [...pause, ...(standstill ? [standstill] : typical.blocked), ...inTheWay],
    heldDrains: heldDrains(inTheWay, drainPatience(after)),
    notes: [...notes, ...findings.filter(({ isBlocking }) => !isBlocking).map(({ why }) => why)],
  };
}

/** The changed fields of a pool that exists. */
function changesOf(before: PoolParts | undefined, after: PoolParts): readonly FieldChange[] {
  if (!before) return [];
  return [
    ...changesBetween(before.pool.spec, after.pool.spec, "AzureMachinePool spec"),
    ...changesBetween(before.machinePool.spec, after.machinePool.spec, "MachinePool spec"),
    ...changesBetween(before.azureCluster?.spec, after.azureCluster?.spec, "AzureCluster spec"),
  ];
}

/** What speaks against the Kubernetes version of the pool after the change. */
function findingsOf({
  before,
  after,
  controlPlaneVersion: controlPlane,
}: Omit<ProposedPool, "hasCluster">): readonly VersionFinding[] {
  const { version: to, bootstrap } = after.machinePool.spec.template.spec;
  const from = before?.machinePool.spec.template.spec.version;
  return versionFindings({
    from,
    to,
    controlPlane,
    hasPreflight: false,
    usesKubeadm: bootstrap.configRef?.kind === KubeadmConfig.kind,
  });
}

// Enough for a tenth to be more than one run.
const RUNS = 21;
// A run plans again after every event, so runs of large pools are few; their durations differ less, too.
const MACHINES_OF_ALL_RUNS = 1_000;
const RUNS_AT_LEAST = 3;

/**
 * Machines are not equally fast, and a write of the scale set ends with its slowest instance. So the duration comes from
 * several runs, each with other draws, and not from one run of medians.
 */
function drawnDurations(view: PoolView, facts: TimeFacts): Pick<PoolForecast, "typicalMs" | "slowMs"> {
  const affordable = Math.floor(MACHINES_OF_ALL_RUNS / Math.max(1, view.desired));
  const runs = Math.min(RUNS, Math.max(RUNS_AT_LEAST, affordable));
  const sorted = Array.from(
    { length: runs },
    (_, run) => forecastPool(view, drawnTimes(facts, String(run))).totals.durationMs,
  ).toSorted((left, right) => left - right);
  const at = (share: number): number => sorted[Math.floor(share * (runs - 1))] ?? 0;
  return { typicalMs: at(0.5), slowMs: at(0.9) };
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
