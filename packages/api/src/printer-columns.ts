/** The columns of `kubectl get` that several kinds have. */
import { CLUSTER_NAME_LABEL } from "./cluster/well-known.ts";
import type { PrinterColumn } from "./kind.ts";

/** The column with the cluster, for kinds that name it in their spec. */
export const CLUSTER_COLUMN: PrinterColumn = {
  name: "Cluster",
  type: "string",
  jsonPath: ".spec.clusterName",
  description: "The cluster it belongs to.",
};

/** The column with the cluster, for kinds that only have its label. */
export const CLUSTER_LABEL_COLUMN: PrinterColumn = {
  name: "Cluster",
  type: "string",
  jsonPath: `.metadata.labels['${CLUSTER_NAME_LABEL.replaceAll(".", "\\.")}']`,
  description: "The cluster it belongs to.",
};

/** The column with the desired number of replicas. */
export const DESIRED_COLUMN: PrinterColumn = {
  name: "Desired",
  type: "integer",
  jsonPath: ".spec.replicas",
  description: "The desired number of machines.",
};

/** The column with the phase. */
export const PHASE_COLUMN: PrinterColumn = {
  name: "Phase",
  type: "string",
  jsonPath: ".status.phase",
  description: "The phase.",
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
  const description = `The condition ${type}.`;
  return { name, type: "string", jsonPath, description, ...(priority && { priority }) };
}

/** A column with a counter from the status. */
export function countColumn(name: string, field: string, description: string): PrinterColumn {
  return { name, type: "integer", jsonPath: `.status.${field}`, description };
}

/** The column with the Kubernetes version, at the given path. */
export function versionColumn(jsonPath: string): PrinterColumn {
  return { name: "Version", type: "string", jsonPath, description: "The Kubernetes version." };
}

/** A column with a field of the condition Ready. */
export function readyColumn(name: "Ready" | "Severity" | "Reason" | "Message", priority?: 1): PrinterColumn {
  const field = name === "Ready" ? "status" : name.toLowerCase();
  const jsonPath = `.status.conditions[?(@.type=="Ready")].${field}`;
  const description = `The ${field} of the condition Ready.`;
  return { name, type: "string", jsonPath, description, ...(priority && { priority }) };
}
