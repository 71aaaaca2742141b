import { type Cluster, deepEqual, type Frozen, reportedCondition } from "@capstan/api";
import { isMoreThanStatus } from "@capstan/runtime";

/** Whether the control plane of a Cluster has answered once: before that, no machine can have joined it. */
export function isControlPlaneInitialized(cluster: Frozen<Cluster>): boolean {
  return reportedCondition(cluster, "ControlPlaneInitialized")?.status === "True";
}

/**
 * Whether a change of a Cluster matters to the objects that belong to it. Most changes are counters and conditions of its
 * machines, and enqueueing all its objects for each would cost a pass over every machine.
 */
export function mattersToMembers(before: Frozen<Cluster>, after: Frozen<Cluster>): boolean {
  return isMoreThanStatus(before, after) || !deepEqual(factsOf(before), factsOf(after));
}

function factsOf(cluster: Frozen<Cluster>): readonly unknown[] {
  const { initialization, failureDomains } = cluster.status ?? {};
  return [initialization, failureDomains, isControlPlaneInitialized(cluster)];
}
