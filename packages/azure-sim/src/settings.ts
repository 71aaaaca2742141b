import type { Latencies } from "./latency/latencies.ts";
import { DEFAULT_IMAGES, type Image } from "./resources/images/image.ts";
import { DEFAULT_SIZES, type VmSize } from "./resources/skus/vm-size.ts";

/** Somebody who may ask for tokens. */
export interface Principal {
  readonly tenantId: string;
  readonly clientId: string;
  readonly objectId: string;
  readonly clientSecret?: string;
  /** Service accounts that may sign in as this application: workload identity. */
  readonly federated?: readonly { readonly issuer: string; readonly subject: string }[];
  /** May sign in without a secret from a simulated VM: managed identity. */
  readonly isManagedIdentity?: boolean;
  /** What it may do in the subscriptions; everything unless told. */
  readonly role?: "Contributor" | "Reader" | "None";
}

/** How many cores of one family (or of all together, as `cores`) a subscription may use in a region. */
export interface Quota {
  readonly location: string;
  readonly family: string;
  readonly limit: number;
}

/** How many more VMs of one size a region has room for. */
export interface Capacity {
  readonly location: string;
  readonly size: string;
  readonly instances: number;
}

/** What the simulated cloud is like. */
export interface AzureSettings {
  readonly subscriptions: readonly string[];
  readonly principals: readonly Principal[];
  readonly regions: readonly string[];
  readonly sizes: readonly VmSize[];
  readonly images: readonly Image[];
  readonly quotas: readonly Quota[];
  readonly capacities: readonly Capacity[];
  /** Durations by operation in seconds; `recorded` are those of real traffic, `none` finishes everything at once. */
  readonly latencies: "recorded" | "none" | Latencies;
  /** How long reads may miss what was just created, as a log-normal; at once unless told. */
  readonly consistencyLag?: { readonly p50: number; readonly p90: number };
  /** Whether requests are counted and refused; real limits unless told. */
  readonly isThrottled: boolean;
  /** How many instances of one set Azure works on at the same time. */
  readonly instancesAtOnce: number;
  /** How many instances a set without a single placement group may have. */
  readonly instancesInSet: number;
  /** What opens `/_sim/`; nothing does when it is undefined. */
  readonly controlToken?: string;
  /** The base of the links in answers, where the request does not say how it came. */
  readonly origin: string;
}

/** The tenant that is there unless told otherwise. */
export const DEFAULT_TENANT = "11111111-1111-1111-1111-111111111111";

/** The subscription that is there unless told otherwise. */
export const DEFAULT_SUBSCRIPTION = "00000000-0000-0000-0000-000000000000";

/** The principal that is there unless told otherwise, with a secret and as a managed identity. */
export const DEFAULT_PRINCIPAL: Principal = {
  tenantId: DEFAULT_TENANT,
  clientId: "22222222-2222-2222-2222-222222222222",
  objectId: "33333333-3333-3333-3333-333333333333",
  clientSecret: "simulated-secret",
  isManagedIdentity: true,
};

/** The cores of a family and region unless told otherwise: nobody meets it by accident, 30,000 VMs of 4 cores fit. */
export const DEFAULT_CORE_LIMIT = 200_000;

const DEFAULTS: AzureSettings = {
  subscriptions: [DEFAULT_SUBSCRIPTION],
  principals: [DEFAULT_PRINCIPAL],
  regions: ["westus", "westus2", "eastus", "eastus2", "westeurope", "northeurope", "swedencentral"],
  sizes: DEFAULT_SIZES,
  images: DEFAULT_IMAGES,
  quotas: [],
  capacities: [],
  latencies: "recorded",
  isThrottled: true,
  // Recordings have no large sets; between 100 and 300 at once is the assumption of reference/azure.md, section 7.
  instancesAtOnce: 200,
  // What Azure allows; one that surges cannot have as many in ordinary times.
  instancesInSet: 1000,
  origin: "https://management.azure.com",
};

/** Fills in what the caller leaves open. */
export function completeSettings(given: Partial<AzureSettings> = {}): AzureSettings {
  return { ...DEFAULTS, ...given };
}
