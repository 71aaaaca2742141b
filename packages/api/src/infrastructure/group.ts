/** What the kinds of the infrastructure group have in common. */
import { ONE_VERSION_PER_CONTRACT, providerLabels } from "../cluster/group.ts";

/** The API group of Azure's kinds in Cluster API. */
export const INFRASTRUCTURE = { group: "infrastructure.cluster.x-k8s.io", version: "v1beta1" } as const;

const AZURE_PROVIDER = "infrastructure-azure";

/** The labels of a CRD that belongs to the Azure provider: its v1beta1 has the fields of both contracts. */
export const AZURE_PROVIDER_LABELS = providerLabels(AZURE_PROVIDER, {
  v1beta1: "v1beta1",
  v1beta2: "v1beta1",
});

/** The labels of AzureCluster's CRD: both contracts have `status.failureDomains`, each in another form. */
export const AZURE_CLUSTER_LABELS = providerLabels(AZURE_PROVIDER, ONE_VERSION_PER_CONTRACT);
