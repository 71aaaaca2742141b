import { describe, expect, test } from "vitest";
import { jsonPatch, JsonPatchError } from "./json-patch.ts";

const patched = (document: object, ...operations: unknown[]): object => {
  jsonPatch(document, operations);
  return document;
};

describe("jsonPatch", () => {
  test.each([
    ["adds a field", { a: 1 }, { op: "add", path: "/b", value: 2 }, { a: 1, b: 2 }],
    ["appends to a list", { a: [1] }, { op: "add", path: "/a/-", value: 2 }, { a: [1, 2] }],
    ["inserts into a list", { a: [1, 3] }, { op: "add", path: "/a/1", value: 2 }, { a: [1, 2, 3] }],
    ["reads escaped names", { a: {} }, { op: "add", path: "/a/x~1y~0z", value: 1 }, { a: { "x/y~z": 1 } }],
    ["copies", { a: { b: 1 } }, { op: "copy", from: "/a", path: "/c" }, { a: { b: 1 }, c: { b: 1 } }],
    ["moves", { a: 1 }, { op: "move", from: "/a", path: "/b" }, { b: 1 }],
    ["removes", { a: [1, 2] }, { op: "remove", path: "/a/0" }, { a: [2] }],
    ["sets a missing field by replace", {}, { op: "replace", path: "/a", value: 1 }, { a: 1 }],
    ["treats a missing field as null in a test", {}, { op: "test", path: "/a", value: null }, {}],
  ])("%s", (_, document, operation, expected) => {
    expect(patched(document, operation)).toEqual(expected);
  });

  test.each([
    ["a failed test", { op: "test", path: "/a", value: 2 }],
    ["the removal of a missing field", { op: "remove", path: "/b" }],
    ["an addition below a missing field", { op: "add", path: "/b/c", value: 1 }],
    ["an addition below a scalar", { op: "add", path: "/a/c", value: 1 }],
    ["an index beyond the list", { op: "add", path: "/list/5", value: 1 }],
    ["an index that is not a number", { op: "add", path: "/list/x", value: 1 }],
    ["a replacement at the end of a list", { op: "replace", path: "/list/-", value: 1 }],
    ["an unknown operation", { op: "frobnicate", path: "/a", value: 1 }],
    ["a path that is not a pointer", { op: "add", path: "a", value: 1 }],
    ["the whole document as the target", { op: "replace", path: "", value: {} }],
    ["a missing source", { op: "copy", from: "/b", path: "/c" }],
    ["null instead of an operation", null],
    ["a text instead of an operation", "add"],
    ["a source that every object inherits", { op: "copy", from: "/toString", path: "/c" }],
    ["the removal of a field that every object inherits", { op: "remove", path: "/valueOf" }],
    ["a move into its own child", { op: "move", from: "/list", path: "/list/0" }],
  ])("refuses %s", (_, operation) => {
    expect(() => patched({ a: 1, list: [1] }, operation)).toThrow(JsonPatchError);
  });

  test("treats an index with leading zeros like the same without", () => {
    expect(patched({ list: [1, 2] }, { op: "replace", path: "/list/01", value: 3 })).toEqual({
      list: [1, 3],
    });
  });

  test.each(["/__proto__/polluted", "/constructor/prototype/polluted", "/a/__proto__"])(
    "does not follow %s",
    (path) => {
      expect(() => patched({ a: {} }, { op: "add", path, value: { polluted: true } })).toThrow(
        /cannot be patched/,
      );
      expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
    },
  );

  test("refuses copies of copies that would exhaust memory", () => {
    const operations = Array.from({ length: 100 }, () => ({ op: "copy", from: "/a", path: "/a/-" }));
    expect(() => patched({ a: ["x".repeat(1000)] }, ...operations)).toThrow(
      /copies in this patch are larger/,
    );
  });

  test("refuses more operations than kube-apiserver accepts", () => {
    const operations = Array.from({ length: 10_001 }, () => ({ op: "test", path: "/a", value: 1 }));
    expect(() => patched({ a: 1 }, ...operations)).toThrow(/10000 operations, this one has 10001/);
  });
});
