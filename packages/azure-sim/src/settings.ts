import type { Latencies } from "./latency/latencies.ts";
import { DEFAULT_IMAGES, type Image } from "./resources/images/image.ts";
import { DEFAULT_KUBERNETES_VERSIONS } from "./resources/managed-clusters/versions.ts";
import { DEFAULT_SIZES, type VmSize } from "./resources/skus/vm-size.ts";

/** An application or identity that can request tokens. */
export interface Principal {
  readonly tenantId: string;
  readonly clientId: string;
  readonly objectId: string;
  readonly clientSecret?: string;
  /** Service accounts that may sign in as this application: workload identity. */
  readonly federated?: readonly { readonly issuer: string; readonly subject: string }[];
  /** Can sign in without a secret from a simulated VM: managed identity. */
  readonly isManagedIdentity?: boolean;
  /** Its role in the subscriptions; Contributor unless given. */
  readonly role?: "Contributor" | "Reader" | "None";
}

/** How many cores of one family (or of all together, as `cores`) a subscription may use in a region. */
export interface Quota {
  readonly location: string;
  readonly family: string;
  readonly limit: number;
}

/** How many more VMs of one size fit into a region. */
export interface Capacity {
  readonly location: string;
  readonly size: string;
  readonly instances: number;
}

/** The settings of the simulated cloud. */
export interface AzureSettings {
  readonly subscriptions: readonly string[];
  readonly principals: readonly Principal[];
  readonly regions: readonly string[];
  readonly sizes: readonly VmSize[];
  readonly images: readonly Image[];
  /** The versions of Kubernetes that AKS offers, such as 1.33.5. */
  readonly kubernetesVersions: readonly string[];
  readonly quotas: readonly Quota[];
  readonly capacities: readonly Capacity[];
  /** Durations by operation in seconds; `recorded` takes those of real traffic, `none` ends every operation at once. */
  readonly latencies: "recorded" | "none" | Latencies;
  /** How long reads may miss new resources, as a log-normal; no lag unless given. */
  readonly consistencyLag?: { readonly p50: number; readonly p90: number };
  /** Whether requests are throttled with Azure's limits; true by default. */
  readonly isThrottled: boolean;
  /** How many instances of one set Azure works on at the same time. */
  readonly instancesAtOnce: number;
  /** How many instances a set without a single placement group may have. */
  readonly instancesInSet: number;
  /** The token of the control API at `/_sim/`; undefined turns the API off. */
  readonly controlToken?: string;
  /** The base of links in answers, where the request does not say how it came. */
  readonly origin: string;
}

/** The default tenant. */
export const DEFAULT_TENANT = "11111111-1111-1111-1111-111111111111";

/** The default subscription. */
export const DEFAULT_SUBSCRIPTION = "00000000-0000-0000-0000-000000000000";

/** The service account that may sign in as the default principal. */
export const DEFAULT_SERVICE_ACCOUNT = {
  issuer: "https://issuer.capstan.dev",
  subject: "system:serviceaccount:capstan-system:capstan-manager",
} as const;

/** The default principal: with a secret, as a managed identity, and for workload identity. */
export const DEFAULT_PRINCIPAL: Principal = {
  tenantId: DEFAULT_TENANT,
  clientId: "22222222-2222-2222-2222-222222222222",
  objectId: "33333333-3333-3333-3333-333333333333",
  clientSecret: "simulated-secret",
  isManagedIdentity: true,
  federated: [DEFAULT_SERVICE_ACCOUNT],
};

/**
 * The default core quota of a family in a region: large enough for 30,000 VMs of 4 cores, so that no test meets it by
 * accident.
 */
export const DEFAULT_CORE_LIMIT = 200_000;

const DEFAULTS: AzureSettings = {
  subscriptions: [DEFAULT_SUBSCRIPTION],
  principals: [DEFAULT_PRINCIPAL],
  // Those of Azure's own samples are among them.
  regions: [
    "westus",
    "westus2",
    "eastus",
    "eastus2",
    "westeurope",
    "northeurope",
    "swedencentral",
    "westus3",
    "centralus",
    "southcentralus",
    "uksouth",
    "southeastasia",
    "australiaeast",
  ],
  sizes: DEFAULT_SIZES,
  images: DEFAULT_IMAGES,
  kubernetesVersions: DEFAULT_KUBERNETES_VERSIONS,
  quotas: [],
  capacities: [],
  latencies: "recorded",
  isThrottled: true,
  // Recordings have no large sets; reference/azure.md, section 7, assumes 100 to 300 at once.
  instancesAtOnce: 200,
  // Azure's limit; a set that surges must stay below it in normal operation.
  instancesInSet: 1000,
  origin: "https://management.azure.com",
};

/** Completes the settings with the defaults. */
export function completeSettings(given: Partial<AzureSettings> = {}): AzureSettings {
  return { ...DEFAULTS, ...given };
}
