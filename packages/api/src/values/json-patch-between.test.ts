import fc from "fast-check";
import { expect, test } from "vitest";
import { deepCopy } from "./deep-copy.ts";
import { deepEqual } from "./deep-equal.ts";
import { jsonPatch } from "./json-patch.ts";
import { jsonPatchBetween } from "./json-patch-between.ts";

/** The value after the patch. A patch cannot replace a whole document, so the value is a field of one. */
function patched(value: unknown, operations: ReturnType<typeof jsonPatchBetween>): unknown {
  const document = { value: deepCopy(value) };
  jsonPatch(
    document,
    operations.map((operation) => ({ ...operation, path: `/value${operation.path}` })),
  );
  return document.value;
}

test.each([
  ["nothing", { a: 1, b: [{ c: 2 }] }, { b: [{ c: 2 }], a: 1 }, []],
  ["a new field", { a: {} }, { a: { b: 1 } }, [{ op: "add", path: "/a/b", value: 1 }]],
  ["another value", { a: 1 }, { a: "1" }, [{ op: "replace", path: "/a", value: "1" }]],
  ["a field that goes", { a: 1, b: 2 }, { b: 2 }, [{ op: "remove", path: "/a" }]],
  ["a field that becomes undefined", { a: 1 }, { a: undefined }, [{ op: "remove", path: "/a" }]],
  [
    "names with signs of a pointer",
    { "a/b~c": 1 },
    { "a/b~c": 2 },
    [{ op: "replace", path: "/a~1b~0c", value: 2 }],
  ],
  [
    "a field in each item of a list",
    [{ a: 1 }, { a: 2 }],
    [
      { a: 1, b: 0 },
      { a: 2, b: 0 },
    ],
    [
      { op: "add", path: "/0/b", value: 0 },
      { op: "add", path: "/1/b", value: 0 },
    ],
  ],
  ["an item more", [1], [1, 2], [{ op: "add", path: "/-", value: 2 }]],
  [
    "two items fewer",
    [1, 2, 3],
    [1],
    [
      { op: "remove", path: "/2" },
      { op: "remove", path: "/1" },
    ],
  ],
  ["a list in place of an object", { a: {} }, { a: [] }, [{ op: "replace", path: "/a", value: [] }]],
  ["null in place of nothing", {}, { a: null }, [{ op: "add", path: "/a", value: null }]],
])("the patch for %s is the smallest", (_, before, after, expected) => {
  expect(jsonPatchBetween(before, after)).toEqual(expected);
});

test("a patch leads from any value to any other, and is empty only where both are the same", () => {
  // `jsonPatch` refuses names that lead to a prototype.
  const isSafe = (value: unknown): boolean =>
    !/"(__proto__|constructor|prototype)"/.test(JSON.stringify(value));
  const value = fc.jsonValue({ maxDepth: 4 }).filter(isSafe) as fc.Arbitrary<unknown>;
  fc.assert(
    fc.property(value, value, (before, after) => {
      const patch = jsonPatchBetween(before, after);
      expect(deepEqual(patched(before, patch), after)).toBe(true);
      expect(patch.length === 0).toBe(deepEqual(before, after));
    }),
    { numRuns: 500 },
  );
});

test("a list of 200,000 items takes no longer than it is", () => {
  const before = Array.from({ length: 200_000 }, () => ({}));
  const after = before.map((_, index) => ({ index }));
  expect(jsonPatchBetween(before, after)).toHaveLength(200_000);
});
