/** The ManagedCluster of Azure Service Operator for an AzureManagedControlPlane. Pure. */
import {
  type AzureManagedControlPlane,
  type Cluster,
  type Frozen,
  isJsonObject,
  type ManagedCluster,
} from "@capstan/api";
import type { Tags } from "../ownership-tags.ts";
import { armReference, objectNameFor, present, presentOrNone } from "./desired-object.ts";
import { newestVersion } from "./kubernetes-version.ts";

/** Everything that the spec of a ManagedCluster depends on. */
export interface ManagedClusterInput {
  readonly controlPlane: Frozen<AzureManagedControlPlane>;
  readonly cluster: Frozen<Cluster>;
  /** The pools with which AKS creates the cluster, sorted by name. */
  readonly pools: readonly Readonly<Record<string, unknown>>[];
  readonly tags: Tags;
  /** The ManagedCluster as it is now. */
  readonly observed?: Frozen<ManagedCluster> | undefined;
}

type Spec = Frozen<AzureManagedControlPlane>["spec"];

const KUBECONFIG_KEY = "value";

/** The names of the Secrets and ConfigMaps that Azure Service Operator writes for a cluster. */
export function asoOutputs(clusterName: string): { admin: string; user: string; issuer: string } {
  return {
    admin: `${clusterName}-aso-kubeconfig`,
    user: `${clusterName}-user-aso-kubeconfig`,
    issuer: `${clusterName}-aso-oidc-issuer-profile`,
  };
}

/** The spec of the ManagedCluster. */
export function managedClusterSpec(input: ManagedClusterInput): Record<string, unknown> {
  const { controlPlane, cluster, tags, observed } = input;
  const { spec, metadata } = controlPlane;
  return present({
    azureName: metadata.name,
    owner: { name: objectNameFor(spec.resourceGroupName) },
    location: spec.location,
    nodeResourceGroup: spec.nodeResourceGroupName,
    dnsPrefix: spec.dnsPrefix,
    enableRBAC: true,
    servicePrincipalProfile: { clientId: "msi" },
    // AKS cannot go back, and it may have upgraded the cluster by itself.
    kubernetesVersion: newestVersion(spec.version, currentVersion(observed)),
    identity: identityOf(spec),
    identityProfile: spec.kubeletUserAssignedIdentity
      ? { kubeletidentity: { resourceReference: armReference(spec.kubeletUserAssignedIdentity) } }
      : undefined,
    linuxProfile: linuxProfileOf(spec),
    networkProfile: networkProfileOf(spec, cluster),
    aadProfile: aadProfileOf(spec),
    disableLocalAccounts: spec.aadProfile ? spec.disableLocalAccounts : undefined,
    addonProfiles: addonsOf(spec),
    sku: spec.sku ? { name: "Base", tier: spec.sku.tier } : undefined,
    apiServerAccessProfile: spec.apiServerAccessProfile && presentOrNone({ ...spec.apiServerAccessProfile }),
    autoScalerProfile: spec.autoscalerProfile && presentOrNone(kebabCased(spec.autoscalerProfile)),
    httpProxyConfig: spec.httpProxyConfig,
    oidcIssuerProfile: spec.oidcIssuerProfile?.enabled ? { enabled: true } : undefined,
    autoUpgradeProfile: spec.autoUpgradeProfile && presentOrNone({ ...spec.autoUpgradeProfile }),
    securityProfile: securityProfileOf(spec),
    tags,
    agentPoolProfiles: hasPools(observed) ? undefined : input.pools,
    operatorSpec: operatorSpecOf(spec, cluster.metadata.name),
  });
}

/** Whether AKS has created the cluster: from then on its pools have objects of their own. */
export function hasPools(observed: Frozen<ManagedCluster> | undefined): boolean {
  return Array.isArray(observed?.status?.["agentPoolProfiles"]);
}

/** The version that the control plane runs. */
export function currentVersion(observed: Frozen<ManagedCluster> | undefined): string | undefined {
  const version = observed?.status?.["currentKubernetesVersion"];
  return typeof version === "string" ? version : undefined;
}

function identityOf({ identity }: Spec): unknown {
  const { type = "SystemAssigned", userAssignedIdentityResourceID: id } = identity ?? {};
  return { type, ...(id && { userAssignedIdentities: [{ reference: armReference(id) }] }) };
}

function linuxProfileOf({ sshPublicKey }: Spec): unknown {
  if (!sshPublicKey) return undefined;
  const keyData = Buffer.from(sshPublicKey, "base64").toString("utf8").trim();
  return { adminUsername: "azureuser", ssh: { publicKeys: [{ keyData }] } };
}

function networkProfileOf(spec: Spec, { spec: { clusterNetwork } }: Frozen<Cluster>): unknown {
  const [serviceCidr] = clusterNetwork?.services?.cidrBlocks ?? [];
  const [podCidr] = clusterNetwork?.pods?.cidrBlocks ?? [];
  return presentOrNone({
    networkPlugin: spec.networkPlugin,
    networkPluginMode: spec.networkPluginMode,
    networkPolicy: spec.networkPolicy,
    networkDataplane: spec.networkDataplane,
    outboundType: spec.outboundType,
    loadBalancerSku: spec.loadBalancerSKU?.toLowerCase(),
    serviceCidr,
    podCidr,
    dnsServiceIP: spec.dnsServiceIP ?? (serviceCidr === undefined ? undefined : dnsAddressIn(serviceCidr)),
    loadBalancerProfile: loadBalancerProfileOf(spec),
  });
}

/** AKS expects the DNS service at the address that ends in .10. */
function dnsAddressIn(serviceCidr: string): string | undefined {
  const octets = serviceCidr.split("/")[0]?.split(".") ?? [];
  return octets.length === 4 ? [...octets.slice(0, 3), "10"].join(".") : undefined;
}

function loadBalancerProfileOf({ loadBalancerProfile: profile }: Spec): unknown {
  if (!profile) return undefined;
  const references = (ids: readonly string[] | undefined): unknown =>
    ids?.map((id) => ({ reference: armReference(id) }));
  return presentOrNone({
    managedOutboundIPs:
      profile.managedOutboundIPs === undefined ? undefined : { count: profile.managedOutboundIPs },
    outboundIPPrefixes: profile.outboundIPPrefixes && {
      publicIPPrefixes: references(profile.outboundIPPrefixes),
    },
    outboundIPs: profile.outboundIPs && { publicIPs: references(profile.outboundIPs) },
    allocatedOutboundPorts: profile.allocatedOutboundPorts,
    idleTimeoutInMinutes: profile.idleTimeoutInMinutes,
  });
}

function aadProfileOf({ aadProfile }: Spec): unknown {
  if (!aadProfile) return undefined;
  const { managed, adminGroupObjectIDs } = aadProfile;
  return { managed, enableAzureRBAC: managed, adminGroupObjectIDs };
}

function addonsOf({ addonProfiles }: Spec): unknown {
  if (!addonProfiles || addonProfiles.length === 0) return undefined;
  return Object.fromEntries(
    addonProfiles.map(({ name, enabled, config }) => [name, { enabled, ...(config && { config }) }]),
  );
}

/** Azure Service Operator spells these fields as the flags of the autoscaler: `scan-interval`. */
function kebabCased(profile: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(profile).map(([name, value]) => [
      name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`),
      value,
    ]),
  );
}

function securityProfileOf({ securityProfile: profile }: Spec): unknown {
  if (!profile) return undefined;
  const { keyID, keyVaultResourceID, ...kms } = objectOf(profile.azureKeyVaultKms);
  const { logAnalyticsWorkspaceResourceID, ...defender } = objectOf(profile.defender);
  return presentOrNone({
    azureKeyVaultKms: presentOrNone({
      ...kms,
      keyId: keyID,
      keyVaultResourceReference: armReference(textOf(keyVaultResourceID)),
    }),
    defender: presentOrNone({
      ...defender,
      logAnalyticsWorkspaceResourceReference: armReference(textOf(logAnalyticsWorkspaceResourceID)),
    }),
    imageCleaner: profile.imageCleaner,
    workloadIdentity: profile.workloadIdentity,
  });
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return isJsonObject(value) ? value : {};
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function operatorSpecOf(spec: Spec, clusterName: string): unknown {
  const names = asoOutputs(clusterName);
  const secrets = presentOrNone({
    adminCredentials: spec.disableLocalAccounts ? undefined : { name: names.admin, key: KUBECONFIG_KEY },
    userCredentials: spec.aadProfile?.managed ? { name: names.user, key: KUBECONFIG_KEY } : undefined,
  });
  const issuer = { name: names.issuer, key: "oidc-issuer-profile-url" };
  const configMaps = spec.oidcIssuerProfile?.enabled ? { oidcIssuerProfile: issuer } : undefined;
  return presentOrNone({ secrets, configMaps });
}
