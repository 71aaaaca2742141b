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

  test("keeps only the blocks that need a user while an action runs", () => {
    expect(needsAttention({ actions: [waiting], blocked: [passing, lasting] })).toEqual([lasting]);
  });

  test("keeps all blocks when no action runs that could resolve them", () => {
    expect(needsAttention({ actions: [], blocked: [passing, lasting] })).toEqual([passing, lasting]);
  });
});
