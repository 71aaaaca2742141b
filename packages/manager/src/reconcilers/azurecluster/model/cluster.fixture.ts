import { AzureCluster, withDefaults } from "@capstan/api";
import { azureCluster, type Overrides } from "@capstan/runtime/testing/builders";
import type { ClusterSpecView } from "../../../azure-cluster/spec-view.ts";

const SUBSCRIPTION = "00000000-0000-0000-0000-000000000001";

/** The plan of a cluster as admission completes it. */
export function planOf(
  spec: Overrides<AzureCluster["spec"]> = {},
  change: Partial<ClusterSpecView> = {},
): ClusterSpecView {
  const cluster = withDefaults(AzureCluster, azureCluster({ metadata: { name: "c1" }, spec }));
  const plan = {
    clusterName: "c1",
    namespace: "default",
    subscriptionID: SUBSCRIPTION,
    apiServerPort: 6443,
    zones: ["1", "2"],
  };
  return { ...plan, spec: cluster.spec, ...change };
}

/** The id of a resource in the resource group of the cluster. */
export function idOf(path = "", group = "c1"): string {
  const id = `/subscriptions/${SUBSCRIPTION}/resourceGroups/${group}`;
  return path === "" ? id : `${id}/providers/Microsoft.Network/${path}`;
}
