/** What the kinds of the infrastructure group have in common. */
import { providerLabels } from "../cluster/group.ts";
import { CLUSTER_NAME_LABEL } from "../cluster/well-known.ts";
import type { PrinterColumn } from "../kind.ts";

/** The API group of Azure's kinds in Cluster API. */
export const INFRASTRUCTURE = { group: "infrastructure.cluster.x-k8s.io", version: "v1beta1" } as const;

/** The labels of a CRD that belongs to the Azure provider. */
export const AZURE_PROVIDER_LABELS = providerLabels("infrastructure-azure");

/** The column with the cluster an object belongs to. */
export const CLUSTER: PrinterColumn = {
  name: "Cluster",
  type: "string",
  jsonPath: `.metadata.labels.${CLUSTER_NAME_LABEL.replaceAll(".", "\\.")}`,
};

/** The column with the time since creation. */
export const AGE: PrinterColumn = { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" };

/** A column with a field of the Ready condition. */
export function readyColumn(name: "Ready" | "Severity" | "Reason" | "Message", priority?: 1): PrinterColumn {
  const field = name === "Ready" ? "status" : name.toLowerCase();
  const jsonPath = `.status.conditions[?(@.type=='Ready')].${field}`;
  return { name, type: "string", jsonPath, ...(priority && { priority }) };
}
