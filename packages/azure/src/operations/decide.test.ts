import type { Operation } from "@capstan/api";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { AzureError, type AzureErrorClass } from "../port.ts";
import { isFinal, nextStep, type Observed, SETTLE_MS } from "./decide.ts";

const STARTED = Date.UTC(2026, 0, 1);
const LATER = STARTED + SETTLE_MS;
const intent = (verb: Operation["verb"], url?: string): Operation => ({
  verb,
  resourceID: "/subscriptions/s/resourceGroups/rg",
  startedAt: new Date(STARTED).toISOString(),
  ...(url !== undefined && { url }),
});
const URL = "https://operation";
const error = (errorClass: AzureErrorClass, status?: number): AzureError => {
  const facts = { class: errorClass, code: "Code", message: "words", retryAfterMs: 7000 };
  return new AzureError({ ...facts, ...(status !== undefined && { status }) });
};
const resource = (hasArrived: boolean, provisioningState: string): Observed => ({
  kind: "resource",
  hasArrived,
  provisioningState,
});
const post = (done: number, running: number): Observed => ({
  kind: "post",
  evidence: [0, 1, 2].map((index) => (index < done ? "done" : index < done + running ? "running" : "none")),
});

test.each<[string, Operation | undefined, Observed, object]>([
  ["nothing is under way", undefined, { kind: "nothing" }, { do: "send" }],
  ["an intent is found without an address", intent("PUT"), { kind: "nothing" }, { do: "look" }],
  ["an intent is found with an address", intent("PUT", URL), { kind: "nothing" }, { do: "poll", url: URL }],
  [
    "it runs",
    intent("PUT", URL),
    { kind: "poll", status: { state: "InProgress", retryAfterMs: 5000 } },
    { do: "wait", retryAfterMs: 5000 },
  ],
  [
    "it has succeeded",
    intent("PUT", URL),
    { kind: "poll", status: { state: "Succeeded" } },
    { do: "finish", outcome: "Succeeded" },
  ],
  [
    "it has failed",
    intent("PUT", URL),
    { kind: "poll", status: { state: "Failed", error: error("Capacity") } },
    { do: "finish", outcome: "Failed", error: error("Capacity") },
  ],
  [
    "it was preempted",
    intent("PUT", URL),
    { kind: "poll", status: { state: "Canceled", error: error("Preempted") } },
    { do: "finish", outcome: "Preempted" },
  ],
  [
    "the poll was refused",
    intent("PUT", URL),
    { kind: "pollFailed", error: error("Throttled", 429) },
    { do: "wait", retryAfterMs: 7000 },
  ],
  ...([401, 403] as const).map((status): [string, Operation, Observed, object] => [
    `the credentials of the poll are refused with ${status}`,
    intent("PUT", URL),
    { kind: "pollFailed", error: error("Auth", status) },
    { do: "wait", retryAfterMs: 7000 },
  ]),
  [
    "the operation is forgotten",
    intent("PUT", URL),
    { kind: "pollFailed", error: error("Gone") },
    { do: "look" },
  ],
  [
    "the poll is answered as the request would be",
    intent("DELETE", URL),
    { kind: "pollFailed", error: error("Transient", 409) },
    { do: "look" },
  ],
  [
    "the poll gets no good answer",
    intent("DELETE", URL),
    { kind: "pollFailed", error: error("Transient", 500) },
    { do: "wait" },
  ],
  [
    "the poll times out on its way: that says nothing about the operation",
    intent("DELETE", URL),
    { kind: "pollFailed", error: error("Transient", 408) },
    { do: "wait" },
  ],
  [
    "the PUT is there and done",
    intent("PUT"),
    resource(true, "Succeeded"),
    { do: "finish", outcome: "Succeeded" },
  ],
  [
    "the PUT is there without a state",
    intent("PUT"),
    resource(true, ""),
    { do: "finish", outcome: "Succeeded" },
  ],
  [
    "the PUT is there and failed",
    intent("PUT"),
    resource(true, "Failed"),
    { do: "finish", outcome: "Failed" },
  ],
  ["the PUT is there and goes on", intent("PUT"), resource(true, "Updating"), { do: "wait" }],
  ["the PUT is not there", intent("PUT"), resource(false, "Succeeded"), { do: "send" }],
  ["the PUT made nothing", intent("PUT"), { kind: "absent" }, { do: "send" }],
  [
    "the PUT was accepted and is not there",
    intent("PUT", URL),
    resource(false, "Succeeded"),
    { do: "finish", outcome: "Superseded" },
  ],
  [
    "the PUT was accepted and made nothing",
    intent("PUT", URL),
    { kind: "absent" },
    { do: "finish", outcome: "Superseded" },
  ],
  ["the DELETE is done", intent("DELETE"), { kind: "absent" }, { do: "finish", outcome: "Succeeded" }],
  ["the DELETE goes on", intent("DELETE"), resource(false, "Deleting"), { do: "wait" }],
  ["the DELETE did not arrive", intent("DELETE"), resource(true, "Succeeded"), { do: "send" }],
  ["the POST reached all", intent("POST"), post(3, 0), { do: "finish", outcome: "Succeeded" }],
  ["the POST goes on", intent("POST"), post(0, 1), { do: "wait" }],
  ["the POST reached some", intent("POST"), post(1, 0), { do: "finish", outcome: "Partial" }],
  ["the POST did not arrive", intent("POST"), post(0, 0), { do: "send" }],
])("when %s", (_, record, observed, expected) => {
  expect(nextStep(record, observed, LATER)).toMatchObject(expected);
});

describe("the next step", () => {
  test("waits a while for what may show up yet, and not forever when the clock went back", () => {
    const look = (nowMs: number): object => nextStep(intent("PUT"), { kind: "absent" }, nowMs);
    expect(look(STARTED + 10_000)).toMatchObject({ do: "wait", retryAfterMs: 20_000 });
    expect(look(STARTED - 1)).toMatchObject({ do: "send" });
  });

  const anyObserved = fc.oneof(
    fc.constant<Observed>({ kind: "nothing" }),
    fc.constant<Observed>({ kind: "absent" }),
    fc.record({
      kind: fc.constant("resource" as const),
      hasArrived: fc.boolean(),
      provisioningState: fc.constantFrom("", "Updating", "Succeeded", "Failed", "Deleting"),
    }),
    fc
      .constantFrom<AzureErrorClass>("Throttled", "Conflict", "Transient", "Auth", "Gone", "Terminal")
      .map((name): Observed => ({ kind: "pollFailed", error: error(name) })),
    fc
      .constantFrom("InProgress" as const, "Succeeded" as const)
      .map((state): Observed => ({ kind: "poll", status: { state } })),
    fc.tuple(fc.nat(3), fc.nat(3)).map(([done, running]) => post(done, Math.min(running, 3 - done))),
  );
  const anyVerb = fc.constantFrom<Operation["verb"]>("PUT", "PATCH", "POST", "DELETE");

  test("never sends what Azure has accepted, nor anything before a look, and always says why", () => {
    fc.assert(
      fc.property(
        anyVerb,
        fc.boolean(),
        anyObserved,
        fc.nat(100_000),
        (verb, isAccepted, observed, ageMs) => {
          const step = nextStep(intent(verb, isAccepted ? URL : undefined), observed, STARTED + ageMs);
          expect(step.why).not.toBe("");
          if (step.do !== "send") return;
          expect(isAccepted).toBe(false);
          expect(["absent", "resource", "post"]).toContain(observed.kind);
          expect(ageMs).toBeGreaterThanOrEqual(SETTLE_MS);
        },
      ),
    );
  });

  test("never takes a poll that failed for an operation that did", () => {
    for (const name of ["Throttled", "Conflict", "Transient", "Auth", "Gone", "Terminal"] as const) {
      const step = nextStep(intent("PUT", URL), { kind: "pollFailed", error: error(name) }, LATER);
      expect(["wait", "look"]).toContain(step.do);
    }
  });
});

test.each([
  ["Succeeded", true],
  ["Failed", true],
  ["Canceled", true],
  ["Updating", false],
  ["Creating", false],
])("a resource that is %s is at rest: %s", (state, expected) => {
  expect(isFinal(state)).toBe(expected);
});
