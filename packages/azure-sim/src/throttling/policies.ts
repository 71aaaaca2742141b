import type { BucketSize } from "./bucket.ts";

/** A family of Compute requests that share budgets; refills and capacities count per minute. */
interface ComputePolicy {
  readonly name: string;
  /** Budget of each resource, by refill; its capacity is three times that. */
  readonly perResource?: number;
  readonly perSubscription: number;
  /** Where traffic showed another capacity than three times the refill. */
  readonly subscriptionCapacity?: number;
}

/** The verb classes that ARM's front door counts (reference/azure.md 4.2). */
export const FRONT_DOOR: Readonly<Record<"reads" | "writes" | "deletes", BucketSize>> = {
  reads: { capacity: 250, refillPerSecond: 25 },
  writes: { capacity: 200, refillPerSecond: 10 },
  deletes: { capacity: 200, refillPerSecond: 10 },
};

/** All principals of a subscription together may send so many times what one may. */
export const GLOBAL_FACTOR = 15;

const POLICIES = {
  create: { name: "CreateVMScaleSet", perResource: 4, perSubscription: 125 },
  actions: { name: "VMScaleSetActions", perResource: 4, perSubscription: 500 },
  remove: { name: "DeleteVMScaleSet", perResource: 4, perSubscription: 175 },
  read: { name: "GetVMScaleSet", perResource: 12, perSubscription: 800 },
  highCostRead: { name: "HighCostGetVMScaleSet", perResource: 10, perSubscription: 360 },
  readInstance: { name: "GetVMScaleSetVM", perResource: 12, perSubscription: 2000 },
  instanceActions: {
    name: "VMScaleSetVMActions",
    perResource: 4,
    perSubscription: 500,
    subscriptionCapacity: 2000,
  },
  removeInstance: {
    name: "DeleteVMScaleSetVM",
    perResource: 4,
    perSubscription: 500,
    subscriptionCapacity: 2000,
  },
  operation: { name: "GetOperation", perResource: 15, perSubscription: 5000 },
  lowCostRead: { name: "LowCostGet", perResource: 12, perSubscription: 8000 },
} satisfies Record<string, ComputePolicy>;

/** Budgets that count instances: reads of them, and writes that touch them. The refills are assumptions. */
export const INSTANCE_BUDGETS = {
  views: { name: "VMScaleSetVMViewsSubscriptionMaximum", perMinute: 10_000, capacity: 30_000 },
  batched: { name: "VMScaleSetBatchedVMRequestsSubscriptionMaximum", perMinute: 2000, capacity: 6000 },
} as const;

/** Which policy an operation falls under, and whether the resource's own budget counts too. */
export interface PolicyUse {
  readonly policy: ComputePolicy;
  readonly isPerResource: boolean;
}

const both = (policy: ComputePolicy): PolicyUse => ({ policy, isPerResource: true });
const subscriptionOnly = (policy: ComputePolicy): PolicyUse => ({ policy, isPerResource: false });

const SET = "virtualMachineScaleSets";
const INSTANCE = `${SET}/virtualMachines`;

/** The policy of each operation on scale sets; operations that are not here cost nothing but ARM's tokens. */
export const POLICY_OF: Readonly<Record<string, PolicyUse>> = {
  [`PUT ${SET}`]: both(POLICIES.create),
  [`PATCH ${SET}`]: both(POLICIES.actions),
  [`DELETE ${SET}`]: both(POLICIES.remove),
  [`GET ${SET}`]: both(POLICIES.read),
  [`GET ${SET}/skus`]: both(POLICIES.read),
  [`LIST ${SET}`]: subscriptionOnly(POLICIES.highCostRead),
  [`GET ${SET}/instanceview`]: both(POLICIES.highCostRead),
  [`LIST ${INSTANCE}`]: both(POLICIES.highCostRead),
  [`GET ${INSTANCE}`]: both(POLICIES.readInstance),
  [`GET ${INSTANCE}/instanceview`]: both(POLICIES.readInstance),
  ...Object.fromEntries(
    ["manualupgrade", "reimage", "reimageall", "start", "restart", "redeploy", "delete"].map((action) => [
      `POST ${SET}/${action}`,
      subscriptionOnly(POLICIES.actions),
    ]),
  ),
  [`POST ${SET}/poweroff`]: subscriptionOnly(POLICIES.remove),
  [`POST ${SET}/deallocate`]: subscriptionOnly(POLICIES.remove),
  [`PUT ${INSTANCE}`]: both(POLICIES.instanceActions),
  [`DELETE ${INSTANCE}`]: both(POLICIES.removeInstance),
  ...Object.fromEntries(
    ["reimage", "reimageall", "start", "restart", "redeploy", "simulateeviction"].map((action) => [
      `POST ${INSTANCE}/${action}`,
      both(POLICIES.instanceActions),
    ]),
  ),
  [`POST ${INSTANCE}/poweroff`]: both(POLICIES.removeInstance),
  [`POST ${INSTANCE}/deallocate`]: both(POLICIES.removeInstance),
  "GET Microsoft.Compute/locations/operations": both(POLICIES.operation),
  "LIST locations/usages": subscriptionOnly(POLICIES.lowCostRead),
};
