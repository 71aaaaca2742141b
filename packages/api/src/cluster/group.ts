/** What the kinds of Cluster API's core group have in common. */
import type { ScalePaths } from "../kind.ts";

/** The core group, in the version our users' manifests have. */
export const CLUSTER_API = { group: "cluster.x-k8s.io", version: "v1beta1" } as const;

/** The labels of a CRD that belongs to the core provider. */
export const CORE_PROVIDER_LABELS = providerLabels("cluster-api");

/** The labels by which Cluster API finds out who serves a kind and which contract it keeps. */
export function providerLabels(provider: string): Readonly<Record<string, string>> {
  return { "cluster.x-k8s.io/provider": provider, "cluster.x-k8s.io/v1beta1": "v1beta1" };
}

/** Where `kubectl scale` finds the numbers of a kind that also tells the selector of its machines. */
export const SCALE_BY_SELECTOR: ScalePaths = {
  specReplicasPath: ".spec.replicas",
  statusReplicasPath: ".status.replicas",
  labelSelectorPath: ".status.selector",
};
