import type { AdmissionRequest, CustomObject } from "../../kind.ts";
import type { Frozen } from "../../kubernetes/meta.ts";
import {
  type FieldError,
  errorIf,
  forbidden,
  invalid,
  notSupported,
  required,
} from "../../values/field-error.ts";
import { deepEqual } from "../../values/deep-equal.ts";
import { cloudErrors } from "../cloud.ts";
import { type ImmutableField, immutableFieldErrors } from "../immutable.ts";
import { resourceGroupErrors, subscriptionErrors } from "../names.ts";
import { tagErrors } from "../tags.ts";
import { loadBalancerErrors } from "./load-balancer-rules.ts";
import type { AzureClusterSpec, AzureClusterStatus } from "./schema.ts";
import { subnetsErrors, vnetErrors } from "./subnet-rules.ts";

type Cluster = Frozen<CustomObject<AzureClusterSpec, AzureClusterStatus>>;

// The name is a prefix of the names of machines and load balancers, which have a shorter limit in Azure than in
// Kubernetes.
const CLUSTER_NAME = /^[a-z0-9]([a-z0-9-]{0,42}[a-z0-9])?$/;
const DNS_NAME =
  /^(?=.{1,253}$)[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?)*$/i;

const NEW_CLUSTER = "the cluster is built on it; create a new cluster";

const fixed = (path: string, read: (spec: Cluster["spec"]) => unknown): ImmutableField<Cluster> => ({
  path,
  read: (cluster) => read(cluster.spec),
  instead: NEW_CLUSTER,
});

const fixedOnceSet = (path: string, read: (spec: Cluster["spec"]) => unknown): ImmutableField<Cluster> => ({
  ...fixed(path, read),
  maySetLater: true,
});

const IMMUTABLE: readonly ImmutableField<Cluster>[] = [
  fixed("spec.location", (spec) => spec.location),
  fixed("spec.resourceGroup", (spec) => spec.resourceGroup),
  fixed("spec.subscriptionID", (spec) => spec.subscriptionID),
  fixedOnceSet("spec.azureEnvironment", (spec) => spec.azureEnvironment),
  fixedOnceSet("spec.controlPlaneEndpoint.host", (spec) => spec.controlPlaneEndpoint?.host),
  fixedOnceSet("spec.controlPlaneEndpoint.port", (spec) => spec.controlPlaneEndpoint?.port),
  fixed("spec.networkSpec.privateDNSZone", (spec) => spec.networkSpec?.privateDNSZone),
  fixed("spec.networkSpec.privateDNSZoneName", (spec) => spec.networkSpec?.privateDNSZoneName),
  fixed(
    "spec.networkSpec.privateDNSZoneResourceGroup",
    (spec) => spec.networkSpec?.privateDNSZoneResourceGroup,
  ),
  fixed("spec.networkSpec.controlPlaneOutboundLB", (spec) => spec.networkSpec?.controlPlaneOutboundLB),
  fixed("spec.cloudProviderConfigOverrides", (spec) => spec.cloudProviderConfigOverrides),
  fixedOnceSet("spec.bastionSpec.azureBastion", (spec) => spec.bastionSpec?.azureBastion),
];

// Machines have their addresses in this network, and no machine can move to another one.
const IMMUTABLE_ONCE_BUILT: readonly ImmutableField<Cluster>[] = [
  fixed("spec.networkSpec.vnet.name", (spec) => spec.networkSpec?.vnet?.name),
  fixed("spec.networkSpec.vnet.resourceGroup", (spec) => spec.networkSpec?.vnet?.resourceGroup),
];

/** Whether the network of a cluster exists, so that machines may be in it. */
function isBuilt({ status }: Cluster): boolean {
  return status?.ready === true || status?.initialization?.provisioned === true;
}

/** Validates a cluster beyond its schema. */
export function azureClusterErrors(
  request: AdmissionRequest<CustomObject<AzureClusterSpec, AzureClusterStatus>>,
): readonly FieldError[] {
  const { object: cluster, old } = request;
  const { spec, metadata } = cluster;
  const network = spec.networkSpec ?? {};
  const withControlPlane = spec.controlPlaneEnabled !== false;
  return [
    ...nameErrors(metadata.name),
    ...resourceGroupErrors("spec.resourceGroup", spec.resourceGroup),
    ...subscriptionErrors("spec.subscriptionID", spec.subscriptionID),
    ...cloudErrors("spec.azureEnvironment", spec.azureEnvironment),
    ...identityRefErrors(spec.identityRef),
    ...vnetErrors("spec.networkSpec.vnet", network),
    ...subnetsErrors("spec.networkSpec.subnets", network, withControlPlane),
    ...loadBalancerErrors(network, old?.spec.networkSpec, withControlPlane),
    ...tagErrors("spec.additionalTags", spec.additionalTags),
    ...privateDNSErrors(spec),
    ...bastionErrors(spec),
    ...errorIf(spec.extendedLocation, forbidden("spec.extendedLocation", "edge zones are not supported yet")),
    ...immutableFieldErrors(cluster, old, IMMUTABLE),
    ...(old && isBuilt(old) ? immutableFieldErrors(cluster, old, IMMUTABLE_ONCE_BUILT) : []),
    ...newBastionErrors(cluster, old),
    ...subnetUpdateErrors(cluster, old),
  ];
}

function nameErrors(name: string): readonly FieldError[] {
  return CLUSTER_NAME.test(name)
    ? []
    : [
        invalid(
          "metadata.name",
          name,
          "must be 1 to 44 lower-case letters, digits or '-', and start and end with a letter or digit",
        ),
      ];
}

function identityRefErrors(ref: Cluster["spec"]["identityRef"]): readonly FieldError[] {
  if (!ref) {
    return [required("spec.identityRef", "the AzureClusterIdentity to use")];
  }
  if (ref.kind !== "AzureClusterIdentity") {
    return [notSupported("spec.identityRef.kind", ref.kind, ["AzureClusterIdentity"])];
  }
  return ref.name ? [] : [required("spec.identityRef.name", "the name of the AzureClusterIdentity")];
}

function privateDNSErrors(spec: Cluster["spec"]): readonly FieldError[] {
  const {
    privateDNSZoneName: zone,
    privateDNSZoneResourceGroup: group,
    apiServerLB,
  } = spec.networkSpec ?? {};
  const path = "spec.networkSpec.privateDNSZoneName";
  const isPublic = spec.controlPlaneEnabled !== false && (apiServerLB?.type ?? "Internal") !== "Internal";
  return [
    ...errorIf(zone && isPublic, forbidden(path, "only a cluster whose apiServerLB is Internal has one")),
    ...errorIf(
      zone && !DNS_NAME.test(zone),
      invalid(path, zone, "must be a DNS name such as example.internal"),
    ),
    ...errorIf(
      group && !zone,
      forbidden(`spec.networkSpec.privateDNSZoneResourceGroup`, "needs privateDNSZoneName"),
    ),
    ...resourceGroupErrors("spec.networkSpec.privateDNSZoneResourceGroup", group),
  ];
}

function bastionErrors(spec: Cluster["spec"]): readonly FieldError[] {
  const bastion = spec.bastionSpec?.azureBastion;
  return bastion?.enableTunneling && bastion.sku !== "Standard"
    ? [
        invalid(
          "spec.bastionSpec.azureBastion.sku",
          bastion.sku,
          "must be Standard when enableTunneling is true",
        ),
      ]
    : [];
}

/** The controller refuses a new cluster with a Bastion host in a condition; a running cluster would only stop at it. */
function newBastionErrors({ spec }: Cluster, old: Cluster | undefined): readonly FieldError[] {
  const path = "spec.bastionSpec.azureBastion";
  return errorIf(
    old && spec.bastionSpec?.azureBastion && !old.spec.bastionSpec?.azureBastion,
    forbidden(path, "Azure Bastion hosts are not supported yet; remove it"),
  );
}

/** The immutable fields of the subnets of a running cluster. The ranges of a network that we do not own may change. */
function subnetUpdateErrors(cluster: Cluster, old: Cluster | undefined): readonly FieldError[] {
  const before = new Map((old?.spec.networkSpec?.subnets ?? []).map((subnet) => [subnet.name, subnet]));
  const tag = `sigs.k8s.io_cluster-api-provider-azure_cluster_${cluster.metadata.name}`;
  const ours = old?.spec.networkSpec?.vnet?.tags?.[tag] === "owned";
  return (cluster.spec.networkSpec?.subnets ?? []).flatMap((subnet, index) => {
    const previous = before.get(subnet.name);
    if (!previous) {
      return [];
    }
    const at = `spec.networkSpec.subnets[${index}]`;
    const names = (["routeTable", "natGateway", "securityGroup"] as const).filter((part) => {
      const name = previous[part]?.name;
      return Boolean(name) && name !== subnet[part]?.name;
    });
    return [
      ...names.map((part) =>
        forbidden(
          `${at}.${part}.name`,
          `cannot change from ${JSON.stringify(previous[part]?.name)}: ${NEW_CLUSTER}`,
        ),
      ),
      ...errorIf(
        ours && !deepEqual(previous.cidrBlocks, subnet.cidrBlocks),
        forbidden(
          `${at}.cidrBlocks`,
          `cannot change from ${JSON.stringify(previous.cidrBlocks)}: ${NEW_CLUSTER}`,
        ),
      ),
    ];
  });
}
