import type { Target } from "./target.ts";

/** How much a bucket of tokens holds, and how fast it fills. */
export interface BucketSize {
  readonly capacity: number;
  readonly perSecond: number;
}

/** What a call takes from one bucket. */
export interface Charge {
  /** Which bucket: the policy, and whose. */
  readonly bucket: string;
  /** The policy under the name that Azure's headers have for it. */
  readonly policy: string;
  readonly size: BucketSize;
  readonly tokens: number;
}

/** What a call is going to cost. */
export interface Cost {
  readonly target: Target;
  /** Who asks: ARM's front door counts each principal by itself. */
  readonly principal: string;
  readonly location: string;
  /** More than one for a list of several pages. */
  readonly requests: number;
  /** How many instances it reads or touches. */
  readonly instances: number;
}

/** ARM's front door: per subscription, principal and kind of request. */
const FRONT_DOOR: Readonly<Record<"reads" | "writes" | "deletes", BucketSize>> = {
  reads: { capacity: 250, perSecond: 25 },
  writes: { capacity: 200, perSecond: 10 },
  deletes: { capacity: 200, perSecond: 10 },
};

/** One bucket that a policy counts in. */
interface Limit {
  /** The name in Azure's headers, or one of ours where Azure names none. */
  readonly policy: string;
  /** Whose bucket it is: the resource's own, the path's own, or that of a subscription in a region. */
  readonly scope: "resource" | "path" | "region";
  readonly size: BucketSize;
}

/** A family of requests that share budgets. */
type Policy = readonly Limit[];

/** A policy of Compute: so many requests a minute for each resource, and for a subscription in a region. */
function perMinute(
  name: string,
  limits: { readonly resource?: number; readonly subscription: number },
): Policy {
  // All of these buckets hold what comes in within three minutes.
  const size = (count: number): BucketSize => ({ capacity: 3 * count, perSecond: count / 60 });
  const { resource, subscription } = limits;
  const whole: Limit = {
    policy: `${name}SubscriptionMaximum`,
    scope: "region",
    size: size(subscription),
  };
  if (resource === undefined) return [whole];
  return [{ policy: `${name}Resource`, scope: "resource", size: size(resource) }, whole];
}

/**
 * A policy of Compute for disks, snapshots and galleries: so many requests of a subscription in 3 and in 30 minutes. Azure
 * counts in fixed windows. A bucket that fills evenly may send too much across the border of two windows; the headers of the
 * answers correct that.
 */
function perWindow(name: string, in3Minutes: number, in30Minutes: number): Policy {
  return [
    { policy: `${name}3Min`, scope: "region", size: { capacity: in3Minutes, perSecond: in3Minutes / 180 } },
    {
      policy: `${name}30Min`,
      scope: "region",
      size: { capacity: in30Minutes, perSecond: in30Minutes / 1800 },
    },
  ];
}

/** A policy of AKS: a burst, and a rate at which it comes back. AKS has no header for it, so the name is ours. */
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
const SWEEP = perMinute("HighCostGetVMScaleSet", { resource: 10, subscription: 360 });
const INSTANCE_READ = perInstance(perMinute("GetVMScaleSetVM", { resource: 12, subscription: 2000 }));
const INSTANCE_ACTIONS = perMinute("VMScaleSetVMActions", { resource: 4, subscription: 500 });
const INSTANCE_REMOVE = perMinute("DeleteVMScaleSetVM", { resource: 4, subscription: 500 });
const VM_CREATE = perMinute("PutVM", { resource: 4, subscription: 500 });
const VM_ACTIONS = perMinute("UpdateVM", { resource: 4, subscription: 500 });
const VM_REMOVE = perMinute("DeleteVM", { resource: 4, subscription: 500 });
const VM_READ = perMinute("LowCostGet", { resource: 12, subscription: 8000 });
const VM_SWEEP = perMinute("HighCostGet", { subscription: 300 });
const POLL = perMinute("GetOperation", { resource: 15, subscription: 5000 });
const DISK_WRITE = perWindow("CreateUpdateDisks", 3000, 25_000);
const GALLERY = {
  write: perWindow("CreateUpdateGallery", 50, 300),
  read: perWindow("GetGallery", 350, 2500),
};
const GALLERY_IMAGE = {
  write: perWindow("CreateUpdateGalleryImage", 150, 750),
  read: perWindow("GetGalleryImage", 600, 3000),
};
const GALLERY_VERSION = {
  write: perWindow("CreateUpdateGalleryImageVersion", 375, 1200),
  read: perWindow("GetGalleryImageVersion", 2000, 10_000),
};

/** The same policy where Azure does not count the single resource. */
function subscriptionOnly(policy: Policy): Policy {
  return policy.filter(({ scope }) => scope === "region");
}

const SET = "virtualmachinescalesets";
const INSTANCE = `${SET}/virtualmachines`;
const VM = "virtualmachines";

function forEach(prefix: string, actions: readonly string[], policy: Policy): Record<string, Policy> {
  return Object.fromEntries(actions.map((action) => [`${prefix}/${action}`, policy]));
}

function gallery(type: string, { write, read }: { readonly write: Policy; readonly read: Policy }): Table {
  return { [`PUT ${type}`]: write, [`PATCH ${type}`]: write, [`GET ${type}`]: read, [`LIST ${type}`]: read };
}

/** Policies by verb and type. */
type Table = Readonly<Record<string, Policy>>;

/**
 * Which policy a request to Compute falls under (reference/azure.md 4.2: names and figures from recorded traffic and
 * Microsoft's page on Compute throttling). Requests that are not here cost the front door's token alone.
 */
const COMPUTE: Table = {
  POLL,
  [`PUT ${SET}`]: CREATE,
  [`PATCH ${SET}`]: ACTIONS,
  [`DELETE ${SET}`]: REMOVE,
  [`GET ${SET}`]: READ,
  [`LIST ${SET}/skus`]: READ,
  [`GET ${SET}/instanceview`]: SWEEP,
  [`LIST ${SET}`]: subscriptionOnly(SWEEP),
  [`LIST ${INSTANCE}`]: SWEEP,
  [`GET ${INSTANCE}`]: INSTANCE_READ,
  [`GET ${INSTANCE}/instanceview`]: INSTANCE_READ,
  [`PUT ${INSTANCE}`]: INSTANCE_ACTIONS,
  [`DELETE ${INSTANCE}`]: INSTANCE_REMOVE,
  ...forEach(
    `POST ${SET}`,
    ["manualupgrade", "reimage", "reimageall", "start", "restart", "redeploy", "delete"],
    subscriptionOnly(ACTIONS),
  ),
  ...forEach(`POST ${SET}`, ["poweroff", "deallocate"], subscriptionOnly(REMOVE)),
  ...forEach(`POST ${INSTANCE}`, ["reimage", "reimageall", "start", "restart", "redeploy"], INSTANCE_ACTIONS),
  ...forEach(`POST ${INSTANCE}`, ["poweroff", "deallocate"], INSTANCE_REMOVE),
  [`PUT ${VM}`]: VM_CREATE,
  [`PATCH ${VM}`]: VM_ACTIONS,
  [`DELETE ${VM}`]: VM_REMOVE,
  [`GET ${VM}`]: VM_READ,
  [`GET ${VM}/instanceview`]: VM_READ,
  [`LIST ${VM}`]: VM_SWEEP,
  ...forEach(`POST ${VM}`, ["start", "restart", "reimage", "redeploy", "reapply"], VM_ACTIONS),
  // The reference does not name powerOff; for scale sets it is counted with deallocate.
  ...forEach(`POST ${VM}`, ["poweroff", "deallocate"], VM_REMOVE),
  "PUT disks": DISK_WRITE,
  "PATCH disks": DISK_WRITE,
  "DELETE disks": perWindow("DeleteDisks", 3000, 24_000),
  "GET disks": perWindow("LowCostGet", 15_000, 120_000),
  "LIST disks": perWindow("HighCostGet", 240, 1920),
  "PUT snapshots": perWindow("HighCostSnapshotCreateHydrate", 1000, 8000),
  ...gallery("galleries", GALLERY),
  ...gallery("galleries/images", GALLERY_IMAGE),
  ...gallery("galleries/images/versions", GALLERY_VERSION),
};

const CLUSTER = "managedclusters";
const POOL = `${CLUSTER}/agentpools`;
const OF_SUBSCRIPTION = " of subscription";
const PUT_SIZE: BucketSize = { capacity: 20, perSecond: 1 / 60 };
const READ_SIZE: BucketSize = { capacity: 60, perSecond: 1 };
const CLUSTER_READ = burst("GetManagedCluster", "resource", READ_SIZE);

/** The same for AKS (reference/azure.md 4.2: second-hand from Microsoft's page on AKS quotas, not verified by traffic). */
const AKS: Table = {
  [`PUT ${CLUSTER}`]: burst("PutManagedCluster", "resource", PUT_SIZE),
  [`PUT ${POOL}`]: burst("PutAgentPool", "path", PUT_SIZE),
  [`GET ${CLUSTER}`]: CLUSTER_READ,
  [`GET ${POOL}`]: CLUSTER_READ,
  [`LIST ${POOL}`]: CLUSTER_READ,
  [`LIST ${CLUSTER}`]: burst("ListManagedClustersInGroup", "path", READ_SIZE),
  [`LIST ${CLUSTER}${OF_SUBSCRIPTION}`]: burst("ListManagedClusters", "path", {
    capacity: 500,
    perSecond: 1,
  }),
};

const PROVIDERS: Readonly<Record<string, Table>> = {
  "microsoft.compute": COMPUTE,
  "microsoft.containerservice": AKS,
};

// The capacities are from traffic. The refills are not published; a third of the capacity is what Compute's other buckets have.
const VIEWS: BucketSize = { capacity: 30_000, perSecond: 10_000 / 60 };
const BATCHES: BucketSize = { capacity: 6_000, perSecond: 2_000 / 60 };

/** Everything that a call takes tokens from. */
export function chargesOf(cost: Cost): readonly Charge[] {
  const { target, requests } = cost;
  const region = `${target.subscription}/${target.location ?? cost.location}`;
  const owners = { resource: target.resource, path: target.path, region };
  const byPolicy = policyOf(target).map(({ policy, scope, size }): Charge => ({
    bucket: `${policy}/${owners[scope]}`,
    policy,
    size,
    tokens: requests,
  }));
  return [frontDoorCharge(cost), ...byPolicy, ...instanceCharges(cost, region)];
}

/** How a charge of the front door is called, such as `subscription-reads`. */
export function isFrontDoor({ policy }: Charge): boolean {
  return policy.startsWith("subscription-");
}

const NONE: Policy = [];

function policyOf({ provider, verb, type, path }: Target): Policy {
  const table = PROVIDERS[provider];
  if (!table) return NONE;
  if (verb === "POLL") return table["POLL"] ?? NONE;
  const operation = `${verb} ${type}`;
  const wide = path.includes("/resourcegroups/") ? undefined : table[`${operation}${OF_SUBSCRIPTION}`];
  return wide ?? table[operation] ?? NONE;
}

function frontDoorCharge({ target, principal, requests }: Cost): Charge {
  const kind = frontDoorKind(target);
  return {
    bucket: `${kind}/${target.subscription}/${principal}`,
    policy: `subscription-${kind}`,
    size: FRONT_DOOR[kind],
    tokens: requests,
  };
}

function frontDoorKind({ verb }: Target): "reads" | "writes" | "deletes" {
  if (verb === "DELETE") return "deletes";
  return ["GET", "LIST", "HEAD", "POLL"].includes(verb) ? "reads" : "writes";
}

function instanceCharges({ target, instances }: Cost, region: string): readonly Charge[] {
  if (target.provider !== "microsoft.compute" || !target.type.startsWith(SET) || instances === 0) return [];
  const isRead = frontDoorKind(target) === "reads";
  const policy = isRead
    ? "VMScaleSetVMViewsSubscriptionMaximum"
    : "VMScaleSetBatchedVMRequestsSubscriptionMaximum";
  return [{ bucket: `${policy}/${region}`, policy, size: isRead ? VIEWS : BATCHES, tokens: instances }];
}
