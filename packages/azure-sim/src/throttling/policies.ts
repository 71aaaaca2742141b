import type { BucketSize } from "./bucket.ts";

/** One bucket that a policy counts in. */
export interface Limit {
  /** The name in the header, with what it counts for: `GetVMScaleSetResource`, `DeleteDisks3Min`. */
  readonly policy: string;
  /** Whose bucket it is: the resource's own, the path's own, or that of a subscription in a region. */
  readonly scope: "resource" | "path" | "region";
  readonly size: BucketSize;
}

/** A family of requests that share budgets. */
type Policy = readonly Limit[];

/** The verb classes that ARM's front door counts (reference/azure.md 4.2). */
export const FRONT_DOOR: Readonly<Record<"reads" | "writes" | "deletes", BucketSize>> = {
  reads: { capacity: 250, refillPerSecond: 25 },
  writes: { capacity: 200, refillPerSecond: 10 },
  deletes: { capacity: 200, refillPerSecond: 10 },
};

/** All principals of a subscription together have so many times the budget of one. */
export const GLOBAL_FACTOR = 15;

/** A policy of Compute: so many requests a minute for each resource, and for a subscription in a region. */
function perMinute(
  name: string,
  limits: {
    readonly resource?: number;
    readonly subscription: number;
    /** The capacity, where traffic showed another one than three times the refill. */
    readonly capacity?: number;
  },
): Policy {
  const { resource, subscription, capacity = subscription * 3 } = limits;
  const whole: Limit = {
    policy: `${name}SubscriptionMaximum`,
    scope: "region",
    size: { capacity, refillPerSecond: subscription / 60 },
  };
  if (resource === undefined) return [whole];
  const size: BucketSize = { capacity: resource * 3, refillPerSecond: resource / 60 };
  return [{ policy: `${name}Resource`, scope: "resource", size }, whole];
}

/**
 * A policy of Compute for disks, snapshots and galleries: so many requests of a subscription in 3 and in 30 minutes. Azure
 * counts in fixed windows; here a bucket of the same size fills evenly.
 */
function perWindow(name: string, in3Minutes: number, in30Minutes: number): Policy {
  const limit = (minutes: number, capacity: number): Limit => ({
    policy: `${name}${minutes}Min`,
    scope: "region",
    size: { capacity, refillPerSecond: capacity / (60 * minutes) },
  });
  return [limit(3, in3Minutes), limit(30, in30Minutes)];
}

/** A policy of AKS: a burst and its refill rate. AKS has no header for it, so the name is ours. */
function burst(policy: string, scope: Limit["scope"], size: BucketSize): Policy {
  return [{ policy, scope, size }];
}

/** Microsoft's page speaks of each resource: for reads of instances that is the instance, not its scale set. */
function perInstance(policy: Policy): Policy {
  return policy.map((limit) => (limit.scope === "resource" ? { ...limit, scope: "path" } : limit));
}

const CREATE = perMinute("CreateVMScaleSet", { resource: 4, subscription: 125 });
const ACTIONS = perMinute("VMScaleSetActions", { resource: 4, subscription: 500 });
const REMOVE = perMinute("DeleteVMScaleSet", { resource: 4, subscription: 175 });
const READ = perMinute("GetVMScaleSet", { resource: 12, subscription: 800 });
const HIGH_COST_READ = perMinute("HighCostGetVMScaleSet", { resource: 10, subscription: 360 });
const INSTANCE_READ = perInstance(perMinute("GetVMScaleSetVM", { resource: 12, subscription: 2000 }));
const INSTANCE_ACTIONS = perMinute("VMScaleSetVMActions", { resource: 4, subscription: 500, capacity: 2000 });
const INSTANCE_REMOVE = perMinute("DeleteVMScaleSetVM", { resource: 4, subscription: 500, capacity: 2000 });
const OPERATION = perMinute("GetOperation", { resource: 15, subscription: 5000 });
const VM_CREATE = perMinute("PutVM", { resource: 4, subscription: 500 });
const VM_ACTIONS = perMinute("UpdateVM", { resource: 4, subscription: 500 });
const VM_REMOVE = perMinute("DeleteVM", { resource: 4, subscription: 500 });
const LOW_COST_READ = perMinute("LowCostGet", { resource: 12, subscription: 8000 });
const DISK_WRITE = perWindow("CreateUpdateDisks", 3000, 25_000);

/** Budgets that count instances: reads of them, and writes that touch them. The refill rates are assumptions. */
export const INSTANCE_BUDGETS = {
  views: { name: "VMScaleSetVMViewsSubscriptionMaximum", perMinute: 10_000, capacity: 30_000 },
  batched: { name: "VMScaleSetBatchedVMRequestsSubscriptionMaximum", perMinute: 2000, capacity: 6000 },
} as const;

/** The same policy where Azure does not count the single resource. */
function subscriptionOnly(policy: Policy): Policy {
  return policy.filter(({ scope }) => scope === "region");
}

const SET = "virtualMachineScaleSets";
const INSTANCE = `${SET}/virtualMachines`;
const VM = "virtualMachines";

function forEach(prefix: string, actions: readonly string[], policy: Policy): Record<string, Policy> {
  return Object.fromEntries(actions.map((action) => [`${prefix}/${action}`, policy]));
}

function gallery(type: string, write: Policy, read: Policy): Record<string, Policy> {
  return { [`PUT ${type}`]: write, [`PATCH ${type}`]: write, [`GET ${type}`]: read, [`LIST ${type}`]: read };
}

/** The operations of Compute (reference/azure.md 4.2: names and figures from recorded traffic and Microsoft's page). */
const COMPUTE: Readonly<Record<string, Policy>> = {
  [`PUT ${SET}`]: CREATE,
  [`PATCH ${SET}`]: ACTIONS,
  [`DELETE ${SET}`]: REMOVE,
  [`GET ${SET}`]: READ,
  [`GET ${SET}/skus`]: READ,
  [`LIST ${SET}`]: subscriptionOnly(HIGH_COST_READ),
  [`GET ${SET}/instanceview`]: HIGH_COST_READ,
  [`LIST ${INSTANCE}`]: HIGH_COST_READ,
  [`GET ${INSTANCE}`]: INSTANCE_READ,
  [`GET ${INSTANCE}/instanceview`]: INSTANCE_READ,
  ...forEach(
    `POST ${SET}`,
    ["manualupgrade", "reimage", "reimageall", "start", "restart", "redeploy", "delete"],
    subscriptionOnly(ACTIONS),
  ),
  ...forEach(`POST ${SET}`, ["poweroff", "deallocate"], subscriptionOnly(REMOVE)),
  [`PUT ${INSTANCE}`]: INSTANCE_ACTIONS,
  [`DELETE ${INSTANCE}`]: INSTANCE_REMOVE,
  ...forEach(
    `POST ${INSTANCE}`,
    ["reimage", "reimageall", "start", "restart", "redeploy", "simulateeviction"],
    INSTANCE_ACTIONS,
  ),
  ...forEach(`POST ${INSTANCE}`, ["poweroff", "deallocate"], INSTANCE_REMOVE),
  "GET Microsoft.Compute/locations/operations": OPERATION,
  "LIST locations/usages": subscriptionOnly(LOW_COST_READ),
  [`PUT ${VM}`]: VM_CREATE,
  [`PATCH ${VM}`]: VM_ACTIONS,
  [`DELETE ${VM}`]: VM_REMOVE,
  [`GET ${VM}`]: LOW_COST_READ,
  [`GET ${VM}/instanceview`]: LOW_COST_READ,
  [`LIST ${VM}`]: perMinute("HighCostGet", { subscription: 300 }),
  ...forEach(
    `POST ${VM}`,
    ["start", "restart", "reimage", "redeploy", "reapply", "simulateeviction"],
    VM_ACTIONS,
  ),
  // The reference does not name powerOff; for scale sets it is counted with deallocate.
  ...forEach(`POST ${VM}`, ["poweroff", "deallocate"], VM_REMOVE),
  "PUT disks": DISK_WRITE,
  "PATCH disks": DISK_WRITE,
  "DELETE disks": perWindow("DeleteDisks", 3000, 24_000),
  "GET disks": perWindow("LowCostGet", 15_000, 120_000),
  "LIST disks": perWindow("HighCostGet", 240, 1920),
  "PUT snapshots": perWindow("HighCostSnapshotCreateHydrate", 1000, 8000),
  ...gallery("galleries", perWindow("CreateUpdateGallery", 50, 300), perWindow("GetGallery", 350, 2500)),
  ...gallery(
    "galleries/images",
    perWindow("CreateUpdateGalleryImage", 150, 750),
    perWindow("GetGalleryImage", 600, 3000),
  ),
  ...gallery(
    "galleries/images/versions",
    perWindow("CreateUpdateGalleryImageVersion", 375, 1200),
    perWindow("GetGalleryImageVersion", 2000, 10_000),
  ),
};

const CLUSTER = "managedClusters";
const POOL = `${CLUSTER}/agentPools`;
const OF_SUBSCRIPTION = " of subscription";
const PUT_SIZE: BucketSize = { capacity: 20, refillPerSecond: 1 / 60 };
const READ_SIZE: BucketSize = { capacity: 60, refillPerSecond: 1 };
const CLUSTER_READ = burst("GetManagedCluster", "resource", READ_SIZE);

/** The operations of AKS (reference/azure.md 4.2: second-hand from Microsoft's page on AKS quotas, not verified by traffic). */
const AKS: Readonly<Record<string, Policy>> = {
  [`PUT ${CLUSTER}`]: burst("PutManagedCluster", "resource", PUT_SIZE),
  [`PUT ${POOL}`]: burst("PutAgentPool", "path", PUT_SIZE),
  [`GET ${CLUSTER}`]: CLUSTER_READ,
  [`GET ${POOL}`]: CLUSTER_READ,
  [`LIST ${POOL}`]: CLUSTER_READ,
  [`LIST ${CLUSTER}`]: burst("ListManagedClustersInGroup", "path", READ_SIZE),
  [`LIST ${CLUSTER}${OF_SUBSCRIPTION}`]: burst("ListManagedClusters", "path", {
    capacity: 500,
    refillPerSecond: 1,
  }),
};

const POLICY_OF: Readonly<Record<string, Policy>> = { ...COMPUTE, ...AKS };
const NONE: Policy = [];

/** The buckets that an operation takes from; an operation without any costs only ARM's tokens. */
export function limitsOf(operation: string, isInGroup: boolean): readonly Limit[] {
  const wide = isInGroup ? undefined : POLICY_OF[`${operation}${OF_SUBSCRIPTION}`];
  return wide ?? POLICY_OF[operation] ?? NONE;
}
