import { createRng } from "@capstan/env";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { CallPriority } from "../port.ts";
import { Budget, type Held, partsOf, remainingOf, type Ticket, waitMsFor } from "./budget.ts";
import { chargesOf, type Cost } from "./policies.ts";
import { targetOf, type Verb } from "./target.ts";

const SET = "/subscriptions/s/resourceGroups/rg/providers/Microsoft.Compute/virtualMachineScaleSets/v";

const costOf = (verb: Verb, path: string, extra: Partial<Cost> = {}): Cost => ({
  target: targetOf(verb, path),
  principal: "p",
  location: "westus",
  requests: 1,
  instances: 0,
  ...extra,
});
const list = (extra: Partial<Cost> = {}): Cost => costOf("LIST", `${SET}/virtualMachines`, extra);
const isHeld = (verdict: Ticket | Held): verdict is Held => "retryAfterMs" in verdict;

test("reads of two instances do not share a bucket of one resource", () => {
  const buckets = ["0", "1"].map((id) =>
    chargesOf(costOf("GET", `${SET}/virtualMachines/${id}`))
      .filter(({ policy }) => policy === "GetVMScaleSetVMResource")
      .map(({ bucket }) => bucket),
  );
  expect(buckets[0]).toHaveLength(1);
  expect(buckets[0]).not.toEqual(buckets[1]);
});

describe("what a call is charged", () => {
  test.each<[Verb, string, Partial<Cost>, readonly string[]]>([
    ["GET", "/subscriptions/s/resourceGroups/rg", {}, ["subscription-reads 1"]],
    ["DELETE", "/subscriptions/s/resourceGroups/rg", {}, ["subscription-deletes 1"]],
    [
      "PUT",
      SET,
      {},
      ["subscription-writes 1", "CreateVMScaleSetResource 1", "CreateVMScaleSetSubscriptionMaximum 1"],
    ],
    [
      "LIST",
      `${SET}/virtualMachines`,
      { requests: 3, instances: 250 },
      [
        "subscription-reads 3",
        "HighCostGetVMScaleSetResource 3",
        "HighCostGetVMScaleSetSubscriptionMaximum 3",
        "VMScaleSetVMViewsSubscriptionMaximum 250",
      ],
    ],
    [
      "POST",
      `${SET}/manualupgrade`,
      { instances: 100 },
      [
        "subscription-writes 1",
        "VMScaleSetActionsSubscriptionMaximum 1",
        "VMScaleSetBatchedVMRequestsSubscriptionMaximum 100",
      ],
    ],
    [
      "POLL",
      "/subscriptions/s/providers/Microsoft.Compute/locations/westus/operations/o",
      {},
      ["subscription-reads 1", "GetOperationResource 1", "GetOperationSubscriptionMaximum 1"],
    ],
    [
      "PUT",
      "/subscriptions/s/resourceGroups/rg/providers/Microsoft.Network/loadBalancers/v",
      {},
      ["subscription-writes 1"],
    ],
  ])("%s %s", (verb, path, extra, expected) => {
    expect(chargesOf(costOf(verb, path, extra)).map(({ policy, tokens }) => `${policy} ${tokens}`)).toEqual(
      expected,
    );
  });
});

describe("how long a bucket makes wait", () => {
  const size = { capacity: 30, perSecond: 0.5 };
  test.each<[number, number, CallPriority, number]>([
    [30, 1, "sweep", 0],
    [8, 1, "sweep", 0],
    [7, 1, "sweep", 2000],
    [4, 1, "normal", 0],
    [3, 1, "normal", 2000],
    [1, 1, "urgent", 0],
    [0, 1, "urgent", 2000],
    [0, 500, "urgent", 60_000],
  ])("holding %i, asked for %i by a %s call: %i ms", (held, tokens, priority, expected) => {
    const bucket = { tokens: held, atMs: 0, blockedUntilMs: 0 };
    expect(waitMsFor(bucket, size, { tokens, priority, nowMs: 0 })).toBe(expected);
  });

  test("fills with time, but not beyond its capacity", () => {
    const bucket = { tokens: 0, atMs: 0, blockedUntilMs: 0 };
    expect(waitMsFor(bucket, size, { tokens: 10, priority: "urgent", nowMs: 20_000 })).toBe(0);
    expect(waitMsFor(bucket, size, { tokens: 10, priority: "urgent", nowMs: 10_000 })).toBe(10_000);
  });
});

describe("a budget", () => {
  test("is never more than what Azure would allow", () => {
    const calls = fc.array(
      fc.record({
        afterMs: fc.integer({ min: 0, max: 20_000 }),
        priority: fc.constantFrom<CallPriority>("urgent", "normal", "sweep"),
        instances: fc.integer({ min: 0, max: 12_000 }),
      }),
      { minLength: 1, maxLength: 200 },
    );
    fc.assert(
      fc.property(calls, (sequence) => {
        const budget = new Budget();
        const azure = new Map(
          chargesOf(list({ instances: 1 })).map(({ policy, size }) => [
            policy,
            { size, tokens: size.capacity },
          ]),
        );
        let nowMs = 0;
        for (const { afterMs, priority, instances } of sequence) {
          nowMs += afterMs;
          for (const bucket of azure.values()) {
            bucket.tokens = Math.min(
              bucket.size.capacity,
              bucket.tokens + (afterMs / 1000) * bucket.size.perSecond,
            );
          }
          const ticket = budget.admit(list({ instances }), priority, nowMs);
          if (isHeld(ticket)) continue;
          for (const { policy, tokens } of ticket.charges) {
            const bucket = azure.get(policy);
            if (!bucket) throw new Error(policy);
            bucket.tokens -= tokens;
            // Seconds of refill are counted in floating point on both sides.
            expect(bucket.tokens).toBeGreaterThan(-0.001);
          }
          budget.settle(ticket, undefined, nowMs);
        }
      }),
    );
  });

  test("admits polls and deletes while sweeps wait, and charges nothing for a waiting call", () => {
    const budget = new Budget();
    let sweeps = 0;
    let verdict = budget.admit(list(), "sweep", 0);
    for (; !isHeld(verdict); verdict = budget.admit(list(), "sweep", 0)) sweeps++;
    expect(sweeps).toBe(23);
    expect(verdict).toEqual({ policy: "HighCostGetVMScaleSetResource", retryAfterMs: 6000 });
    let urgent = 0;
    while (!isHeld(budget.admit(list(), "urgent", 0))) urgent++;
    expect(urgent).toBe(7);
    expect(isHeld(budget.admit(list(), "sweep", 60_000))).toBe(false);
  });

  test("spreads the retries of waiting calls, and queues urgent ones separately", () => {
    const budget = new Budget();
    while (!isHeld(budget.admit(list(), "urgent", 0)));
    const waits = (priority: CallPriority, count: number): number[] =>
      Array.from({ length: count }, () => {
        const verdict = budget.admit(list(), priority, 0);
        return isHeld(verdict) ? verdict.retryAfterMs : 0;
      });
    expect(waits("sweep", 3)).toEqual([48_000, 54_000, 60_000]);
    expect(waits("urgent", 2)).toEqual([12_000, 18_000]);
    expect(waits("sweep", 100).at(-1)).toBe(180_000);
  });

  test("uses Azure's remaining count, minus the running calls", () => {
    const budget = new Budget();
    const [first, second] = [budget.admit(list(), "urgent", 0), budget.admit(list(), "urgent", 0)];
    if (isHeld(first) || isHeld(second)) throw new Error("held");
    const headers = {
      "x-ms-ratelimit-remaining-resource": "Microsoft.Compute/HighCostGetVMScaleSetResource;3",
    };
    budget.settle(first, { status: 200, headers }, 0);
    expect([0, 1, 2].map(() => isHeld(budget.admit(list(), "urgent", 0)))).toEqual([false, false, true]);
  });

  test("loses no tokens to its own calls, with any number of running calls and any order of answers", () => {
    const POLICY = "VMScaleSetBatchedVMRequestsSubscriptionMaximum";
    const calls = fc.array(
      fc.record({
        afterMs: fc.integer({ min: 0, max: 20_000 }),
        instances: fc.integer({ min: 1, max: 1000 }),
        thereMs: fc.integer({ min: 0, max: 5000 }),
        backMs: fc.integer({ min: 0, max: 5000 }),
      }),
      { minLength: 1, maxLength: 60 },
    );
    fc.assert(
      fc.property(calls, (sequence) => {
        const [reported, deaf] = [new Budget(), new Budget()];
        const azure = { tokens: 6000, atMs: 0 };
        const take = (tokens: number, nowMs: number): number => {
          azure.tokens = Math.min(6000, azure.tokens + ((nowMs - azure.atMs) / 1000) * (2000 / 60)) - tokens;
          azure.atMs = nowMs;
          return Math.floor(azure.tokens);
        };
        const agenda: { readonly atMs: number; readonly run: () => void }[] = [];
        const runUntil = (nowMs: number): void => {
          for (;;) {
            agenda.sort((one, other) => one.atMs - other.atMs);
            if ((agenda[0]?.atMs ?? Infinity) > nowMs) return;
            agenda.shift()?.run();
          }
        };
        let nowMs = 0;
        for (const { afterMs, instances, thereMs, backMs } of sequence) {
          nowMs += afterMs;
          runUntil(nowMs);
          const cost = costOf("POST", `${SET}/delete`, { instances });
          const [ticket, other] = [reported.admit(cost, "urgent", nowMs), deaf.admit(cost, "urgent", nowMs)];
          expect(isHeld(ticket)).toBe(isHeld(other));
          if (isHeld(ticket) || isHeld(other)) continue;
          const processedMs = nowMs + thereMs;
          const answeredMs = processedMs + backMs;
          agenda.push({
            atMs: processedMs,
            run: () => {
              const left = take(instances, processedMs);
              const headers = { "x-ms-ratelimit-remaining-resource": `Microsoft.Compute/${POLICY};${left}` };
              agenda.push({
                atMs: answeredMs,
                run: () => {
                  reported.settle(ticket, { status: 202, headers }, answeredMs);
                  deaf.settle(other, undefined, answeredMs);
                },
              });
            },
          });
        }
      }),
    );
  });

  test("ignores an old answer that reports a higher count", () => {
    const budget = new Budget();
    const first = budget.admit(list(), "urgent", 0);
    if (isHeld(first)) throw new Error("held");
    while (!isHeld(budget.admit(list(), "urgent", 0)));
    const headers = {
      "x-ms-ratelimit-remaining-resource": "Microsoft.Compute/HighCostGetVMScaleSetResource;29",
    };
    budget.settle(first, { status: 200, headers }, 0);
    expect(isHeld(budget.admit(list(), "urgent", 0))).toBe(true);
  });

  test.each([
    ["front door", {}, costOf("GET", "/subscriptions/s/resourceGroups/rg")],
    [
      "policy that is empty",
      { "x-ms-ratelimit-remaining-resource": "Microsoft.Compute/HighCostGetVMScaleSetResource;0" },
      list(),
    ],
    ["policies of Compute when it does not say which", {}, list()],
  ])("sends nothing to the %s after a 429", (_, headers, cost) => {
    const budget = new Budget();
    const ticket = budget.admit(cost, "urgent", 0);
    if (isHeld(ticket)) throw new Error("held");
    budget.settle(ticket, { status: 429, headers, retryAfterMs: 90_000 }, 0);
    expect(budget.admit(cost, "urgent", 1000)).toMatchObject({ retryAfterMs: 89_000 });
    expect(isHeld(budget.admit(cost, "urgent", 90_000))).toBe(false);
  });

  test("waits for the longest Retry-After, in any order of answers", () => {
    const budget = new Budget();
    const [first, second] = [budget.admit(list(), "urgent", 0), budget.admit(list(), "urgent", 0)];
    if (isHeld(first) || isHeld(second)) throw new Error("held");
    budget.settle(first, { status: 429, headers: {}, retryAfterMs: 90_000 }, 0);
    budget.settle(second, { status: 429, headers: {}, retryAfterMs: 5_000 }, 0);
    expect(budget.admit(list(), "urgent", 10_000)).toMatchObject({ retryAfterMs: 80_000 });
  });

  test("continues with other scale sets when one has used up its own budget", () => {
    const budget = new Budget();
    while (!isHeld(budget.admit(list(), "urgent", 0)));
    expect(isHeld(budget.admit(costOf("LIST", `${SET}2/virtualMachines`), "urgent", 0))).toBe(false);
  });

  test("drops full buckets at the limit", () => {
    const budget = new Budget();
    for (let index = 0; index < 30_000; index++) {
      const poll = `/subscriptions/s/providers/Microsoft.Compute/locations/westus/operations/${index}`;
      const ticket = budget.admit(costOf("POLL", poll), "urgent", index * 100);
      if (!isHeld(ticket)) budget.settle(ticket, undefined, index * 100);
    }
    expect(budget.size).toBeLessThanOrEqual(20_001);
  });

  test("splits the charge of a list among its pages", () => {
    const budget = new Budget();
    const ticket = budget.admit(list({ requests: 10, instances: 1000 }), "sweep", 0);
    if (isHeld(ticket)) throw new Error("held");
    const parts = partsOf(ticket, 10);
    expect(parts).toHaveLength(10);
    expect(parts[0]?.charges.map(({ tokens }) => tokens)).toEqual([1, 1, 1, 100]);
  });
});

describe("the headers of an answer", () => {
  test("have the remaining count by policy; the smaller of the principal's and the subscription's counts", () => {
    const remaining = remainingOf({
      "x-ms-ratelimit-remaining-subscription-reads": "249",
      "x-ms-ratelimit-remaining-subscription-global-reads": "7",
      "x-ms-ratelimit-remaining-resource":
        "Microsoft.Compute/GetVMScaleSetResource;35, Microsoft.Compute/Odd;x,,;",
    });
    expect([...remaining]).toEqual([
      ["subscription-reads", 7],
      ["GetVMScaleSetResource", 35],
    ]);
  });
});

test("no urgent call finds an empty bucket in Azure because it arrives a little early", () => {
  const [capacity, perSecond, calls] = [200, 10, 2000];
  const rng = createRng("1", "latency");
  const budget = new Budget();
  const charge = (): Cost => costOf("DELETE", "/subscriptions/s/resourceGroups/rg");
  const arrivalsMs: number[] = [];
  for (let nowMs = 0; arrivalsMs.length < calls;) {
    const verdict = budget.admit(charge(), "urgent", nowMs);
    if (isHeld(verdict)) nowMs += Math.max(1, Math.min(verdict.retryAfterMs, 100));
    else arrivalsMs.push(nowMs + 1 + rng.next() * 4);
  }
  let azure = { tokens: capacity, atMs: 0 };
  const refused = arrivalsMs
    .toSorted((a, b) => a - b)
    .filter((atMs) => {
      const tokens = Math.min(capacity, azure.tokens + ((atMs - azure.atMs) / 1000) * perSecond);
      azure = { tokens: tokens < 1 ? tokens : tokens - 1, atMs };
      return tokens < 1;
    });
  expect(refused).toEqual([]);
});
