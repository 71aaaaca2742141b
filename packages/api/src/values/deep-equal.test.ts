import fc from "fast-check";
import { expect, test } from "vitest";
import { deepCopy } from "./deep-copy.ts";
import { deepEqual } from "./deep-equal.ts";

test("finds a value equal to its copy", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(deepEqual(value, deepCopy(value))).toBe(true);
    }),
  );
});

test("agrees with a comparison of the sorted output", () => {
  const small = fc.jsonValue({ maxDepth: 2 });
  fc.assert(
    fc.property(small, small, (a, b) => {
      expect(deepEqual(a, b)).toBe(sorted(a) === sorted(b));
    }),
  );
});

test.each([
  [{ a: 1, b: 2 }, { b: 2, a: 1 }, true],
  [{ a: 1, b: undefined }, { a: 1 }, true],
  [{ a: undefined }, { b: undefined }, true],
  [{ a: 1 }, { b: 1 }, false],
  [{}, undefined, false],
  [{}, [], false],
  [[], {}, false],
  [[1, 2], [2, 1], false],
  [[1], [1, 2], false],
  [null, {}, false],
  [null, undefined, false],
  ["1", 1, false],
  [0, -0, true],
  [{ constructor: 1 }, {}, false],
  [{}, { toString: 1 }, false],
  [JSON.parse('{"__proto__": {"a": 1}}'), {}, false],
  [JSON.parse('{"__proto__": {"a": 1}}'), JSON.parse('{"__proto__": {"a": 1}}'), true],
] as [unknown, unknown, boolean][])("compares %j with %j", (a, b, expected) => {
  expect(deepEqual(a, b)).toBe(expected);
  expect(deepEqual(b, a)).toBe(expected);
});

function sorted(value: unknown): string {
  return JSON.stringify(value, (_, field: unknown) => {
    if (typeof field !== "object" || field === null || Array.isArray(field)) return field;
    return Object.fromEntries(Object.entries(field).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}
