import { CLUSTER_NAME_LABEL } from "../../cluster/well-known.ts";
import { type CustomObject, type ObjectOf, defineKind } from "../../kind.ts";
import { withLeadingV } from "../../values/version.ts";
import { AZURE_PROVIDER_LABELS, INFRASTRUCTURE } from "../group.ts";
import { AGE_COLUMN, CLUSTER_LABEL_COLUMN, readyColumn } from "../../printer-columns.ts";
import { AzureManagedControlPlaneSpec, AzureManagedControlPlaneStatus } from "./schema.ts";
import { azureManagedControlPlaneErrors } from "./rules.ts";
import { azureManagedControlPlaneWarnings } from "./warnings.ts";

/** The control plane of an AKS cluster. */
export const AzureManagedControlPlane = defineKind({
  ...INFRASTRUCTURE,
  kind: "AzureManagedControlPlane",
  plural: "azuremanagedcontrolplanes",
  shortNames: ["amcp"],
  description: "The control plane of an AKS cluster.",
  spec: AzureManagedControlPlaneSpec,
  status: AzureManagedControlPlaneStatus,
  columns: [
    CLUSTER_LABEL_COLUMN,
    readyColumn("Ready"),
    readyColumn("Severity"),
    readyColumn("Reason"),
    readyColumn("Message", 1),
    AGE_COLUMN,
  ],
  crdLabels: AZURE_PROVIDER_LABELS,
  applyDefaults,
  // As in CAPZ, the name of the cluster.
  defaulted: ["spec.resourceGroupName"],
  validate: azureManagedControlPlaneErrors,
  warn: azureManagedControlPlaneWarnings,
});

/** The control plane of an AKS cluster. */
export type AzureManagedControlPlane = ObjectOf<typeof AzureManagedControlPlane>;

function applyDefaults(
  controlPlane: CustomObject<AzureManagedControlPlaneSpec, AzureManagedControlPlaneStatus>,
): void {
  const { spec, metadata } = controlPlane;
  spec.version = withLeadingV(spec.version);
  spec.sku = { tier: currentTier(spec.sku?.tier) };
  spec.resourceGroupName ||= metadata.labels?.[CLUSTER_NAME_LABEL] ?? metadata.name;
  spec.nodeResourceGroupName ||= `MC_${spec.resourceGroupName}_${metadata.name}_${spec.location}`;
  spec.dnsPrefix ||= metadata.name;
  spec.oidcIssuerProfile ??= { enabled: false };
  defaultVirtualNetwork(spec, metadata.name);
}

/** Paid is the former name of Standard. */
function currentTier(tier: "Free" | "Paid" | "Standard" = "Free"): "Free" | "Standard" {
  return tier === "Paid" ? "Standard" : tier;
}

/** Overlay pods have addresses of their own, so the nodes' range leaves 10.0.0.0/8 to them. */
function defaultVirtualNetwork(spec: AzureManagedControlPlaneSpec, name: string): void {
  const overlay = spec.networkPluginMode === "overlay";
  const network = spec.virtualNetwork ?? { name };
  network.resourceGroup ||= spec.resourceGroupName;
  network.cidrBlock ||= overlay ? "10.224.0.0/12" : "10.0.0.0/8";
  const subnet = network.subnet ?? { name };
  subnet.cidrBlock ||= overlay ? "10.224.0.0/16" : "10.240.0.0/16";
  network.subnet = subnet;
  spec.virtualNetwork = network;
}
