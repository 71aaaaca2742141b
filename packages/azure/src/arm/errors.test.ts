import { describe, expect, test } from "vitest";
import type { AzureErrorClass } from "../port.ts";
import { azureErrorOf, instanceErrorOf, parseErrorBody } from "./errors.ts";

const classOf = (status: number, body: unknown): AzureErrorClass =>
  azureErrorOf(parseErrorBody(body, status), { status }).class;
const wrapped = (code: string, details: readonly object[] = [], message = "words"): object => ({
  error: { code, message, details },
});

describe("the class of an error", () => {
  test.each<[number, string, AzureErrorClass]>([
    [429, "Whatever", "Throttled"],
    [429, "RetryableErrorDueToAnotherOperation", "Throttled"],
    [409, "Conflict", "Conflict"],
    [409, "AnotherOperationInProgress", "Conflict"],
    [409, "OperationNotAllowed", "Conflict"],
    [409, "EtagMismatch", "Precondition"],
    [412, "PreconditionFailed", "Precondition"],
    [400, "InUseSubnetCannotBeDeleted", "Conflict"],
    [500, "InternalServerError", "Transient"],
    [409, "AllocationFailed", "Capacity"],
    [409, "SkuNotAvailable", "Capacity"],
    [400, "SubnetIsFull", "Quota"],
    [409, "VMExtensionProvisioningError", "Guest"],
    [400, "InvalidParameter", "Terminal"],
    [404, "ImageNotFound", "Terminal"],
    [403, "RequestDisallowedByPolicy", "Terminal"],
    [400, "NoRegisteredProviderFound", "Terminal"],
    [404, "InvalidResourceType", "Terminal"],
    [401, "InvalidAuthenticationTokenTenant", "Auth"],
    [403, "AuthorizationFailed", "Auth"],
    [404, "ResourceGroupNotFound", "Gone"],
  ])("%i %s is %s", (status, code, expected) => {
    expect(classOf(status, wrapped(code))).toBe(expected);
  });

  test.each<[number, AzureErrorClass]>([
    [400, "Transient"],
    [401, "Auth"],
    [403, "Auth"],
    [404, "Gone"],
    [409, "Conflict"],
    [412, "Precondition"],
    [418, "Transient"],
    [429, "Throttled"],
    [503, "Transient"],
  ])("of an unknown code goes by the status: %i is %s", (status, expected) => {
    expect(classOf(status, wrapped("NeverHeardOf"))).toBe(expected);
  });

  test("of a vague code comes from its details", () => {
    const throttled = { code: "OperationNotAllowed", message: "m", details: [{ code: "TooManyRequests" }] };
    expect(classOf(409, throttled)).toBe("Throttled");
    expect(classOf(409, wrapped("OperationNotAllowed", [{ code: "QuotaExceeded" }]))).toBe("Quota");
    expect(classOf(400, wrapped("BadRequest", [{ code: "New" }, { code: "AllocationFailed" }]))).toBe(
      "Capacity",
    );
  });

  test("distinguishes a quota from a busy resource by the message if Compute omits the details", () => {
    const words =
      "Operation could not be completed as it results in exceeding approved standardDSv5Family Cores quota.";
    expect(classOf(409, wrapped("OperationNotAllowed", [], words))).toBe("Quota");
  });
});

describe("an error", () => {
  const unwrapped = {
    code: "OperationNotAllowed",
    message: "too many",
    details: [{ code: "TooManyRequests", target: "HighCostGet", message: "{}" }],
  };

  test("keeps Azure's message, wrapped or not", () => {
    for (const body of [unwrapped, { error: unwrapped }]) {
      const error = azureErrorOf(parseErrorBody(body, 429), {
        status: 429,
        requestId: "r",
        correlationId: "c",
      });
      expect(error).toMatchObject({ ...unwrapped, class: "Throttled", status: 429, requestId: "r" });
    }
  });

  test("flattens nested details and keeps twenty of them", () => {
    const inner = { code: "C", message: "c", details: Array.from({ length: 50 }, () => ({ code: "D" })) };
    const { details } = parseErrorBody(wrapped("A", [{ code: "B", message: "b", details: [inner] }]), 400);
    expect(details.map(({ code }) => code).join("")).toBe(`BC${"D".repeat(18)}`);
  });

  test.each([
    ["<html>Bad gateway</html>", "<html>Bad gateway</html>"],
    ["", "Azure answered 502 without a reason"],
    [null, "Azure answered 502 without a reason"],
    [[1], "Azure answered 502 without a reason"],
    [{ error: "text" }, "Azure answered 502 without a reason"],
  ])("is parsed from any body: %j", (body, message) => {
    expect(parseErrorBody(body, 502)).toEqual({ code: "HTTP502", message, details: [] });
  });

  test("has an unknown outcome after a server error", () => {
    expect(azureErrorOf(parseErrorBody("", 504), { status: 504 }).isOutcomeUnknown).toBe(true);
    expect(azureErrorOf(parseErrorBody("", 409), { status: 409 }).isOutcomeUnknown).toBe(false);
  });

  test("of an instance is read from its statuses", () => {
    const statuses = [
      { code: "PowerState/running" },
      { code: "ProvisioningState/failed/OSProvisioningTimedOut", message: "too slow" },
    ];
    expect(instanceErrorOf(statuses)).toMatchObject({ class: "Guest", code: "OSProvisioningTimedOut" });
    expect(instanceErrorOf([{ code: "ProvisioningState/succeeded" }, null])).toBeUndefined();
  });
});
