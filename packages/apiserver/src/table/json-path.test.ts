import { describe, expect, test } from "vitest";
import { compileJsonPath } from "./json-path.ts";

const object = {
  metadata: { name: "a", labels: { "a.b/c": "label", plain: "p" } },
  spec: {
    list: [
      { name: "a", v: 1, on: true, sub: { k: "x" } },
      { name: "b", v: 2, extra: 1 },
      { name: "c]'", v: 3 },
    ],
    map: { y: 1, x: "z" },
    nothing: null,
  },
  status: {
    conditions: [
      { type: "Other", status: "False" },
      { type: "Ready", status: "True" },
    ],
  },
};

describe("a path", () => {
  test.each<[string, unknown[]]>([
    [".metadata.name", ["a"]],
    ["$.metadata.name", ["a"]],
    [".metadata.labels['a\\.b/c']", ["label"]],
    ['.metadata.labels["plain"]', ["p"]],
    [".metadata.labels.a\\.b/c", ["label"]],
    // Kubernetes treats an unescaped dot as a step also between quotes.
    [".metadata.labels['a.b/c']", []],
    [".spec.list[0].name", ["a"]],
    [".spec.list[-1].v", [3]],
    [".spec.list[9].name", []],
    [".spec.list[0:2].name", ["a", "b"]],
    [".spec.list[::2].v", [1, 3]],
    [".spec.list[0,2].v", [1, 3]],
    [".spec.list[*].v", [1, 2, 3]],
    [".spec.map.*", ["z", 1]],
    [".spec.nothing", [null]],
    [".spec.missing.deeper", []],
    [".spec.list.name", []],
    ['.status.conditions[?(@.type=="Ready")].status', ["True"]],
    [".status.conditions[?(@.type == 'Ready')].status", ["True"]],
    ['.status.conditions[?(@.type=="Nope")].status', []],
    ['.spec.list[?(@.name!="a")].v', [2, 3]],
    [".spec.list[?(@.v>1)].v", [2, 3]],
    [".spec.list[?(@.v>=2)].v", [2, 3]],
    [".spec.list[?(@.v<2)].v", [1]],
    [".spec.list[?(@.v<=1)].v", [1]],
    [".spec.list[?(@.on==true)].v", [1]],
    [".spec.list[?(@.extra)].v", [2]],
    ['.spec.list[?(@.sub.k=="x")].v', [1]],
    [`.spec.list[?(@.name=="c]'")].v`, [3]],
    ["..k", ["x"]],
    // Values of different types are neither equal nor unequal.
    ['.spec.list[?(@.v!="1")].v', []],
  ])("%s", (path, found) => {
    expect(compileJsonPath(path)?.(object)).toEqual(found);
  });

  test.each([".spec[", ".spec.list[abc]", ".spec.list[?(@.a== )]", ".spec.list[?(b==1)]", ".a b", "name"])(
    "%s is not supported",
    (path) => {
      expect(compileJsonPath(path)).toBeUndefined();
    },
  );

  test("reads nothing from prototypes", () => {
    expect(compileJsonPath(".constructor.name")?.({})).toEqual([]);
  });
});
