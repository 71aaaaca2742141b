import { type AzureMachinePool, type AzureMachinePoolMachine, type Frozen, isTrue } from "@capstan/api";
import { covers, type ScaleSetInstance } from "@capstan/azure";
import { type DrainedMachine, type InstancesView, isDisruptable } from "@capstan/plan";
import { isNodeReady, updateOf } from "../../../workload/availability.ts";
import { DRAINED } from "../../../pools/machine-conditions.ts";
import type { MachineFacts } from "./machine-view.ts";
import type { ObservedSet } from "../model/body.ts";
import type { NormalScope, Observation } from "../scope.ts";
import { type DisruptionCandidate, hadNoNode, withUndrainedNodes } from "./undrained-nodes.ts";

/**
 * The drained machines of a pool, and the operations that run on instances. The Nodes of machines that are deleted or updated
 * next are read live where the watch may lag.
 */
export async function observeInstances(
  scope: NormalScope,
  observation: Omit<Observation, "view">,
): Promise<InstancesView> {
  const drained = drainedOf(scope, observation);
  const next = drained.filter(({ facts }) => isDisruptable(facts));
  const late = await withUndrainedNodes(scope, next);
  return {
    drained: drained.map(({ facts }) =>
      late.has(facts.instanceID) ? { ...facts, hasUndrainedNode: true } : facts,
    ),
    operationsStartedMs: startedIn(scope.pool),
  };
}

interface Drained extends DisruptionCandidate {
  readonly facts: DrainedMachine;
}

/** The drained machines whose instances exist and have no operation running on them. */
function drainedOf(
  { pool, poolCache }: NormalScope,
  { unavailable, instances, set }: Omit<Observation, "view">,
): readonly Drained[] {
  const drained = unavailable.filter(({ machine }) => isTrue(machine?.status?.conditions, DRAINED));
  if (drained.length === 0) return [];
  const busy = busyIn(pool);
  const byID = new Map(instances.map((instance) => [instance.instanceID, instance]));
  return drained.flatMap(({ machine, instance: known, node }) => {
    const instance = known && byID.get(known.instanceID);
    if (!machine || !instance || busy.has(instance.instanceID)) return [];
    // The next list shows the result of an operation that has ended since this one.
    if (poolCache.azure.endedOn(instance.instanceID) !== undefined) return [];
    return [{ machine, instance, node, facts: factsOf(pool, set, { machine, instance, node }) }];
  });
}

/** The drained machines and the operations from statuses alone, for dumps. Nodes are not in them. */
export function instancesFromStatus(
  pool: Frozen<AzureMachinePool>,
  machines: readonly MachineFacts[],
): InstancesView {
  const busy = busyIn(pool);
  const drained = machines.flatMap(({ machine, instance }) =>
    machine && instance && isTrue(machine.status?.conditions, DRAINED) && !busy.has(instance.instanceID)
      ? [factsOf(pool, undefined, { machine, instance, node: undefined })]
      : [],
  );
  return { drained, operationsStartedMs: startedIn(pool) };
}

function busyIn({ status }: Frozen<AzureMachinePool>): ReadonlySet<string> {
  return new Set((status?.instanceOperations ?? []).flatMap(({ instanceIDs = [] }) => instanceIDs));
}

function startedIn({ status }: Frozen<AzureMachinePool>): readonly number[] {
  return (status?.instanceOperations ?? []).map(({ startedAt }) => Date.parse(startedAt));
}

interface Parts {
  readonly machine: Frozen<AzureMachinePoolMachine>;
  readonly instance: Pick<ScaleSetInstance, "instanceID" | "provisioningState"> &
    Partial<Pick<ScaleSetInstance, "provisionedAtMs" | "isLatestModel" | "imageReference">>;
  readonly node: MachineFacts["node"];
}

function factsOf(
  { status }: Frozen<AzureMachinePool>,
  set: ObservedSet | undefined,
  { machine, instance, node }: Parts,
): DrainedMachine {
  const { instanceID, provisioningState, provisionedAtMs, isLatestModel, imageReference = {} } = instance;
  const { instanceUpdate } = machine.status ?? {};
  return {
    name: machine.metadata.name,
    instanceID,
    isDeleting: machine.metadata.deletionTimestamp !== undefined,
    isUpdateAsked: updateOf(machine) !== undefined,
    update: instanceUpdate && {
      startedMs: Date.parse(instanceUpdate.startedAt),
      nodeUID: instanceUpdate.nodeUID,
    },
    provisioningState,
    provisionedMs: provisionedAtMs,
    isLatestModel,
    hasImageOfSet: set !== undefined && covers(imageReference, set.imageReference),
    isReimageRecorded: (status?.instancesToReimage ?? []).includes(instanceID),
    node: node && { uid: node.metadata.uid ?? "", isReady: isNodeReady(node) },
    hadNoNode: hadNoNode(machine),
  };
}
