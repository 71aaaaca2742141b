import type { AzureMachinePoolMachine, Frozen } from "@capstan/api";
import type { ScaleSetInstance } from "@capstan/azure";
import { instanceObstacle } from "../../../workload/availability.ts";
import type { WorkloadNodes } from "../../../workload/nodes.ts";
import { candidatesOf, NO_NODES } from "../../../workload/node-ref-cache.ts";
import { findNode } from "../../../workload/find-node.ts";
import { claim, type Parts, unclaimed } from "./machine-index.ts";
import type { InstanceFacts, MachineFacts } from "./machine-view.ts";
import { isWorkingByStatus } from "./pool-view.ts";
import { machinesOfPool } from "../../../pools/machines-of-pool.ts";
import type { AzureObservation, NormalScope } from "../scope.ts";

/**
 * Matches resources, instances and Nodes. An instance is matched by its whole id, never by the name of a resource. Facts of
 * machines that have not changed since the last pass are reused: in a pool of a thousand that is nearly all.
 */
export function machineFacts(
  scope: NormalScope,
  { instances, set }: AzureObservation,
  nodes: WorkloadNodes | undefined,
): readonly MachineFacts[] {
  const going = acceptedDeletions(scope);
  const isGoing = (instance: ScaleSetInstance): boolean => going.size > 0 && going.has(instance.instanceID);
  const modelHash = set?.modelHash;
  const machineIndex = claim(
    scope.poolCache.machineIndex.of(machinesOfPool(scope.context.cache, scope.pool)),
    instances,
  );
  const facts = machineIndex.map((entry) => {
    const { instance, machine, cached } = entry;
    // The Node of a resource without an instance does not matter.
    const candidates = instance ? nodes && candidatesOf(entry, nodes) : NO_NODES;
    const goes = instance !== undefined && isGoing(instance);
    if (
      cached &&
      isFrom(cached, instance, candidates) &&
      cached.isGoing === goes &&
      cached.modelHash === modelHash
    )
      return cached.facts;
    const parts: Parts = { instance, candidates, isGoing: goes, modelHash };
    entry.cached = { ...parts, facts: factsOf(parts, machine) };
    return entry.cached.facts;
  });
  const others = unclaimed(machineIndex, instances);
  if (others.length === 0) return facts;
  return [
    ...facts,
    ...others.map(([key, instance]) =>
      factsOf({ instance, candidates: nodes?.of(key), isGoing: isGoing(instance), modelHash }),
    ),
  ];
}

/** Compares without allocating: each pass does this for each machine. */
function isFrom(cached: Parts, instance: Parts["instance"], candidates: Parts["candidates"]): boolean {
  return cached.instance === instance && cached.candidates === candidates;
}

/** Instances whose deletion Azure has accepted are going, even if an older list shows them as running. */
function acceptedDeletions({ poolCache, pool }: NormalScope): ReadonlySet<string> {
  const running = (pool.status?.instanceOperations ?? []).filter(
    ({ action, url }) => action === "delete" && url !== undefined,
  );
  return new Set([...running.flatMap(({ instanceIDs = [] }) => instanceIDs), ...poolCache.azure.deleted()]);
}

/**
 * Availability comes from the Node that the machine's own controller has matched. While the workload cluster does not answer,
 * the last known availability counts: a scale-down must not choose machines as if none worked.
 */
function factsOf(
  { instance, candidates, isGoing, modelHash }: Parts,
  machine?: Frozen<AzureMachinePoolMachine>,
): MachineFacts {
  const resource = machine && { machine, isReady: isReadyAndStays(machine) };
  if (!instance) return resource ?? {};
  const facts = instanceFacts(instance, modelHash);
  const known = {
    ...resource,
    instance: isGoing ? { ...facts, provisioningState: "Deleting" } : facts,
  };
  if (!candidates) return { ...known, isAvailable: wasAvailable(known) };
  const observed = findNode(candidates, { instance, knownUID: machine?.status?.nodeRef?.uid });
  return { ...known, ...(observed.state === "found" && { node: observed.node }) };
}

function isReadyAndStays({ metadata, status }: Frozen<AzureMachinePoolMachine>): boolean {
  return status?.ready === true && metadata.deletionTimestamp === undefined;
}

/** Azure still answers, and says which instances do not run any more. */
function wasAvailable(facts: MachineFacts): boolean {
  const { machine } = facts;
  return machine !== undefined && isWorkingByStatus(machine) && instanceObstacle(facts) === undefined;
}

function instanceFacts(instance: ScaleSetInstance, modelHash: string | undefined): InstanceFacts {
  const { instanceID, providerID, provisioningState, powerState, isLatestModel } = instance;
  const { createdMs, imageVersion } = instance;
  return {
    instanceID,
    providerID,
    provisioningState,
    powerState,
    ...(isLatestModel !== undefined && { isLatestModel }),
    ...(createdMs !== undefined && { createdMs }),
    ...(imageVersion !== undefined && { imageVersion }),
    ...(isLatestModel === true && modelHash !== undefined && { modelHash }),
  };
}
