import type { AzureMachinePoolMachine, Frozen } from "@capstan/api";
import {
  factsFromStatus,
  type MachineFacts,
  type Plan,
  planPool,
  type PoolView,
  poolView,
  type SetFacts,
  type WorkloadFacts,
} from "@capstan/manager";
import { titleOf } from "./given-objects.ts";
import type { PoolParts } from "./pool-parts.ts";
import { wantedModel } from "./wanted-model.ts";

/** A pool as the planner sees it, and what had to be assumed for that. */
export interface ObservedPool {
  readonly view: PoolView;
  readonly notes: readonly string[];
}

/** A pool, what its controllers would do next, and what had to be assumed to say so. */
export interface PlannedPool extends ObservedPool {
  readonly plan: Plan;
}

/** Plans the next steps of a pool with the functions that its controllers use; instances are what statuses say. */
export function planFor(parts: PoolParts, nowMs: number): PlannedPool {
  const observed = observedPool(parts, nowMs);
  return { ...observed, plan: planPool(observed.view) };
}

/** What the planner sees of a pool, from its objects alone. */
export function observedPool(parts: PoolParts, nowMs: number): ObservedPool {
  const { pool, machinePool, machines, cluster } = parts;
  const { wanted, note } = wantedModel(parts);
  const scaleSet = setFactsOf(parts, wanted.hash);
  const view = poolView({
    pool,
    machinePool,
    machines: machines.map((machine) => machineFacts(machine, scaleSet)),
    scaleSet,
    wanted,
    workload: workloadOf(machines),
    nowMs,
  });
  const isPaused = view.isPaused || cluster?.spec.paused === true;
  return { view: { ...view, isPaused }, notes: note === undefined ? [] : [`${titleOf(pool)}: ${note}`] };
}

/**
 * The scale set as statuses tell of it. Its capacity is in none of them: Azure counts the instances that it was not
 * asked to delete. A set that another provider made has no stamp; then it has what its pool wants.
 */
function setFactsOf({ pool, machines }: PoolParts, wantedHash: string): SetFacts | undefined {
  const { modelHash } = pool.status ?? {};
  if (modelHash === undefined && machines.length === 0) return undefined;
  const live = machines.filter(({ status }) => status?.provisioningState !== "Deleting");
  return { capacity: live.length, modelHash: modelHash ?? wantedHash };
}

/** An instance that has the newest model has that of the scale set, also where nobody stamped it. */
function machineFacts(
  machine: Frozen<AzureMachinePoolMachine>,
  scaleSet: SetFacts | undefined,
): MachineFacts {
  const facts = factsFromStatus(machine);
  const { instance } = facts;
  if (instance?.isLatestModel !== true || !scaleSet) return facts;
  return { ...facts, instance: { ...instance, modelHash: scaleSet.modelHash } };
}

function workloadOf(machines: readonly Frozen<AzureMachinePoolMachine>[]): WorkloadFacts {
  const joined = machines.filter(({ status }) => status?.nodeRef !== undefined);
  return {
    isReachable: true,
    nodes: joined.length,
    notReady: joined.filter(({ status }) => status?.ready !== true).length,
  };
}
