import { type ObjectOf, defineKind } from "../../kind.ts";
import { AZURE_PROVIDER_LABELS, INFRASTRUCTURE } from "../group.ts";
import { AGE_COLUMN, CLUSTER_LABEL_COLUMN, readyColumn } from "../../printer-columns.ts";
import { defaultAzureCluster } from "./defaults.ts";
import { AzureClusterSpec, AzureClusterStatus } from "./schema.ts";
import { azureClusterErrors } from "./rules.ts";

/** The network, load balancers and resource group of a self-managed cluster. */
export const AzureCluster = defineKind({
  ...INFRASTRUCTURE,
  kind: "AzureCluster",
  plural: "azureclusters",
  description: "The Azure infrastructure that the machines of a cluster share.",
  spec: AzureClusterSpec,
  status: AzureClusterStatus,
  columns: [
    CLUSTER_LABEL_COLUMN,
    readyColumn("Ready"),
    readyColumn("Reason"),
    readyColumn("Message", 1),
    { name: "Resource Group", type: "string", jsonPath: ".spec.resourceGroup", priority: 1 },
    { name: "SubscriptionID", type: "string", jsonPath: ".spec.subscriptionID", priority: 1 },
    { name: "Location", type: "string", jsonPath: ".spec.location", priority: 1 },
    { name: "Endpoint", type: "string", jsonPath: ".spec.controlPlaneEndpoint.host", priority: 1 },
    AGE_COLUMN,
  ],
  crdLabels: AZURE_PROVIDER_LABELS,
  applyDefaults: defaultAzureCluster,
  validate: azureClusterErrors,
});

/** The network, load balancers and resource group of a self-managed cluster. */
export type AzureCluster = ObjectOf<typeof AzureCluster>;
