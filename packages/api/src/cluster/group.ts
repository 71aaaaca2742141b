/** What the kinds of Cluster API's core group have in common. */
import type { PrinterColumn } from "../kind.ts";

/** The core group, in the version our users' manifests have. */
export const CLUSTER_API = { group: "cluster.x-k8s.io", version: "v1beta1" } as const;

/** The labels of a CRD that belongs to the core provider. */
export const CORE_PROVIDER_LABELS = providerLabels("cluster-api");

/** The labels by which Cluster API finds out who serves a kind and which contract it keeps. */
export function providerLabels(provider: string): Readonly<Record<string, string>> {
  return { "cluster.x-k8s.io/provider": provider, "cluster.x-k8s.io/v1beta1": "v1beta1" };
}

/** The column with the cluster, for kinds that name it in their spec. */
export const CLUSTER_COLUMN: PrinterColumn = {
  name: "Cluster",
  type: "string",
  jsonPath: ".spec.clusterName",
  description: "The cluster it belongs to.",
};

/** The column with the cluster, for kinds that only carry its label. */
export const CLUSTER_LABEL_COLUMN: PrinterColumn = {
  name: "Cluster",
  type: "string",
  jsonPath: ".metadata.labels['cluster\\.x-k8s\\.io/cluster-name']",
  description: "The cluster it belongs to.",
};

/** The column with the number of replicas that are wanted. */
export const DESIRED_COLUMN: PrinterColumn = {
  name: "Desired",
  type: "integer",
  jsonPath: ".spec.replicas",
  description: "The number of machines wanted.",
};

/** The column with the phase. */
export const PHASE_COLUMN: PrinterColumn = {
  name: "Phase",
  type: "string",
  jsonPath: ".status.phase",
  description: "Where it is in its life.",
};

/** The column with the time since creation. */
export const AGE_COLUMN: PrinterColumn = {
  name: "Age",
  type: "date",
  jsonPath: ".metadata.creationTimestamp",
  description: "The time since creation.",
};

/** A column with the status of a condition. */
export function conditionColumn(name: string, type: string, priority?: 1): PrinterColumn {
  const jsonPath = `.status.conditions[?(@.type=="${type}")].status`;
  return {
    name,
    type: "string",
    jsonPath,
    description: `The condition ${type}.`,
    ...(priority && { priority }),
  };
}

/** A column with a count from the status. */
export function countColumn(name: string, field: string, description: string): PrinterColumn {
  return { name, type: "integer", jsonPath: `.status.${field}`, description };
}

/** The column with the Kubernetes version, at the given path. */
export function versionColumn(jsonPath: string): PrinterColumn {
  return { name: "Version", type: "string", jsonPath, description: "The Kubernetes version." };
}
