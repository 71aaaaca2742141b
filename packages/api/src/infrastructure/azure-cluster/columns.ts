import type { PrinterColumn } from "../../kind.ts";
import { AGE_COLUMN, CLUSTER_LABEL_COLUMN, readyColumn } from "../../printer-columns.ts";

/** The columns of `kubectl get azureclusters`, in all versions. */
export const COLUMNS: readonly PrinterColumn[] = [
  CLUSTER_LABEL_COLUMN,
  readyColumn("Ready"),
  readyColumn("Reason"),
  readyColumn("Message", 1),
  { name: "Resource Group", type: "string", jsonPath: ".spec.resourceGroup", priority: 1 },
  { name: "SubscriptionID", type: "string", jsonPath: ".spec.subscriptionID", priority: 1 },
  { name: "Location", type: "string", jsonPath: ".spec.location", priority: 1 },
  { name: "Endpoint", type: "string", jsonPath: ".spec.controlPlaneEndpoint.host", priority: 1 },
  AGE_COLUMN,
];
