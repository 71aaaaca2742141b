import { deepEqual } from "@capstan/api";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { mergeDesired, withoutNamed } from "./merge-desired.ts";

describe("the desired value merged into the observed one", () => {
  test.each<[string, unknown, unknown]>([
    ["fields of Azure's own", { a: 1, state: "x" }, { a: 1 }],
    ["an id in another spelling", { id: "/subscriptions/S/x" }, { id: "/subscriptions/s/X" }],
    ["more items with names", [{ name: "a" }, { name: "b" }], [{ name: "a" }]],
    ["another order of items", [{ name: "b" }, { name: "a" }], [{ name: "a" }, { name: "b" }]],
    ["more ranges", { addressPrefixes: ["10.0.0.0/8", "fd00::/8"] }, { addressPrefixes: ["10.0.0.0/8"] }],
    ["a missing empty list", {}, { rules: [] }],
    ["an undefined field", { a: 1 }, { a: undefined, b: undefined }],
  ])("is the same object in spite of %s", (_, observed, desired) => {
    expect(mergeDesired(observed, desired)).toBe(observed);
  });

  test("keeps items of other clients and repairs its own", () => {
    const observed = {
      pools: [
        { name: "theirs", x: 1 },
        { name: "ours", x: 2, theirs: true },
      ],
    };
    expect(mergeDesired(observed, { pools: [{ name: "ours", x: 3 }, { name: "new" }] })).toEqual({
      pools: [{ name: "theirs", x: 1 }, { name: "ours", x: 3, theirs: true }, { name: "new" }],
    });
  });

  test("replaces a rule as a whole, because further fields would change its effect", () => {
    const observed = {
      securityRules: [{ name: "r", properties: { sourceAddressPrefixes: ["a", "b"], access: "Allow" } }],
    };
    const rule = { name: "r", properties: { sourceAddressPrefix: "*", access: "Allow" } };
    expect(mergeDesired(observed, { securityRules: [rule] })).toEqual({ securityRules: [rule] });
  });

  test("removes items by name, ignoring case", () => {
    const list = [{ name: "Old" }, { name: "kept" }];
    expect(withoutNamed(list, new Set(["old"]))).toEqual([{ name: "kept" }]);
    expect(withoutNamed(list, new Set(["other"]))).toBe(list);
  });
});

const value = fc.letrec((tie) => ({
  leaf: fc.oneof(fc.nat(3), fc.constantFrom("x", "y")),
  object: fc.dictionary(fc.constantFrom("a", "b", "c"), tie("any"), { maxKeys: 3 }),
  any: fc.oneof({ depthSize: "small" }, tie("leaf"), tie("object")),
})).object;

test("changes nothing when merged a second time", () => {
  fc.assert(
    fc.property(value, value, (observed, desired) => {
      const once = mergeDesired(observed, desired);
      expect(mergeDesired(once, desired)).toBe(once);
      if (deepEqual(once, observed)) expect(once).toBe(observed);
    }),
  );
});
