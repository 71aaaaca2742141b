import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { applyMergePatch, diffMergePatch } from "./merge-patch.ts";

describe("a merge patch", () => {
  // The table at the end of RFC 7386.
  test.each([
    [{ a: "b" }, { a: "c" }, { a: "c" }],
    [{ a: "b" }, { b: "c" }, { a: "b", b: "c" }],
    [{ a: "b" }, { a: null }, {}],
    [{ a: "b", b: "c" }, { a: null }, { b: "c" }],
    [{ a: ["b"] }, { a: "c" }, { a: "c" }],
    [{ a: "c" }, { a: ["b"] }, { a: ["b"] }],
    [{ a: { b: "c" } }, { a: { b: "d", c: null } }, { a: { b: "d" } }],
    [{ a: [{ b: "c" }] }, { a: [1] }, { a: [1] }],
    [
      ["a", "b"],
      ["c", "d"],
      ["c", "d"],
    ],
    [{ a: "b" }, ["c"], ["c"]],
    [{ a: "foo" }, null, null],
    [{ a: "foo" }, "bar", "bar"],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [[1, 2], { a: "b", c: null }, { a: "b" }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
  ])("turns %j with %j into %j", (target, patch, expected) => {
    expect(applyMergePatch(target, patch)).toEqual(expected);
  });

  test("treats __proto__ as data and changes no prototype", () => {
    const patch = JSON.parse('{"__proto__": {"polluted": true}}') as object;
    const result = applyMergePatch({}, patch) as object;
    expect(Object.hasOwn(result, "__proto__")).toBe(true);
    expect(Object.getPrototypeOf(result)).toBe(Object.prototype);
    expect({}).not.toHaveProperty("polluted");
  });
});

/** JSON without null, which a merge patch cannot express. */
const json = fc.letrec<{ value: unknown; object: Record<string, unknown> }>((tie) => ({
  object: fc.dictionary(fc.string({ maxLength: 3 }), tie("value"), { maxKeys: 4 }),
  value: fc.oneof(
    { depthSize: "small" },
    fc.integer(),
    fc.string(),
    fc.boolean(),
    fc.array(fc.integer()),
    tie("object"),
  ),
})).object;

describe("the difference of two values", () => {
  test("applied to the first gives the second", () => {
    fc.assert(
      fc.property(json, json, (before, after) => {
        const patch = diffMergePatch(before, after);
        expect(applyMergePatch(before, patch ?? {})).toEqual(after);
      }),
    );
  });

  test("is undefined for equal values", () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(diffMergePatch(value, structuredClone(value))).toBeUndefined();
      }),
    );
  });

  test("contains only what changed", () => {
    const before = { spec: { replicas: 1, version: "v1" }, status: { a: [1], b: 2 } };
    const after = { spec: { replicas: 2, version: "v1" }, status: { a: [1], c: undefined } };
    expect(diffMergePatch(before, after)).toEqual({ spec: { replicas: 2 }, status: { b: null } });
  });
});
