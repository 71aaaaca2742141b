import { describe, expect, test } from "vitest";
import { withDefaults } from "../../admission.ts";
import { formatFieldError } from "../../values/field-error.ts";
import { AzureManagedControlPlane } from "./azure-managed-control-plane.ts";

type Spec = AzureManagedControlPlane["spec"];

const controlPlane = (spec: Partial<Spec> = {}, name = "aks"): AzureManagedControlPlane => ({
  apiVersion: AzureManagedControlPlane.apiVersion,
  kind: AzureManagedControlPlane.kind,
  metadata: { name, namespace: "default", labels: { "cluster.x-k8s.io/cluster-name": "cluster" } },
  spec: {
    location: "westeurope",
    version: "v1.31.2",
    resourceGroupName: "rg",
    identityRef: { kind: "AzureClusterIdentity", name: "id" },
    ...spec,
  },
});
const errors = (object: AzureManagedControlPlane, old?: AzureManagedControlPlane): string[] =>
  AzureManagedControlPlane.validate({ object, ...(old && { old }) }).map(formatFieldError);
// The schema of a subnet keeps fields that it does not know.
const withEndpoints: object & { name: string } = Object.assign(
  { name: "s" },
  { serviceEndpoints: [{ service: "x" }] },
);

describe("defaults of an AKS control plane", () => {
  test("set the names that AKS needs", () => {
    const { spec } = withDefaults(
      AzureManagedControlPlane,
      controlPlane({ version: "1.31.2", resourceGroupName: "", sku: { tier: "Paid" } }),
    );
    expect(spec).toMatchObject({
      version: "v1.31.2",
      resourceGroupName: "cluster",
      nodeResourceGroupName: "MC_cluster_aks_westeurope",
      dnsPrefix: "aks",
      sku: { tier: "Standard" },
      oidcIssuerProfile: { enabled: false },
      virtualNetwork: {
        name: "aks",
        resourceGroup: "cluster",
        cidrBlock: "10.0.0.0/8",
        subnet: { name: "aks", cidrBlock: "10.240.0.0/16" },
      },
    });
  });

  test("set the resource group when it is left out", () => {
    const { resourceGroupName: _, ...spec } = controlPlane().spec;
    const defaulted = withDefaults(AzureManagedControlPlane, { ...controlPlane(), spec: spec as Spec });
    expect(defaulted.spec.resourceGroupName).toBe("cluster");
    expect(errors(defaulted)).toEqual([]);
  });

  test("leave room for overlay pods", () => {
    const { spec } = withDefaults(AzureManagedControlPlane, controlPlane({ networkPluginMode: "overlay" }));
    expect(spec.virtualNetwork).toMatchObject({
      cidrBlock: "10.224.0.0/12",
      subnet: { cidrBlock: "10.224.0.0/16" },
    });
  });

  test("are valid, and change nothing the second time", () => {
    const once = withDefaults(AzureManagedControlPlane, controlPlane());
    expect(errors(once)).toEqual([]);
    expect(withDefaults(AzureManagedControlPlane, once)).toEqual(once);
    expect(errors(once, once)).toEqual([]);
  });
});

describe("an AKS control plane is rejected", () => {
  test.each<[Partial<Spec>, string]>([
    [
      { version: "v1.31" },
      'spec.version: Invalid value: "v1.31": must be a valid semantic version, such as v1.31.2',
    ],
    [
      { azureEnvironment: "AzureUSGovernmentCloud" },
      'spec.azureEnvironment: Unsupported value: "AzureUSGovernmentCloud": supported values: "AzurePublicCloud"',
    ],
    [
      { dnsPrefix: "-a" },
      `spec.dnsPrefix: Invalid value: "-a": must be 1 to 54 letters, digits or '-', and start and end with a letter or digit`,
    ],
    [{ dnsServiceIP: "ten" }, 'spec.dnsServiceIP: Invalid value: "ten": must be an IP address'],
    [
      { networkPluginMode: "overlay", networkPlugin: "kubenet" },
      'spec.networkPluginMode: Invalid value: "overlay": needs networkPlugin azure, not kubenet',
    ],
    [
      { networkPolicy: "cilium" },
      'spec.networkPolicy: Invalid value: "cilium": needs networkDataplane cilium',
    ],
    [
      { apiServerAccessProfile: { authorizedIPRanges: ["192.0.2.0/24", "x"] } },
      'spec.apiServerAccessProfile.authorizedIPRanges[1]: Invalid value: "x": must be an address range such as 192.0.2.0/24',
    ],
    [
      { loadBalancerProfile: { managedOutboundIPs: 101 } },
      "spec.loadBalancerProfile.managedOutboundIPs: Invalid value: 101: must be between 1 and 100",
    ],
    [
      { loadBalancerProfile: { managedOutboundIPs: 1, outboundIPs: ["/x"] } },
      "spec.loadBalancerProfile: Forbidden: set only one of managedOutboundIPs, outboundIPs",
    ],
    [
      { identity: { type: "UserAssigned" } },
      "spec.identity.userAssignedIdentityResourceID: Required value: type UserAssigned needs it",
    ],
    [
      { disableLocalAccounts: true },
      "spec.aadProfile: Required value: disableLocalAccounts leaves no other way in",
    ],
    [
      { securityProfile: { workloadIdentity: { enabled: true } } },
      "spec.securityProfile.workloadIdentity.enabled: Invalid value: true: needs oidcIssuerProfile.enabled",
    ],
    [
      { asoManagedClusterPatches: ["{}", "spec:\n  azureName: x\n"] },
      "spec.asoManagedClusterPatches[1]: Forbidden: /spec/azureName is not patchable: the controller sets it",
    ],
    [
      { extensions: [{ name: "flux" }] },
      "spec.extensions: Forbidden: extensions of AKS are not created yet; install them with az k8s-extension, or leave it out",
    ],
    [
      { fleetsMember: { name: "fleet" } },
      "spec.fleetsMember: Forbidden: no membership in a fleet is created yet; join it with az fleet member, or leave it out",
    ],
    [
      { sshPublicKey: "c3NoLXJzYQ==" },
      `spec.sshPublicKey: Invalid value: "c3NoLXJzYQ==": must be the base64 of an authorized_keys line such as 'ssh-ed25519 AAAA… comment'`,
    ],
    [
      { additionalTags: { "a/b": "c" } },
      'spec.additionalTags: Invalid value: "a/b": the name of a tag has 1 to 512 characters, none of them < > % & \\ ? or /',
    ],
    [
      { virtualNetwork: { name: "v", subnet: withEndpoints } },
      "spec.virtualNetwork.subnet.serviceEndpoints: Forbidden: endpoints are not created yet; use a virtual network of your own that has them, or leave it out",
    ],
  ])("%j", (spec, message) => {
    expect(errors(controlPlane(spec))).toEqual([message]);
  });

  test("with a name that Azure reserves", () => {
    expect(errors(controlPlane({}, "my-windows"))).toEqual([
      'metadata.name: Invalid value: "my-windows": must not contain microsoft or windows, which Azure reserves',
    ]);
  });
});

describe("a running AKS control plane", () => {
  const NEW = "AKS cannot change it on a running cluster; create a new one";

  test("may get address ranges that have access later", () => {
    const changed = controlPlane({ apiServerAccessProfile: { authorizedIPRanges: ["192.0.2.0/24"] } });
    expect(errors(changed, controlPlane())).toEqual([]);
    expect(errors(controlPlane(), changed)).toEqual([]);
  });

  test("that CAPZ stored with a field without an effect can still be changed", () => {
    const fleetsMember = { name: "fleet" };
    const changed = controlPlane({ fleetsMember, version: "v1.32.0" });
    expect(errors(changed, controlPlane({ fleetsMember }))).toEqual([]);
  });

  test("may be upgraded and patched", () => {
    const changed = controlPlane({ version: "v1.32.0", asoManagedClusterPatches: ['{"spec":{"a":1}}'] });
    expect(errors(changed, controlPlane())).toEqual([]);
  });

  test.each<[Partial<Spec>, Partial<Spec>, string]>([
    [
      {},
      { version: "v1.30.0" },
      'spec.version: Invalid value: "v1.30.0": must not be older than v1.31.2: AKS cannot go back',
    ],
    [
      {},
      { location: "eastus" },
      `spec.location: Forbidden: cannot change from "westeurope" to "eastus": ${NEW}`,
    ],
    [
      { dnsPrefix: "a" },
      { dnsPrefix: "b" },
      `spec.dnsPrefix: Forbidden: cannot change from "a" to "b": ${NEW}`,
    ],
    [
      { oidcIssuerProfile: { enabled: true } },
      {},
      `spec.oidcIssuerProfile.enabled: Forbidden: cannot be turned off: ${NEW}`,
    ],
    [
      { aadProfile: { managed: true, adminGroupObjectIDs: [] } },
      {},
      `spec.aadProfile: Forbidden: cannot be removed: ${NEW}`,
    ],
    [
      { aadProfile: { managed: true, adminGroupObjectIDs: [] } },
      { aadProfile: { managed: false, adminGroupObjectIDs: [] } },
      `spec.aadProfile.managed: Forbidden: cannot be turned off: ${NEW}`,
    ],
    [
      { addonProfiles: [{ name: "azurepolicy", enabled: true }] },
      { addonProfiles: [] },
      "spec.addonProfiles: Forbidden: AKS keeps add-on azurepolicy when it is left out; set its enabled to false",
    ],
    [
      { autoUpgradeProfile: { upgradeChannel: "stable" } },
      {},
      "spec.autoUpgradeProfile.upgradeChannel: Forbidden: AKS keeps stable when it is left out; set it to none",
    ],
    ...(["azureKeyVaultKms", "imageCleaner"] as const).map(
      (field): [Partial<Spec>, Partial<Spec>, string] => [
        { securityProfile: { [field]: { enabled: true } } },
        {},
        `spec.securityProfile.${field}: Forbidden: AKS keeps it when it is left out; set enabled to false`,
      ],
    ),
    [
      { securityProfile: { defender: { securityMonitoring: { enabled: true } } } },
      { securityProfile: {} },
      "spec.securityProfile.defender: Forbidden: AKS keeps it when it is left out; set securityMonitoring.enabled to false",
    ],
  ])("keeps what AKS cannot change: %j, then %j", (before, after, message) => {
    expect(errors(controlPlane(after), controlPlane(before))).toEqual([message]);
  });

  test("may lose features that are off", () => {
    const off = controlPlane({
      addonProfiles: [{ name: "azurepolicy", enabled: false }],
      autoUpgradeProfile: { upgradeChannel: "none" },
      securityProfile: {
        imageCleaner: { enabled: false },
        defender: { securityMonitoring: { enabled: false } },
      },
    });
    expect(errors(controlPlane(), off)).toEqual([]);
  });

  test("that CAPZ stored with a key and tags of another form can still be changed", () => {
    const stored = { sshPublicKey: "plain", additionalTags: { "a/b": "c" } };
    expect(errors(controlPlane({ ...stored, version: "v1.32.0" }), controlPlane(stored))).toEqual([]);
  });

  test("may change who can reach it, but not how", () => {
    const profile = (apiServerAccessProfile: Spec["apiServerAccessProfile"]) =>
      controlPlane(apiServerAccessProfile ? { apiServerAccessProfile } : {});
    const ranges = { authorizedIPRanges: ["192.0.2.0/24"] };
    expect(
      errors(profile({ ...ranges, enablePrivateCluster: true }), profile({ enablePrivateCluster: true })),
    ).toEqual([]);
    expect(errors(profile({ enablePrivateCluster: true }), profile({}))).toHaveLength(1);
  });

  test("cannot go below the version that AKS chose by itself", () => {
    const old = { ...controlPlane({ version: "v1.31.2" }), status: { autoUpgradeVersion: "v1.31.9" } };
    expect(errors(controlPlane({ version: "v1.31.5" }), old)).toEqual([
      'spec.version: Invalid value: "v1.31.5": must not be older than v1.31.9: AKS cannot go back',
    ]);
  });
});

test.each<[Partial<Spec>, string]>([
  [
    { apiServerAccessProfile: { privateDNSZone: "system" } },
    "privateDNSZone has an effect only with enablePrivateCluster",
  ],
  [
    { apiServerAccessProfile: { enablePrivateCluster: true, authorizedIPRanges: ["192.0.2.0/24"] } },
    "AKS refuses ranges on a private cluster",
  ],
  [
    { securityProfile: { azureKeyVaultKms: { enabled: true, keyID: "k" } } },
    "AKS wants identity.type UserAssigned",
  ],
  [
    { securityProfile: { azureKeyVaultKms: { keyVaultNetworkAccess: "Private" } } },
    "AKS wants it with keyVaultNetworkAccess Private",
  ],
  [{ networkDataplane: "cilium", networkPlugin: "kubenet" }, "AKS wants networkPlugin azure"],
  [{ autoscalerProfile: { scanInterval: "1m" } }, 'AKS wants a duration in seconds, such as "20s"'],
  [
    { autoscalerProfile: { scaleDownUnneededTime: 10 } },
    "spec.autoscalerProfile.scaleDownUnneededTime 10: AKS wants",
  ],
  [{ autoscalerProfile: { scaleDownUtilizationThreshold: "1.5" } }, "AKS wants a number from 0 to 1"],
])("a combination that AKS refuses is warned about: %j", (spec, warning) => {
  const warnings = (given: Partial<Spec>) => AzureManagedControlPlane.warn({ object: controlPlane(given) });
  expect(warnings(spec)).toEqual([expect.stringContaining(warning)]);
  expect(warnings({})).toEqual([]);
  expect(
    warnings({ autoscalerProfile: { scanInterval: "20s", scaleDownUtilizationThreshold: "0.5" } }),
  ).toEqual([]);
});
