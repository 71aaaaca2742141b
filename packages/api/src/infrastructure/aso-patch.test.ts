import { describe, expect, test } from "vitest";
import { AsoPatchError, formatPointer, parseAsoPatch, parsePointer } from "./aso-patch.ts";

describe("a patch is parsed", () => {
  test.each([
    "spec:\n  enableRBAC: true\n",
    '{"spec": {"enableRBAC": true}}',
    "# why\n---\nspec: {enableRBAC: true}",
  ])("as a merge patch when it is an object: %j", (text) => {
    expect(parseAsoPatch(text)).toEqual({ type: "merge", body: { spec: { enableRBAC: true } } });
  });

  test.each(["- op: remove\n  path: /spec/a\n", '[{"op": "remove", "path": "/spec/a"}]'])(
    "as a JSON patch when it is a list: %j",
    (text) => {
      expect(parseAsoPatch(text)).toEqual({ type: "json", body: [{ op: "remove", path: "/spec/a" }] });
    },
  );

  test("with every operation of a JSON patch", () => {
    const operations = [
      { op: "add", path: "/a", value: null },
      { op: "replace", path: "", value: {} },
      { op: "test", path: "/a~0b/c~1d", value: [1] },
      { op: "remove", path: "/a/-" },
      { op: "move", from: "/a", path: "/ab" },
      { op: "copy", from: "/a", path: "/a/b" },
    ];
    expect(parseAsoPatch(JSON.stringify(operations))).toEqual({ type: "json", body: operations });
  });
});

describe("a patch is refused", () => {
  const shapes = "must be an object (JSON merge patch) or a list of operations (JSON patch)";
  const noOperation =
    "operation 0 must be an object whose op is one of add, remove, replace, move, copy, test";
  test.each([
    ["null", shapes],
    ["7", shapes],
    ["text", shapes],
    ["[]", "must have at least one operation"],
    ["\uFEFFspec: {}", "byte order mark"],
    ["spec: {a: 9007199254740993}", "/spec/a has a number beyond 2^53"],
    ['{"spec": {"__proto__": {"a": 1}}}', "/spec/__proto__ is not a field of any resource"],
    ['{"constructor": {"prototype": {}}}', "/constructor is not a field of any resource"],
    ['[{"op": "add", "path": "/spec/a", "value": {"__proto__": {}}}]', "__proto__ is not a field"],
    ["", "must not be empty"],
    ["a: 1\n---\nb: 2", "must be one document, not several"],
    ["spec: {a: 1, a: 2}", "Map keys must be unique"],
    ["[1]", noOperation],
    ["[{}]", noOperation],
    ['[{"op": "delete", "path": "/a"}]', noOperation],
    ['[{"op": "toString", "path": "/a"}]', noOperation],
    [
      '[{"op": "remove", "path": "spec"}]',
      '(remove) must have a JSON pointer such as /spec/field as path, not "spec"',
    ],
    ['[{"op": "remove", "path": "/a~2"}]', 'as path, not "/a~2"'],
    ['[{"op": "remove"}]', "as path, not undefined"],
    ['[{"op": "add", "path": "/constructor/spec/owner", "value": 1}]', 'not "/constructor/spec/owner"'],
    ['[{"op": "add", "path": "/spec/__proto__/owner", "value": 1}]', 'not "/spec/__proto__/owner"'],
    [
      '[{"op": "test", "path": "/a", "value": 1}, {"op": "move", "path": "/a"}]',
      "operation 1 (move) must have",
    ],
    ['[{"op": "copy", "path": "/a", "from": 1}]', "as from, not 1"],
    ['[{"op": "add", "path": "/a"}]', "operation 0 (add) must have a value"],
    ['[{"op": "move", "from": "/a", "path": "/a/b"}]', 'must not move "/a" into itself, to "/a/b"'],
  ])("%j", (text, message) => {
    expect(() => parseAsoPatch(text)).toThrow(AsoPatchError);
    expect(() => parseAsoPatch(text)).toThrow(message);
  });
});

test.each([
  ["", []],
  ["/", [""]],
  ["/a/0/-", ["a", "0", "-"]],
  ["/a~1b/c~0d/e~01", ["a/b", "c~d", "e~1"]],
])("the pointer %j has the segments %j", (pointer, segments) => {
  expect(parsePointer(pointer)).toEqual(segments);
  expect(formatPointer(segments)).toBe(pointer);
});
