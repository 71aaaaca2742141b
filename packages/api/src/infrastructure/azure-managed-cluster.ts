import { type ObjectOf, defineKind } from "../kind.ts";
import { Conditions } from "../kubernetes/condition.ts";
import { boolean, object, optional } from "../schema/schema.ts";
import { ControlPlaneEndpoint } from "../cluster/infrastructure-contract.ts";
import { AZURE_PROVIDER_LABELS, INFRASTRUCTURE } from "./group.ts";
import { Initialization } from "./initialization.ts";
import { AGE_COLUMN, CLUSTER_LABEL_COLUMN } from "../printer-columns.ts";

/** The infrastructure of an AKS cluster: it only repeats fields of the control plane. */
export const AzureManagedCluster = defineKind({
  ...INFRASTRUCTURE,
  kind: "AzureManagedCluster",
  plural: "azuremanagedclusters",
  shortNames: ["amc"],
  description: "The infrastructure of an AKS cluster.",
  spec: object(
    "The desired state of the infrastructure.",
    { controlPlaneEndpoint: optional(ControlPlaneEndpoint) },
    { preserveUnknown: true },
  ),
  status: object(
    "The observed state of the infrastructure.",
    {
      ready: optional(boolean("Whether the cluster is ready.")),
      initialization: optional(Initialization),
      conditions: optional(Conditions),
    },
    { preserveUnknown: true },
  ),
  columns: [CLUSTER_LABEL_COLUMN, { name: "Ready", type: "string", jsonPath: ".status.ready" }, AGE_COLUMN],
  crdLabels: AZURE_PROVIDER_LABELS,
});

/** The infrastructure of an AKS cluster. */
export type AzureManagedCluster = ObjectOf<typeof AzureManagedCluster>;
