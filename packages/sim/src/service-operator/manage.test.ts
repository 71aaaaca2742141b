import { AzureError, REQUEST_BUDGET_USED_UP } from "@capstan/azure";
import { virtualNetworksSubnet } from "@capstan/runtime/testing/builders";
import { describe, expect, test } from "vitest";
import { readResource } from "./manage.ts";
import type { Scope } from "./scope.ts";

/** A read of a subnet that Azure, or our own budget, refuses; the object has a condition for a generation. */
async function readAfter(
  code: string,
  before: object | undefined,
): Promise<{ outcome: object; ready: unknown }> {
  const error = new AzureError({ class: "Throttled", code, message: "not now", retryAfterMs: 3000 });
  const conditions = before ? [{ type: "Ready", status: "False", lastTransitionTime: "", ...before }] : [];
  const object = virtualNetworksSubnet({ metadata: { generation: 2 }, status: { conditions } as object });
  const scope = { object, arm: { get: () => Promise.reject(error) } } as unknown as Scope;
  const outcome = await readResource(scope);
  return { outcome, ready: scope.ready };
}

const refusal = { reason: "AnotherOperationInProgress", severity: "Warning", observedGeneration: 2 };

describe("a request that the budget holds back", () => {
  test("leaves Azure's last answer in the condition, and is tried again in time", async () => {
    const { outcome, ready } = await readAfter(REQUEST_BUDGET_USED_UP, refusal);
    expect(ready).toBeUndefined();
    expect(outcome).toMatchObject({ type: "block", afterMs: 3000 });
  });

  test.each<[string, object | undefined]>([
    ["without a condition", undefined],
    ["with an answer to an older spec", { ...refusal, observedGeneration: 1 }],
    ["with a condition that is no answer of Azure", { ...refusal, severity: "Info", reason: "Reconciling" }],
  ])("is the condition of an object %s", async (_, before) => {
    const { ready } = await readAfter(REQUEST_BUDGET_USED_UP, before);
    expect(ready).toMatchObject({ status: "False", reason: REQUEST_BUDGET_USED_UP });
  });
});

test("another refusal of Azure replaces the one before", async () => {
  const { ready } = await readAfter("TooManyRequests", refusal);
  expect(ready).toMatchObject({ status: "False", reason: "TooManyRequests" });
});
