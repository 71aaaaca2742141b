/** What the kinds of the infrastructure group have in common. */
import { providerLabels } from "../cluster/group.ts";

/** The API group of Azure's kinds in Cluster API. */
export const INFRASTRUCTURE = { group: "infrastructure.cluster.x-k8s.io", version: "v1beta1" } as const;

/** The labels of a CRD that belongs to the Azure provider. */
export const AZURE_PROVIDER_LABELS = providerLabels("infrastructure-azure");
