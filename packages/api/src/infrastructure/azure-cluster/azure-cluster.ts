import { type ObjectOf, defineKind } from "../../kind.ts";
import { AZURE_CLUSTER_LABELS, INFRASTRUCTURE } from "../group.ts";
import { azureClusterV1Beta2 } from "../../conversion/azure-cluster.ts";
import { COLUMNS } from "./columns.ts";
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
  columns: COLUMNS,
  converted: [azureClusterV1Beta2],
  crdLabels: AZURE_CLUSTER_LABELS,
  applyDefaults: defaultAzureCluster,
  validate: azureClusterErrors,
});

/** The network, load balancers and resource group of a self-managed cluster. */
export type AzureCluster = ObjectOf<typeof AzureCluster>;
