import type { FailureClass } from "@capstan/runtime";
import { expect, test } from "vitest";
import { failureOf } from "./failure.ts";
import { AzureError, type AzureErrorClass } from "./port.ts";

test.each<[AzureErrorClass, FailureClass, number | undefined]>([
  ["Throttled", "Waiting", 60_000],
  ["Conflict", "Waiting", 30_000],
  ["Preempted", "Conflict", undefined],
  ["Precondition", "Conflict", undefined],
  ["Transient", "Transient", undefined],
  ["Capacity", "Transient", 120_000],
  ["Quota", "Transient", 600_000],
  ["Guest", "Transient", 60_000],
  ["Terminal", "Terminal", undefined],
  ["Auth", "Transient", 60_000],
  ["Gone", "Transient", 15_000],
])("an error of class %s is %s for a reconciler", (errorClass, failure, retryAfterMs) => {
  const error = new AzureError({ class: errorClass, code: "SomeCode", message: "words", requestId: "r1" });
  expect(failureOf(error, "Creating the scale set")).toMatchObject({
    failure,
    reason: "SomeCode",
    message: "Creating the scale set: words",
    retryAfterMs,
    cause: error,
  });
});

test("a Retry-After of Azure takes precedence", () => {
  const error = new AzureError({
    class: "Quota",
    code: "Q",
    message: "m",
    retryAfterMs: 5,
    isOutcomeUnknown: true,
  });
  expect(failureOf(error, "x")).toMatchObject({ retryAfterMs: 5, outcomeUnknown: true });
});

test.each([
  ["invalid_client", "InvalidClient"],
  ["AADSTS7000215", "AADSTS7000215"],
  ["404", "Azure404"],
])("the code %s is the reason %s", (code, reason) => {
  expect(failureOf(new AzureError({ class: "Auth", code, message: "m" }), "x")).toMatchObject({ reason });
});

test("an error that is not from Azure is passed on", () => {
  const bug = new TypeError("bug");
  expect(failureOf(bug, "x")).toBe(bug);
});
