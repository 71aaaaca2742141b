import { describe, expect, test } from "vitest";
import type { Blocked, BlockedReason, PoolAction } from "./action.ts";
import { needsAttention } from "./needs-attention.ts";

const heading = {
  controller: "azuremachinepool",
  object: { kind: "AzureMachinePool", namespace: "default", name: "pool" },
  targets: [],
} as const;
const blockedBy = (reason: BlockedReason): Blocked => ({ ...heading, reason, why: "because" });
const waiting: PoolAction = {
  ...heading,
  action: "Wait",
  detail: { for: "Availability" },
  why: "a machine is not available yet",
};

describe("obstinate", () => {
  const passing = blockedBy("BudgetUsedUp");
  const lasting = blockedBy("WorkloadUnreachable");

  test("keeps only what does not pass by itself while something is under way", () => {
    expect(needsAttention({ actions: [waiting], blocked: [passing, lasting] })).toEqual([lasting]);
  });

  test("keeps everything when nothing is under way that it could pass with", () => {
    expect(needsAttention({ actions: [], blocked: [passing, lasting] })).toEqual([passing, lasting]);
  });
});
