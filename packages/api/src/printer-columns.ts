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

/** The column with the node of a machine. */
export const NODE_NAME_COLUMN: PrinterColumn = {
  name: "Node Name",
  type: "string",
  jsonPath: ".status.nodeRef.name",
  description: "The node of the machine.",
};

/** The column with the id of a machine at the cloud provider. */
export const PROVIDER_ID_COLUMN: PrinterColumn = {
  name: "Provider ID",
  type: "string",
  jsonPath: ".spec.providerID",
  description: "The id at the cloud provider.",
  priority: 1,
};

/** The column with the operating system of a machine. */
export const OS_IMAGE_COLUMN: PrinterColumn = {
  name: "OS-Image",
  type: "string",
  jsonPath: ".status.nodeInfo.osImage",
  description: "Its operating system.",
  priority: 1,
};

/** A column with an address of a machine. */
export function addressColumn(name: string, type: string): PrinterColumn {
  const jsonPath = `.status.addresses[?(@.type=="${type}")].address`;
  return { name, type: "string", jsonPath, description: "Its address.", priority: 1 };
}

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

/** The column with the condition Paused, in v1beta2. */
export const PAUSED_COLUMN: PrinterColumn = conditionColumn("Paused", "Paused", 1);

/** The columns with the numbers of machines, in the sense of v1beta2. */
export const MACHINE_COUNT_COLUMNS: readonly PrinterColumn[] = [
  countColumn("Current", "replicas", "The number of machines."),
  countColumn("Ready", "readyReplicas", "The number of ready machines."),
  countColumn("Available", "availableReplicas", "The number of available machines."),
  countColumn("Up-to-date", "upToDateReplicas", "The number of machines of the current template."),
];

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
