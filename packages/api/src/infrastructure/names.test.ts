import { describe, expect, test } from "vitest";
import { formatFieldError } from "../values/field-error.ts";
import { networkNameErrors, resourceGroupErrors, subscriptionErrors } from "./names.ts";

describe("names in Azure", () => {
  test.each(["rg", "my-rg_1.(a)", "größe", "a".repeat(90), "", undefined])(
    "a resource group may be %j",
    (name) => {
      expect(resourceGroupErrors("g", name)).toEqual([]);
    },
  );

  test.each(["a b", "a/b", "rg.", "a".repeat(91), "a?b", "a\nb"])(
    "a resource group may not be %j",
    (name) => {
      expect(resourceGroupErrors("g", name).map(formatFieldError)).toEqual([
        `g: Invalid value: ${JSON.stringify(name)}: must be 1 to 90 letters, digits, '-', '_', '.', '(' or ')', and not end with '.'`,
      ]);
    },
  );

  test.each(["a", "_a", "my-vnet.1_", "a".repeat(80)])("a network may be %j", (name) => {
    expect(networkNameErrors("n", name)).toEqual([]);
  });

  test.each(["", "-a", "a-", "a.", "a/b", "a".repeat(81), "a\n"])("a network may not be %j", (name) => {
    expect(networkNameErrors("n", name)).toHaveLength(1);
  });

  test("a subscription is a GUID", () => {
    expect(subscriptionErrors("s", "00000000-0000-0000-0000-000000000000")).toEqual([]);
    expect(subscriptionErrors("s", "mine").map(formatFieldError)).toEqual([
      's: Invalid value: "mine": must be a subscription id, a GUID',
    ]);
  });
});
