import fc from "fast-check";
import { expect, test } from "vitest";
import { canonicalText, frozenCopy, mergePatch, objectsAt, textAt } from "./json.ts";

test("a merge patch merges objects, replaces other values and removes fields by null", () => {
  const target = { a: { b: 1, c: 2 }, list: [1, 2] };
  expect(mergePatch(target, { a: { b: null, d: 3 }, list: [9] })).toEqual({ a: { c: 2, d: 3 }, list: [9] });
  expect(target).toEqual({ a: { b: 1, c: 2 }, list: [1, 2] });
});

test("keeps a field that is called __proto__", () => {
  const odd: unknown = JSON.parse('{"__proto__":{"a":1}}');
  expect(JSON.stringify(frozenCopy(odd))).toBe('{"__proto__":{"a":1}}');
  expect(JSON.stringify(mergePatch({ b: 1 }, odd))).toBe('{"b":1,"__proto__":{"a":1}}');
});

test("the canonical text does not depend on the order of fields", () => {
  expect(canonicalText({ b: [1, { d: 1, c: undefined }], a: null })).toBe(
    canonicalText({ a: null, b: [1, { d: 1 }] }),
  );
  expect(canonicalText({ a: 1 })).not.toBe(canonicalText({ a: "1" }));
});

test("a frozen copy equals the original, is independent of it and cannot be changed", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const copy = frozenCopy(value);
      expect(copy).toEqual(value);
      expect(Object.isFrozen(copy)).toBe(true);
      if (typeof value === "object" && value !== null) expect(copy).not.toBe(value);
    }),
  );
});

test("a path that does not exist gives undefined, or an empty object", () => {
  expect(textAt({ a: [] }, "a", "b")).toBeUndefined();
  expect(objectsAt({ a: [1, { b: 2 }, null] }, "a")).toEqual([{ b: 2 }]);
});
