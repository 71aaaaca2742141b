import { AzureError, DEFAULT_RETRY_AFTER_MS, failureOf, isFinal } from "@capstan/azure";
import {
  hasOtherTags,
  isHalted,
  isOfRollout,
  missingNames,
  observeMissing,
  planPool,
  type PoolAction,
  type PoolView,
} from "@capstan/plan";
import { block, explainedBy, next, type Outcome, terminal } from "@capstan/runtime";
import { nodesIfReachable } from "../../../workload/sources.ts";
import { foreignProblem, type ObservedSet } from "../model/body.ts";
import { bootImageView } from "../model/boot-image.ts";
import { tagsView } from "../model/tags.ts";
import { observeInstances } from "../observation/drained-machines.ts";
import { noteResize } from "../observation/external-size.ts";
import { machineFacts } from "../observation/machine-facts.ts";
import { poolView } from "../observation/pool-view.ts";
import { readAzure } from "../observation/read-azure.ts";
import { workloadFacts } from "../observation/workload-facts.ts";
import { type AzureObservation, type NormalScope, type Observation, SCALE_SET_RUNNING } from "../scope.ts";
import { bootstrapDataView } from "../writes/bootstrap-data.ts";
import { isModelRejected } from "../writes/rejected-writes.ts";

/** Observes Azure, resources and Nodes. A plan that would write needs fresh reads. */
export async function observe(scope: NormalScope): Promise<Outcome> {
  try {
    const first = await observationOf(scope, false);
    const observation = needsFreshReads(scope, first) ? await observationOf(scope, true) : first;
    refuseForeign(scope, observation);
    const { view } = observation;
    const instances = view.isPaused ? undefined : await observeInstances(scope, observation);
    scope.observation = { ...observation, view: { ...view, ...(instances && { instances }) } };
    return next;
  } catch (error) {
    // Without fresh reads nothing is decided.
    if (error instanceof AzureError && error.class === "Throttled")
      return block(error.retryAfterMs ?? DEFAULT_RETRY_AFTER_MS, "WaitingForAzure");
    throw failureOf(error, "reading the scale set");
  }
}

function isWriteOfSet({ action }: PoolAction): boolean {
  return action === "PutModel" || action === "SetCapacity";
}

async function observationOf(scope: NormalScope, isFresh: boolean): Promise<Observation> {
  const first = await readAzure(scope, isFresh);
  const azure = noteResize(scope, first) ? await readAzure(scope, true) : first;
  const nodes = await nodesIfReachable(scope.shared.ports.workloads, scope.cluster);
  const machines = machineFacts(scope, azure, nodes);
  const view = viewOf(scope, azure, {
    machines,
    workload: workloadFacts(nodes, machines, scope.shared.ports.scaleSets),
  });
  const unavailable = machines.filter((_, index) => view.machines[index]?.isAvailable === false);
  return { ...azure, machines, unavailable, view };
}

function viewOf(
  scope: NormalScope,
  { set, listedAtMs }: AzureObservation,
  facts: Pick<Parameters<typeof poolView>[0], "machines" | "workload">,
): PoolView {
  const { pool, owners, desired, context, poolCache, specProblem } = scope;
  const observed = poolView({
    pool,
    machinePool: owners.machinePool,
    scaleSet: set,
    desired: desired.hash,
    isModelRejected: isModelRejected(scope),
    nowMs: context.env.clock.now(),
    ...facts,
  });
  // Lists are told apart by the time of their request, so that each confirms a removal only once.
  const removalGuard = observeMissing(observed.removalGuard, missingNames(observed), listedAtMs);
  return {
    ...observed,
    removalGuard,
    ...(specProblem && { specProblem: specProblem.message }),
    ...(set && upkeepView(scope, set)),
    isResized: poolCache.capacities.isResized,
  };
}

/** What is known of the scale set beside its model and size. */
function upkeepView(scope: NormalScope, set: ObservedSet): Partial<PoolView> {
  return {
    isSetChanging: !isFinal(set.provisioningState),
    tags: tagsView(scope, set),
    bootImage: bootImageView(scope, set),
    bootstrapData: bootstrapDataView(scope, set),
  };
}

/** Whether the plan would write to Azure, or contradicts itself, on reads from an earlier pass. */
function needsFreshReads(scope: NormalScope, observation: Observation): boolean {
  const { view, set, isLiveRead } = observation;
  // A pool that is halted does not write its scale set.
  if (isLiveRead || isHalted(view)) return false;
  const planned = planPool(view);
  const isPut = planned.actions.some(isWriteOfSet);
  const isMiscounted =
    set !== undefined && view.operation === undefined && planned.budget.live !== set.capacity;
  const mayDecide =
    planned.actions.some((one) => one.action !== "Wait" && isOfRollout(one)) && scope.poolCache.isSettled;
  return isPut || isMiscounted || mayDecide || hasOtherTags(view);
}

/** Refuses a scale set of another pool, or one that another client created. */
function refuseForeign({ azureTarget, context }: NormalScope, { set }: Observation): void {
  const { clusterName } = azureTarget.plan;
  const problem = set && foreignProblem(set, { clusterName, poolKey: azureTarget.poolKey });
  if (problem === undefined) return;
  throw explainedBy(context, SCALE_SET_RUNNING, terminal("ScaleSetForeign", `metadata.name: ${problem}`));
}
