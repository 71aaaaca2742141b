import { Conditions } from "../../kubernetes/condition.ts";
import {
  type Static,
  boolean,
  integer,
  listMap,
  listOf,
  mapOf,
  object,
  oneOf,
  optional,
  quantity,
  string,
} from "../../schema/schema.ts";
import { ObjectReference } from "../../kubernetes/object-reference.ts";
import { LongRunningOperationStates, Operation } from "../operation.ts";
import { ControlPlaneEndpoint, FailureDomains } from "../../cluster/infrastructure-contract.ts";
import { Initialization } from "../initialization.ts";
import { LoadBalancer, PublicIP } from "./load-balancer.ts";
import { Subnet, Vnet } from "./subnet.ts";

/** The descriptions of the spec and of the status, in all versions. */
export const SPEC = "The desired state of the cluster's infrastructure.";
export const STATUS = "The observed state of the cluster's infrastructure.";

const RATE_LIMITS = [
  "defaultRateLimit",
  "routeRateLimit",
  "subnetsRateLimit",
  "interfaceRateLimit",
  "routeTableRateLimit",
  "loadBalancerRateLimit",
  "publicIPAddressRateLimit",
  "securityGroupRateLimit",
  "virtualMachineRateLimit",
  "storageAccountRateLimit",
  "diskRateLimit",
  "snapshotRateLimit",
  "virtualMachineScaleSetRateLimit",
  "virtualMachineSizesRateLimit",
  "availabilitySetRateLimit",
] as const;

const NetworkSpec = object("The network of the cluster.", {
  vnet: optional(Vnet),
  subnets: optional(listMap("Its subnets.", Subnet, { keys: ["name"] })),
  apiServerLB: optional(LoadBalancer),
  nodeOutboundLB: optional(LoadBalancer),
  controlPlaneOutboundLB: optional(LoadBalancer),
  additionalAPIServerLBPorts: optional(
    listOf(
      "Further ports of the load balancer before the API server.",
      object("A port.", { name: string("Its name."), port: integer("Its number.") }),
    ),
  ),
  privateDNSZone: optional(oneOf("Whether a private DNS zone is created.", ["System", "None"])),
  privateDNSZoneName: optional(string("The name of the private DNS zone.")),
  privateDNSZoneResourceGroup: optional(string("The resource group of the private DNS zone.")),
});

/** The network of the cluster. */
export type NetworkSpec = Static<typeof NetworkSpec>;

const BastionSpec = object("Access for users.", {
  azureBastion: optional(
    object("An Azure Bastion host.", {
      name: optional(string("Its name.")),
      sku: optional(oneOf("Its tier.", ["Basic", "Standard"], { default: "Basic" })),
      enableTunneling: optional(boolean("Whether other protocols can be tunnelled.", { default: false })),
      publicIP: optional(PublicIP),
      subnet: optional(Subnet),
    }),
  ),
});

const CloudProviderConfigOverrides = object("Settings of the cloud provider in the workload cluster.", {
  rateLimits: optional(
    listOf(
      "Its rate limits for calls to Azure.",
      object("The limits of one kind of call.", {
        name: oneOf("The kind of call.", RATE_LIMITS),
        config: optional(
          object("The limits.", {
            cloudProviderRateLimit: optional(boolean("Whether there is a limit.")),
            cloudProviderRateLimitQPS: optional(quantity("Reads in a second.")),
            cloudProviderRateLimitBucket: optional(integer("Reads at once.")),
            cloudProviderRateLimitQPSWrite: optional(quantity("Writes in a second.")),
            cloudProviderRateLimitBucketWrite: optional(integer("Writes at once.")),
          }),
        ),
      }),
    ),
  ),
  backOffs: optional(
    object("Its backoff before a retry.", {
      cloudProviderBackoff: optional(boolean("Whether the backoff is enabled.")),
      cloudProviderBackoffRetries: optional(integer("The number of retries.")),
      cloudProviderBackoffExponent: optional(quantity("The factor by which the wait grows.")),
      cloudProviderBackoffDuration: optional(integer("The first wait, in seconds.")),
      cloudProviderBackoffJitter: optional(quantity("The jitter of the wait.")),
    }),
  ),
});

/** The fields of the spec that all versions share. */
export const specFields = {
  location: string("The Azure region.", {
    rules: [
      { rule: "self == oldSelf", message: "a cluster cannot move; create a new one in the other region" },
    ],
  }),
  resourceGroup: optional(string("The resource group; default: the name of the cluster.")),
  subscriptionID: optional(string("The subscription.")),
  identityRef: optional(ObjectReference),
  azureEnvironment: optional(string("The cloud. Only AzurePublicCloud is supported.")),
  networkSpec: optional(NetworkSpec),
  controlPlaneEnabled: optional(
    boolean("Whether the control plane runs in this infrastructure.", { default: true }),
  ),
  additionalTags: optional(mapOf("Azure tags for all resources of the cluster.", string("A value."))),
  bastionSpec: optional(BastionSpec),
  cloudProviderConfigOverrides: optional(CloudProviderConfigOverrides),
  extendedLocation: optional(
    object("An edge zone. Not supported yet.", {
      name: string("Its name."),
      type: oneOf("Its kind.", ["EdgeZone"]),
    }),
  ),
  failureDomains: optional(FailureDomains),
};

/** The spec of a cluster. */
export const AzureClusterSpec = object(SPEC, {
  ...specFields,
  controlPlaneEndpoint: optional(ControlPlaneEndpoint),
});

/** The spec of a cluster. */
export type AzureClusterSpec = Static<typeof AzureClusterSpec>;

/** The fields of the status that all versions share. */
export const statusFields = {
  ready: optional(boolean("Whether machines can be created.")),
  initialization: optional(Initialization),
  conditions: optional(Conditions),
  longRunningOperationStates: optional(LongRunningOperationStates),
  operation: optional(Operation),
};

/** The status of a cluster. */
export const AzureClusterStatus = object(STATUS, {
  ...statusFields,
  failureDomains: optional(FailureDomains),
});

/** The status of a cluster. */
export type AzureClusterStatus = Static<typeof AzureClusterStatus>;
