import { ArmError } from "../arm/errors.ts";
import type { Call } from "../core/call.ts";
import { type Bucket, type BucketSize, fill, secondsUntil } from "./bucket.ts";
import { FRONT_DOOR, GLOBAL_FACTOR, INSTANCE_BUDGETS, limitsOf } from "./policies.ts";

// Buckets of ended operations fill up and are no longer needed; beyond this many, full ones are removed.
const MAX_BUCKETS = 20_000;

/** A bucket that a request takes from. */
interface Due {
  readonly key: string;
  readonly policy: string;
  readonly size: BucketSize;
}

/** A budget that is running low. */
export interface RequestBudget {
  /** The policy and its scope. */
  readonly name: string;
  readonly left: number;
  readonly capacity: number;
}

/** Counts requests as ARM, Compute and AKS do, and refuses those above a budget. */
export class Throttle {
  readonly #isOn: boolean;
  readonly #buckets = new Map<string, { readonly bucket: Bucket; readonly size: BucketSize }>();

  constructor(isOn: boolean) {
    this.#isOn = isOn;
  }

  /** The front door: per subscription, principal, region and verb class, and for all principals together. */
  enter(call: Call): void {
    const { method, principal, target, notes, nowMs } = call;
    const verb = method === "DELETE" ? "deletes" : method === "GET" || method === "HEAD" ? "reads" : "writes";
    const size = FRONT_DOOR[verb];
    const global: BucketSize = {
      capacity: size.capacity * GLOBAL_FACTOR,
      refillPerSecond: size.refillPerSecond * GLOBAL_FACTOR,
    };
    const own = this.#take(`${target.subscription}/${principal.objectId}/${verb}`, {
      size,
      tokens: 1,
      nowMs,
    });
    const all = this.#take(`${target.subscription}/${verb}`, { size: global, tokens: 1, nowMs });
    notes.headers[`x-ms-ratelimit-remaining-subscription-${verb}`] = String(own.left);
    notes.headers[`x-ms-ratelimit-remaining-subscription-global-${verb}`] = String(all.left);
    const waitSeconds = Math.max(own.waitSeconds, all.waitSeconds);
    if (waitSeconds > 0) throw frontDoorRefusal(call, verb, waitSeconds);
  }

  /** The policies of Compute and AKS that count requests: of a resource, or of a subscription in a region. */
  admit(call: Call, region: string, resource: string): void {
    const limits = limitsOf(call.operation, call.target.group !== undefined);
    if (limits.length === 0) return;
    const owners = {
      resource,
      path: call.path.toLowerCase(),
      region: `${call.target.subscription}/${region}`,
    };
    const dues = limits.map(({ policy, scope, size }): Due => ({
      key: `${policy}/${owners[scope]}`,
      policy,
      size,
    }));
    this.#charge(call, dues, 1);
  }

  /** The budgets that count instances: `views` of them, or `batched` writes that touch them. */
  chargeInstances(
    call: Call,
    region: string,
    charge: { readonly views?: number; readonly batched?: number },
  ): void {
    const kind = charge.views === undefined ? "batched" : "views";
    const budget = INSTANCE_BUDGETS[kind];
    const tokens = charge[kind] ?? 0;
    const size: BucketSize = { capacity: budget.capacity, refillPerSecond: budget.perMinute / 60 };
    const key = `${budget.name}/${call.target.subscription}/${region}`;
    this.#charge(call, [{ key, policy: budget.name, size }], tokens);
    call.notes.charge = tokens;
    if (kind === "batched") call.notes.remaining.push(["VmssQueuedVMOperations", 0]);
  }

  /** The budgets that requests were taken from; for users, not for requests. */
  budgets(nowMs: number): RequestBudget[] {
    return [...this.#buckets].map(([name, { bucket, size }]) => {
      const now = { ...bucket };
      fill(now, size, nowMs);
      return { name, left: Math.floor(now.tokens), capacity: size.capacity };
    });
  }

  #charge(call: Call, dues: readonly Due[], tokens: number): void {
    for (const { key, policy, size } of dues) {
      const taken = this.#take(key, { size, tokens, nowMs: call.nowMs });
      if (isCompute(call)) call.notes.remaining.push([policy, taken.left]);
      if (taken.waitSeconds > 0)
        throw computeRefusal({ policy, size, tokens, waitSeconds: taken.waitSeconds });
    }
  }

  #take(
    key: string,
    { size, tokens, nowMs }: { readonly size: BucketSize; readonly tokens: number; readonly nowMs: number },
  ): { readonly left: number; readonly waitSeconds: number } {
    let entry = this.#buckets.get(key);
    if (!entry) {
      this.#makeRoom(nowMs);
      entry = { bucket: { tokens: size.capacity, filledMs: nowMs }, size };
      this.#buckets.set(key, entry);
    }
    const { bucket } = entry;
    fill(bucket, size, nowMs);
    if (this.#isOn && bucket.tokens < Math.min(tokens, size.capacity)) {
      return { left: 0, waitSeconds: secondsUntil(bucket, size, tokens) };
    }
    bucket.tokens = Math.max(0, bucket.tokens - tokens);
    return { left: Math.floor(bucket.tokens), waitSeconds: 0 };
  }

  #makeRoom(nowMs: number): void {
    if (this.#buckets.size < MAX_BUCKETS) return;
    for (const [key, { bucket, size }] of this.#buckets) {
      fill(bucket, size, nowMs);
      if (bucket.tokens >= size.capacity) this.#buckets.delete(key);
    }
  }
}

/** Only Compute returns what is left of its policies. */
function isCompute({ target }: Call): boolean {
  return target.provider?.toLowerCase() === "microsoft.compute";
}

function frontDoorRefusal(call: Call, verb: string, waitSeconds: number): ArmError {
  const message =
    `Number of '${verb}' requests for subscription '${call.target.subscription}' actor '${call.principal.objectId}' exceeded. ` +
    `Please try again after '${waitSeconds}' seconds after additional tokens are available. ` +
    "Refer to https://aka.ms/arm-throttling for additional information.";
  return new ArmError(
    429,
    { code: "SubscriptionRequestsThrottled", message },
    { headers: { "retry-after": String(waitSeconds) } },
  );
}

function computeRefusal(facts: {
  readonly policy: string;
  readonly size: BucketSize;
  readonly tokens: number;
  readonly waitSeconds: number;
}): ArmError {
  const { policy, size, tokens, waitSeconds } = facts;
  const operationGroup = policy.replace(/(SubscriptionMaximum|Resource|3Min|30Min)$/, "");
  const measure = {
    operationGroup,
    allowedRequestCount: size.capacity,
    measuredRequestCount: size.capacity + tokens,
  };
  return new ArmError(
    429,
    {
      code: "OperationNotAllowed",
      message:
        "The server rejected the request because too many requests have been received for this subscription.",
      details: [{ code: "TooManyRequests", target: operationGroup, message: JSON.stringify(measure) }],
    },
    { headers: { "retry-after": String(waitSeconds) }, isUnwrapped: true },
  );
}
