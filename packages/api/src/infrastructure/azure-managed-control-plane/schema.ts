import { Conditions } from "../../kubernetes/condition.ts";
import { ObjectReference } from "../../kubernetes/object-reference.ts";
import {
  type Static,
  anyObject,
  boolean,
  integer,
  listOf,
  mapOf,
  object,
  oneOf,
  optional,
  string,
} from "../../schema/schema.ts";
import { ControlPlaneEndpoint } from "../../cluster/infrastructure-contract.ts";
import { LongRunningOperationStates } from "../operation.ts";

const LoadBalancerProfile = object("How nodes reach the Internet; at most one kind of address.", {
  managedOutboundIPs: optional(integer("How many addresses AKS creates, 1 to 100.")),
  outboundIPPrefixes: optional(listOf("ARM ids of address prefixes.", string("An ARM id."))),
  outboundIPs: optional(listOf("ARM ids of addresses.", string("An ARM id."))),
  allocatedOutboundPorts: optional(integer("Ports of each node, 0 to 64000.")),
  idleTimeoutInMinutes: optional(integer("How many minutes an idle connection is kept, 4 to 120.")),
});

const SecurityProfile = object(
  "Security features of the cluster.",
  {
    azureKeyVaultKms: optional(anyObject("Encryption of Secrets with a key of yours.")),
    defender: optional(anyObject("Microsoft Defender.")),
    imageCleaner: optional(anyObject("Removal of unused images.")),
    workloadIdentity: optional(
      object("Azure identities for pods.", { enabled: boolean("Whether it is enabled.") }),
    ),
  },
  { preserveUnknown: true },
);

/** The spec of an AKS cluster. */
export const AzureManagedControlPlaneSpec = object(
  "The desired state of the AKS cluster.",
  {
    location: string("The Azure region.", {
      rules: [
        { rule: "self == oldSelf", message: "a cluster cannot move; create a new one in the other region" },
      ],
    }),
    version: string("The Kubernetes version.", { minLength: 2 }),
    resourceGroupName: string("The resource group."),
    nodeResourceGroupName: optional(string("The resource group that AKS creates for the nodes.")),
    subscriptionID: optional(string("The subscription.")),
    identityRef: ObjectReference,
    azureEnvironment: optional(string("The cloud. Only AzurePublicCloud is supported.")),
    additionalTags: optional(mapOf("Azure tags for all resources of the cluster.", string("A value."))),
    controlPlaneEndpoint: optional(ControlPlaneEndpoint),
    virtualNetwork: optional(
      object(
        "The network of the nodes.",
        {
          name: string("Its name."),
          resourceGroup: optional(string("Its resource group.")),
          cidrBlock: optional(string("Its address range.")),
          subnet: optional(
            object(
              "The subnet of the nodes.",
              { name: string("Its name."), cidrBlock: optional(string("Its address range.")) },
              { preserveUnknown: true },
            ),
          ),
        },
        { preserveUnknown: true },
      ),
    ),
    sku: optional(
      object("The tier of the cluster.", {
        tier: oneOf("The tier; Paid is the former name of Standard.", ["Free", "Paid", "Standard"], {
          default: "Free",
        }),
      }),
    ),
    identity: optional(
      object("The identity of the control plane.", {
        type: optional(oneOf("Its kind.", ["SystemAssigned", "UserAssigned"], { default: "SystemAssigned" })),
        userAssignedIdentityResourceID: optional(string("The ARM id of the identity.")),
      }),
    ),
    kubeletUserAssignedIdentity: optional(string("The ARM id of the identity of the kubelets.")),
    sshPublicKey: optional(string("The key that may log in to nodes, as base64.")),
    networkPlugin: optional(
      oneOf("The network of the pods.", ["azure", "kubenet", "none"], { default: "azure" }),
    ),
    networkPluginMode: optional(oneOf("A variant of it.", ["overlay"])),
    networkPolicy: optional(oneOf("The network policy engine.", ["azure", "calico", "cilium"])),
    networkDataplane: optional(oneOf("The data plane.", ["azure", "cilium"])),
    outboundType: optional(
      oneOf("How nodes reach the Internet.", [
        "loadBalancer",
        "managedNATGateway",
        "userAssignedNATGateway",
        "userDefinedRouting",
      ]),
    ),
    loadBalancerSKU: optional(
      oneOf("The tier of the load balancer.", ["Basic", "Standard"], { default: "Standard" }),
    ),
    loadBalancerProfile: optional(LoadBalancerProfile),
    dnsPrefix: optional(string("The prefix of the DNS name of the API server.")),
    dnsServiceIP: optional(string("The address of the DNS service in the cluster.")),
    disableLocalAccounts: optional(boolean("Whether only Entra ID accounts can log in.")),
    aadProfile: optional(
      object("Log-in with Entra ID.", {
        managed: boolean("Whether AKS manages it."),
        adminGroupObjectIDs: listOf("Groups whose members administer the cluster.", string("An id.")),
      }),
    ),
    addonProfiles: optional(
      listOf(
        "Add-ons of AKS.",
        object("An add-on.", {
          name: string("Its name."),
          enabled: boolean("Whether it is enabled."),
          config: optional(mapOf("Its settings.", string("A setting."))),
        }),
      ),
    ),
    apiServerAccessProfile: optional(
      object("Access to the API server.", {
        authorizedIPRanges: optional(listOf("Address ranges that have access.", string("A range."))),
        enablePrivateCluster: optional(boolean("Whether only the network has access.")),
        privateDNSZone: optional(string("The private DNS zone.")),
        enablePrivateClusterPublicFQDN: optional(boolean("Whether a private cluster has a public name.")),
      }),
    ),
    autoUpgradeProfile: optional(
      object("Upgrades that AKS does by itself.", {
        upgradeChannel: optional(oneOf("Which ones.", ["node-image", "none", "patch", "rapid", "stable"])),
      }),
    ),
    autoscalerProfile: optional(anyObject("Settings of the cluster autoscaler.")),
    httpProxyConfig: optional(anyObject("The proxy that nodes use.")),
    oidcIssuerProfile: optional(
      object("The issuer of service account tokens.", {
        enabled: optional(boolean("Whether it is enabled.", { default: false })),
      }),
    ),
    securityProfile: optional(SecurityProfile),
    extensions: optional(listOf("Extensions of AKS.", anyObject("An extension."))),
    fleetsMember: optional(anyObject("Membership in a fleet.")),
    machineTemplate: optional(anyObject("Not used; the contract requires it.")),
    enablePreviewFeatures: optional(boolean("Whether the preview API of AKS is used.", { default: false })),
    asoManagedClusterPatches: optional(
      listOf(
        "Patches over the ASO ManagedCluster, in order: JSON merge patches (objects) or JSON patches (lists).",
        string("A patch, as YAML or JSON."),
      ),
    ),
  },
  { preserveUnknown: true },
);

/** The spec of an AKS cluster. */
export type AzureManagedControlPlaneSpec = Static<typeof AzureManagedControlPlaneSpec>;

/** The status of an AKS cluster. */
export const AzureManagedControlPlaneStatus = object(
  "The observed state of the AKS cluster.",
  {
    ready: optional(boolean("Whether the cluster is ready.")),
    initialized: optional(boolean("Whether the API server has answered once.")),
    initialization: optional(
      object(
        "What has been done since the object was created.",
        {
          controlPlaneInitialized: optional(
            boolean("Whether the API server has answered once; it stays true."),
          ),
        },
        { minProperties: 1 },
      ),
    ),
    externalManagedControlPlane: optional(
      boolean("True: AKS runs the control plane, which has no machines here."),
    ),
    version: optional(string("The Kubernetes version of the control plane.")),
    versions: optional(
      listOf(
        "The Kubernetes versions of the control plane, the oldest first; AKS reports one.",
        object("A version.", { version: string("The version.") }),
      ),
    ),
    autoUpgradeVersion: optional(string("The version that AKS upgraded to by itself.", { minLength: 2 })),
    conditions: optional(Conditions),
    longRunningOperationStates: optional(LongRunningOperationStates),
    oidcIssuerProfile: optional(
      object("The issuer of service account tokens.", { issuerURL: optional(string("Its address.")) }),
    ),
  },
  { preserveUnknown: true },
);

/** The status of an AKS cluster. */
export type AzureManagedControlPlaneStatus = Static<typeof AzureManagedControlPlaneStatus>;
