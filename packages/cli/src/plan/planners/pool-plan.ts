import { type AzureMachinePoolMachine, DELETE_MACHINE_ANNOTATION, type Frozen } from "@capstan/api";
import {
  factsFromStatus,
  instancesFromStatus,
  type MachineFacts,
  poolView,
  type SetFacts,
  tagsFromRecord,
  workloadFromStatus,
} from "@capstan/manager";
import {
  type Forecast,
  forecastPool,
  planPool,
  type PoolAction,
  type PoolPlan,
  type PoolView,
  type Totals,
} from "@capstan/plan";
import { type BlockedDrain, blockedDrains } from "./blocked-drains.ts";
import { titleOf } from "../read/given-objects.ts";
import type { PoolBlock } from "../print/pool-block.ts";
import { type PoolParts, rivalNotes } from "./pool-parts.ts";
import { refusalOf } from "../read/refusal.ts";
import { standstillOf } from "./standstill.ts";
import { desiredModel } from "./desired-model.ts";
import { medianTimes } from "../times/expected-times.ts";

/** A pool as the planner sees it, and the assumptions behind that. */
export interface ObservedPool {
  readonly view: PoolView;
  readonly notes: readonly string[];
}

/** A pool, what its controllers would do next, and the assumptions behind that. */
export interface PlannedPool extends ObservedPool {
  readonly plan: PoolPlan;
  /** What keeps its controllers from doing anything else. */
  readonly standstill: PoolBlock | undefined;
  /** What Azure or the controller has refused for good. */
  readonly refusal: PoolBlock | undefined;
  /** All of its rollout until its end; undefined while the pool stands still. */
  readonly course: Totals | undefined;
  /** The same step by step. */
  readonly forecast: Forecast | undefined;
  /** The machines whose drain is blocked. */
  readonly drains: readonly BlockedDrain[];
}

/** Forecasts the rollout of a pool that does not stand still. */
export type Forecaster = (parts: PoolParts, view: PoolView) => Forecast;

/** Plans the next steps of a pool with the functions that its controllers use; instances come from statuses. */
export function planFor(parts: PoolParts, nowMs: number, forecaster: Forecaster = forecastOf): PlannedPool {
  const observed = observedPool(parts, nowMs);
  const plan = planPool(observed.view);
  const actions = plan.actions.map((action) => withMarked(action, observed.view));
  const standstill = standstillOf(parts, observed.view);
  const forecast = standstill || observed.view.isPaused ? undefined : forecaster(parts, observed.view);
  return {
    ...observed,
    plan: standstill ? standstillPlan(plan) : { ...plan, actions },
    standstill,
    course: forecast?.totals,
    forecast,
    refusal: refusalOf(parts.pool),
    drains: blockedDrains(parts.machines),
  };
}

// Each step of a forecast plans the whole pool: 10,000 machines in 500 waves take 9 s. After ten waves the pace is known.
const MOST_MACHINE_STEPS = 100_000;
const FEWEST_WAVES = 10;

/** All steps, if every step takes as long as half of them do; of a large pool the first ones, and how long the rest takes. */
export function forecastOf(parts: PoolParts, view: PoolView): Forecast {
  const mostWaves = Math.max(FEWEST_WAVES, Math.floor(MOST_MACHINE_STEPS / (view.machines.length + 1)));
  return forecastPool(view, medianTimes({ minReadySeconds: minReadySecondsOf(parts) }), { mostWaves });
}

/** How long a Node must be Ready before its machine is available. */
export function minReadySecondsOf({ machinePool }: PoolParts): number {
  return machinePool.spec.template.spec.minReadySeconds ?? 0;
}

/** At a standstill the plan has no actions. A pause is kept, because it also holds up what is done instead. */
function standstillPlan(plan: PoolPlan): PoolPlan {
  return { ...plan, actions: [], blocked: plan.blocked.filter(({ reason }) => reason === "Paused") };
}

/** A machine beyond the desired number may replace one that a user has marked; names the marked one. */
function withMarked(action: PoolAction, { machines, desired }: PoolView): PoolAction {
  if (action.action !== "SetCapacity" && action.action !== "PutModel") return action;
  const marked = machines.filter(({ hasDeleteAnnotation, isDeleting }) => hasDeleteAnnotation && !isDeleting);
  const names = marked.flatMap(({ name }) => name ?? []);
  if (names.length === 0 || action.detail.to <= desired) return action;
  const why = `${action.why}; ${names.join(", ")} can be deleted then, which ${DELETE_MACHINE_ANNOTATION} asks for`;
  return { ...action, why };
}

/** The planner's view of a pool, from its objects alone. */
export function observedPool(parts: PoolParts, nowMs: number): ObservedPool {
  const { pool, machinePool, machines, cluster, azureCluster } = parts;
  const { desired, note } = desiredModel(parts);
  const scaleSet = setFactsOf(parts, desired.hash);
  const facts = machines.map((machine) => machineFacts(machine, scaleSet));
  const view = poolView({
    pool,
    machinePool,
    machines: facts,
    scaleSet,
    desired,
    workload: workloadFromStatus(facts),
    nowMs,
  });
  const isPaused = view.isPaused || cluster?.spec.paused === true;
  const tags = scaleSet && tagsFromRecord(pool, azureCluster);
  const instances = instancesFromStatus(pool, facts);
  const notes = [...rivalNotes(parts), ...(note === undefined ? [] : [`${titleOf(pool)}: ${note}`])];
  return { view: { ...view, isPaused, ...(tags && { tags }), instances }, notes };
}

/**
 * The scale set, from statuses. None of them has its capacity: it is the number of instances that Azure was not asked
 * to delete. A scale set that another provider created has no stamp; its model is taken for the desired one.
 */
function setFactsOf({ pool, machines }: PoolParts, desiredHash: string): SetFacts | undefined {
  const { modelHash, provisioningState } = pool.status ?? {};
  if (modelHash === undefined && machines.length === 0) return undefined;
  const live = machines.filter(({ status }) => status?.provisioningState !== "Deleting");
  return { capacity: live.length, modelHash: modelHash ?? desiredHash, provisioningState };
}

/** An instance with the latest model has the scale set's model, even if it carries no stamp. */
function machineFacts(
  machine: Frozen<AzureMachinePoolMachine>,
  scaleSet: SetFacts | undefined,
): MachineFacts {
  const facts = knownFacts(machine);
  const { instance } = facts;
  if (instance?.isLatestModel !== true || !scaleSet) return facts;
  return { ...facts, instance: { ...instance, modelHash: scaleSet.modelHash } };
}

// Machines of a watch are frozen, and read again with each change of any other one of them.
const KNOWN = new WeakMap<Frozen<AzureMachinePoolMachine>, MachineFacts>();

function knownFacts(machine: Frozen<AzureMachinePoolMachine>): MachineFacts {
  const known = KNOWN.get(machine);
  if (known) return known;
  const facts = factsFromStatus(machine);
  if (Object.isFrozen(machine)) KNOWN.set(machine, facts);
  return facts;
}
