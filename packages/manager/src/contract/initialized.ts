import { type Cluster, deprecatedConditionsOf, type Frozen, isTrue } from "@capstan/api";

/** Whether the control plane of a Cluster has answered once: before that, no machine can have joined it. */
export function isControlPlaneInitialized(cluster: Frozen<Cluster>): boolean {
  return isTrue(deprecatedConditionsOf(cluster), "ControlPlaneInitialized");
}
