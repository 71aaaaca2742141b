/** What the kinds of Cluster API's core group have in common. */
import type { ScalePaths } from "../kind.ts";

/** The core group, in the version that is stored. */
export const CLUSTER_API = { group: "cluster.x-k8s.io", version: "v1beta2" } as const;

/** The labels of a CRD that belongs to the core provider. Its kinds are no part of a provider's contract. */
export const CORE_PROVIDER_LABELS = providerLabels("cluster-api", {});

/** The label of a CRD that names the versions of the kind which follow a version of Cluster API's contract. */
export const CONTRACT_LABEL = /^cluster\.x-k8s\.io\/v[0-9]+((alpha|beta)[0-9]+)?$/;

/**
 * The labels by which Cluster API finds the provider of a kind, and for each version of its contract the version of the
 * kind that follows it.
 */
export function providerLabels(
  provider: string,
  contracts: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const labels = Object.entries(contracts).map(([contract, version]) => [
    `cluster.x-k8s.io/${contract}`,
    version,
  ]);
  return {
    // `clusterctl move` takes along the objects of kinds with this label.
    "clusterctl.cluster.x-k8s.io": "",
    "cluster.x-k8s.io/provider": provider,
    ...(Object.fromEntries(labels) as Record<string, string>),
  };
}

/** Contracts of kinds whose v1beta1 follows the older contract and whose v1beta2 follows the newer one. */
export const ONE_VERSION_PER_CONTRACT = { v1beta1: "v1beta1", v1beta2: "v1beta2" } as const;

/** The paths of `kubectl scale` for a kind that has the selector of its machines in its status. */
export const SCALE_BY_SELECTOR: ScalePaths = {
  specReplicasPath: ".spec.replicas",
  statusReplicasPath: ".status.replicas",
  labelSelectorPath: ".status.selector",
};
