import {
  type Cluster,
  deepEqual,
  deprecatedConditionsOf,
  type Frozen,
  getCondition,
  isTrue,
} from "@capstan/api";
import { isMoreThanStatus } from "@capstan/runtime";

const INITIALIZED = "ControlPlaneInitialized";

/**
 * Whether the control plane of a Cluster has answered once: before that, no machine can have joined it. A Cluster that was last
 * reported on by a version before v1beta2 has the condition in the older form.
 */
export function isControlPlaneInitialized(cluster: Frozen<Cluster>): boolean {
  const { conditions } = cluster.status ?? {};
  return isTrue(
    getCondition(conditions, INITIALIZED) ? conditions : deprecatedConditionsOf(cluster),
    INITIALIZED,
  );
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
