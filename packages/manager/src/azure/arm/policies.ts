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

/** One of Compute's policies: tokens a minute for each resource, and for a subscription in a region. */
interface Policy {
  readonly name: string;
  readonly resource?: number;
  readonly subscription: number;
}

const CREATE: Policy = { name: "CreateVMScaleSet", resource: 4, subscription: 125 };
const ACTIONS: Policy = { name: "VMScaleSetActions", resource: 4, subscription: 500 };
const REMOVE: Policy = { name: "DeleteVMScaleSet", resource: 4, subscription: 175 };
const READ: Policy = { name: "GetVMScaleSet", resource: 12, subscription: 800 };
const SWEEP: Policy = { name: "HighCostGetVMScaleSet", resource: 10, subscription: 360 };
const INSTANCE_READ: Policy = { name: "GetVMScaleSetVM", resource: 12, subscription: 2000 };
const INSTANCE_ACTIONS: Policy = { name: "VMScaleSetVMActions", resource: 4, subscription: 500 };
const INSTANCE_REMOVE: Policy = { name: "DeleteVMScaleSetVM", resource: 4, subscription: 500 };
const POLL: Policy = { name: "GetOperation", resource: 15, subscription: 5000 };

/** The same policy where Azure does not count the single resource. */
function subscriptionOnly({ name, subscription }: Policy): Policy {
  return { name, subscription };
}

const SET = "virtualmachinescalesets";
const INSTANCE = `${SET}/virtualmachines`;

function forEach(prefix: string, actions: readonly string[], policy: Policy): Record<string, Policy> {
  return Object.fromEntries(actions.map((action) => [`${prefix}/${action}`, policy]));
}

/** Which policy a request to Compute falls under; those not here cost nothing but the front door's token. */
const COMPUTE: Readonly<Record<string, Policy>> = {
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
};

// The capacities are from traffic; nobody has published the refills, and a third of the capacity is what Compute's others have.
const VIEWS: BucketSize = { capacity: 30_000, perSecond: 10_000 / 60 };
const BATCHES: BucketSize = { capacity: 6_000, perSecond: 2_000 / 60 };

/** Everything that a call takes tokens from. */
export function chargesOf(cost: Cost): readonly Charge[] {
  const { target, requests } = cost;
  const policy = policyOf(target);
  const region = `${target.subscription}/${target.location ?? cost.location}`;
  const resource = policy?.resource;
  return [
    frontDoorCharge(cost),
    ...(policy && resource !== undefined
      ? [minuteCharge(`${policy.name}Resource`, target.resource, { perMinute: resource, tokens: requests })]
      : []),
    ...(policy
      ? [
          minuteCharge(`${policy.name}SubscriptionMaximum`, region, {
            perMinute: policy.subscription,
            tokens: requests,
          }),
        ]
      : []),
    ...instanceCharges(cost, region),
  ];
}

/** How a charge of the front door is called, such as `subscription-reads`. */
export function isFrontDoor({ policy }: Charge): boolean {
  return policy.startsWith("subscription-");
}

function policyOf({ provider, verb, type }: Target): Policy | undefined {
  if (provider !== "microsoft.compute") return undefined;
  return verb === "POLL" ? POLL : COMPUTE[`${verb} ${type}`];
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

function minuteCharge(
  policy: string,
  whose: string,
  { perMinute, tokens }: { readonly perMinute: number; readonly tokens: number },
): Charge {
  // All of Compute's buckets hold what comes in within three minutes.
  const size = { capacity: 3 * perMinute, perSecond: perMinute / 60 };
  return { bucket: `${policy}/${whose}`, policy, size, tokens };
}

function instanceCharges({ target, instances }: Cost, region: string): readonly Charge[] {
  if (target.provider !== "microsoft.compute" || !target.type.startsWith(SET) || instances === 0) return [];
  const isRead = frontDoorKind(target) === "reads";
  const policy = isRead
    ? "VMScaleSetVMViewsSubscriptionMaximum"
    : "VMScaleSetBatchedVMRequestsSubscriptionMaximum";
  return [{ bucket: `${policy}/${region}`, policy, size: isRead ? VIEWS : BATCHES, tokens: instances }];
}
