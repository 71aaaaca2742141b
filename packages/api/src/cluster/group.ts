/** What the kinds of Cluster API's core group have in common. */
import type { ScalePaths } from "../kind.ts";

/** The core group, in the version of our users' manifests. */
export const CLUSTER_API = { group: "cluster.x-k8s.io", version: "v1beta1" } as const;

/** The labels of a CRD that belongs to the core provider. */
export const CORE_PROVIDER_LABELS = providerLabels("cluster-api");

/** The labels by which Cluster API finds the provider of a kind and the version of its contract. */
export function providerLabels(provider: string): Readonly<Record<string, string>> {
  return {
    // `clusterctl move` takes along the objects of kinds with this label.
    "clusterctl.cluster.x-k8s.io": "",
    "cluster.x-k8s.io/provider": provider,
    "cluster.x-k8s.io/v1beta1": "v1beta1",
  };
}

/** The paths of `kubectl scale` for a kind that has the selector of its machines in its status. */
export const SCALE_BY_SELECTOR: ScalePaths = {
  specReplicasPath: ".spec.replicas",
  statusReplicasPath: ".status.replicas",
  labelSelectorPath: ".status.selector",
};
