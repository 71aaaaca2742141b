import type { ObjectOf } from "../kind.ts";
import { AGENT_POOL_FIELDS, MANAGED_CLUSTER_FIELDS } from "./aks-fields.ts";
import { defineAsoKind } from "./aso-resource.ts";

// The versions that manifests of Azure Service Operator and CAPZ use; one schema with the
// fields of all versions serves them all.
const CONTAINER_SERVICE = {
  service: "containerservice",
  version: "v1api20231001",
  alsoServed: [
    "v1api20210501",
    "v1api20230201",
    "v1api20240901",
    "v1api20250301",
    "v1api20250801",
    "v20251002preview",
  ],
} as const;

/** An AKS cluster. */
export const ManagedCluster = defineAsoKind({
  ...CONTAINER_SERVICE,
  kind: "ManagedCluster",
  plural: "managedclusters",
  description: "An AKS cluster.",
  fields: MANAGED_CLUSTER_FIELDS,
  required: ["location"],
});

/** An AKS cluster. */
export type ManagedCluster = ObjectOf<typeof ManagedCluster>;

/** A node pool of an AKS cluster. */
export const ManagedClustersAgentPool = defineAsoKind({
  ...CONTAINER_SERVICE,
  kind: "ManagedClustersAgentPool",
  plural: "managedclustersagentpools",
  description: "A node pool of an AKS cluster.",
  fields: AGENT_POOL_FIELDS,
});

/** A node pool of an AKS cluster. */
export type ManagedClustersAgentPool = ObjectOf<typeof ManagedClustersAgentPool>;
