import type { AdmissionRequest, CustomObject } from "../../kind.ts";
import type { Frozen } from "../../kubernetes/meta.ts";
import { type FieldError, errorIf, forbidden, invalid, required } from "../../values/field-error.ts";
import { compareVersions, parseVersion, versionProblem } from "../../values/version.ts";
import { asoPatchErrors } from "../aso-patch-rules.ts";
import { parseCidr, parseIp } from "../../values/cidr.ts";
import { cloudErrors } from "../cloud.ts";
import { type ImmutableField, immutableFieldErrors } from "../immutable.ts";
import { resourceGroupErrors, subscriptionErrors } from "../names.ts";
import { sshPublicKeyErrors } from "../ssh-key.ts";
import { changedTagErrors } from "../tags.ts";
import { removalErrors } from "./removals.ts";
import { type UnsupportedField, unsupportedFieldErrors } from "../not-supported.ts";
import type { AzureManagedControlPlaneSpec, AzureManagedControlPlaneStatus } from "./schema.ts";

type ControlPlane = Frozen<CustomObject<AzureManagedControlPlaneSpec, AzureManagedControlPlaneStatus>>;

const DNS_PREFIX = /^[A-Za-z0-9]([A-Za-z0-9-]{0,52}[A-Za-z0-9])?$/;
const NEW_CLUSTER = "AKS cannot change it on a running cluster; create a new one";

const FIXED = [
  "subscriptionID",
  "resourceGroupName",
  "location",
  "sshPublicKey",
  "dnsServiceIP",
  "networkPlugin",
  "networkPolicy",
  "networkDataplane",
  "loadBalancerSKU",
  "httpProxyConfig",
  "outboundType",
] as const;
const FIXED_ONCE_SET = [
  "nodeResourceGroupName",
  "dnsPrefix",
  "virtualNetwork",
  "azureEnvironment",
  "disableLocalAccounts",
] as const;

const IMMUTABLE: readonly ImmutableField<ControlPlane>[] = [
  ...FIXED.map((field) => ({
    path: `spec.${field}`,
    read: ({ spec }: ControlPlane) => spec[field],
    instead: NEW_CLUSTER,
  })),
  ...FIXED_ONCE_SET.map((field) => ({
    path: `spec.${field}`,
    read: ({ spec }: ControlPlane) => spec[field],
    instead: NEW_CLUSTER,
    maySetLater: true,
  })),
  {
    path: "spec.apiServerAccessProfile",
    read: ({ spec: { apiServerAccessProfile } }) => {
      const { authorizedIPRanges: _, ...fixed } = apiServerAccessProfile ?? {};
      return Object.keys(fixed).length === 0 ? undefined : fixed;
    },
    instead: `${NEW_CLUSTER}; only authorizedIPRanges may change`,
  },
];

const unlessEmpty = (value: unknown): unknown =>
  Array.isArray(value) && value.length === 0 ? undefined : value;

const UNSUPPORTED: readonly UnsupportedField<AzureManagedControlPlaneSpec>[] = [
  {
    field: "extensions",
    read: ({ extensions }) => unlessEmpty(extensions),
    instead: "extensions of AKS are not created yet; install them with az k8s-extension, or leave it out",
  },
  {
    field: "fleetsMember",
    read: ({ fleetsMember }) => fleetsMember,
    instead: "no membership in a fleet is created yet; join it with az fleet member, or leave it out",
  },
  ...["serviceEndpoints", "privateEndpoints"].map((name) => ({
    field: `virtualNetwork.subnet.${name}`,
    read: ({ virtualNetwork }: Frozen<AzureManagedControlPlaneSpec>) =>
      unlessEmpty((virtualNetwork?.subnet as Readonly<Record<string, unknown>> | undefined)?.[name]),
    instead:
      "endpoints are not created yet; use a virtual network of your own that has them, or leave it out",
  })),
];

/** Validates an AKS cluster beyond its schema. */
export function azureManagedControlPlaneErrors(
  request: AdmissionRequest<CustomObject<AzureManagedControlPlaneSpec, AzureManagedControlPlaneStatus>>,
): readonly FieldError[] {
  const { object: controlPlane, old } = request;
  const { spec, metadata } = controlPlane;
  return [
    ...nameErrors(metadata.name),
    ...controlPlaneVersionErrors(controlPlane, old),
    ...resourceGroupErrors("spec.resourceGroupName", spec.resourceGroupName),
    ...subscriptionErrors("spec.subscriptionID", spec.subscriptionID),
    ...cloudErrors("spec.azureEnvironment", spec.azureEnvironment),
    ...networkErrors(spec),
    ...loadBalancerProfileErrors(spec.loadBalancerProfile),
    ...identityErrors(spec),
    ...loginErrors(spec, old?.spec),
    ...tokenIssuerErrors(spec, old?.spec),
    ...removalErrors(spec, old?.spec),
    // It cannot change later, so it is checked only once: an object that CAPZ stored can still be changed.
    ...(old ? [] : sshPublicKeyErrors("spec.sshPublicKey", spec.sshPublicKey)),
    ...changedTagErrors("spec.additionalTags", spec.additionalTags, old?.spec.additionalTags),
    ...asoPatchErrors("spec.asoManagedClusterPatches", spec.asoManagedClusterPatches),
    ...unsupportedFieldErrors("spec", { spec, old: old?.spec }, UNSUPPORTED),
    ...immutableFieldErrors(controlPlane, old, IMMUTABLE),
  ];
}

function nameErrors(name: string): readonly FieldError[] {
  return /microsoft|windows/i.test(name)
    ? [invalid("metadata.name", name, "must not contain microsoft or windows, which Azure reserves")]
    : [];
}

function controlPlaneVersionErrors(
  controlPlane: ControlPlane,
  old: ControlPlane | undefined,
): readonly FieldError[] {
  const { version } = controlPlane.spec;
  const problem = versionProblem(version);
  if (problem !== undefined) {
    return [invalid("spec.version", version, problem)];
  }
  const wanted = parseVersion(version);
  const floors = [old?.spec.version, old?.status?.autoUpgradeVersion];
  return floors.flatMap((floor) => {
    const parsed = floor === undefined ? undefined : parseVersion(floor);
    return wanted && parsed && compareVersions(wanted, parsed) < 0
      ? [invalid("spec.version", version, `must not be older than ${floor}: AKS cannot go back`)]
      : [];
  });
}

function networkErrors(spec: ControlPlane["spec"]): readonly FieldError[] {
  const { dnsPrefix, dnsServiceIP, networkPluginMode, networkPlugin, networkPolicy, networkDataplane } = spec;
  const ranges = spec.apiServerAccessProfile?.authorizedIPRanges ?? [];
  return [
    ...errorIf(
      dnsPrefix && !DNS_PREFIX.test(dnsPrefix),
      invalid(
        "spec.dnsPrefix",
        dnsPrefix,
        "must be 1 to 54 letters, digits or '-', and start and end with a letter or digit",
      ),
    ),
    ...errorIf(
      dnsServiceIP && !parseIp(dnsServiceIP),
      invalid("spec.dnsServiceIP", dnsServiceIP, "must be an IP address"),
    ),
    ...errorIf(
      networkPluginMode === "overlay" && networkPlugin === "kubenet",
      invalid("spec.networkPluginMode", "overlay", "needs networkPlugin azure, not kubenet"),
    ),
    ...errorIf(
      networkPolicy === "cilium" && networkDataplane !== "cilium",
      invalid("spec.networkPolicy", "cilium", "needs networkDataplane cilium"),
    ),
    ...ranges.flatMap((range, index) =>
      parseCidr(range) || parseIp(range)
        ? []
        : [
            invalid(
              `spec.apiServerAccessProfile.authorizedIPRanges[${index}]`,
              range,
              "must be an address range such as 192.0.2.0/24",
            ),
          ],
    ),
  ];
}

function loadBalancerProfileErrors(
  profile: ControlPlane["spec"]["loadBalancerProfile"],
): readonly FieldError[] {
  const path = "spec.loadBalancerProfile";
  const kinds = (["managedOutboundIPs", "outboundIPPrefixes", "outboundIPs"] as const).filter(
    (kind) => profile?.[kind] !== undefined,
  );
  const between = (
    field: "managedOutboundIPs" | "allocatedOutboundPorts" | "idleTimeoutInMinutes",
    limits: readonly [number, number],
  ) => {
    const value = profile?.[field];
    const [least, most] = limits;
    return value !== undefined && (value < least || value > most)
      ? [invalid(`${path}.${field}`, value, `must be between ${least} and ${most}`)]
      : [];
  };
  return [
    ...errorIf(kinds.length > 1, forbidden(path, `set only one of ${kinds.join(", ")}`)),
    ...between("managedOutboundIPs", [1, 100]),
    ...between("allocatedOutboundPorts", [0, 64000]),
    ...between("idleTimeoutInMinutes", [4, 120]),
  ];
}

function identityErrors(spec: ControlPlane["spec"]): readonly FieldError[] {
  const { type = "SystemAssigned", userAssignedIdentityResourceID: id } = spec.identity ?? {};
  const path = "spec.identity.userAssignedIdentityResourceID";
  return [
    ...errorIf(!spec.identityRef.name, required("spec.identityRef.name", "the AzureClusterIdentity to use")),
    ...errorIf(type === "UserAssigned" && !id, required(path, "type UserAssigned needs it")),
    ...errorIf(type === "SystemAssigned" && id, forbidden(path, "type must be UserAssigned to use it")),
  ];
}

function loginErrors(
  spec: ControlPlane["spec"],
  old: ControlPlane["spec"] | undefined,
): readonly FieldError[] {
  const { aadProfile, disableLocalAccounts } = spec;
  return [
    ...errorIf(
      disableLocalAccounts && !aadProfile,
      required("spec.aadProfile", "disableLocalAccounts leaves no other way in"),
    ),
    ...errorIf(
      old?.aadProfile && !aadProfile,
      forbidden("spec.aadProfile", `cannot be removed: ${NEW_CLUSTER}`),
    ),
  ];
}

function tokenIssuerErrors(
  spec: ControlPlane["spec"],
  old: ControlPlane["spec"] | undefined,
): readonly FieldError[] {
  const issuing = spec.oidcIssuerProfile?.enabled;
  return [
    ...errorIf(
      old?.oidcIssuerProfile?.enabled && !issuing,
      forbidden("spec.oidcIssuerProfile.enabled", `cannot be turned off: ${NEW_CLUSTER}`),
    ),
    ...errorIf(
      spec.securityProfile?.workloadIdentity?.enabled && !issuing,
      invalid("spec.securityProfile.workloadIdentity.enabled", true, "needs oidcIssuerProfile.enabled"),
    ),
  ];
}
