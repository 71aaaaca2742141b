import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  formatSelector,
  labelSelectorProblem,
  parseLabelSelector,
  selectorMatches,
  selectorOf,
} from "./label-selector.ts";

describe("the text form", () => {
  test.each([
    ["", {}, true],
    ["a=b", { a: "b" }, true],
    ["a==b", { a: "b" }, true],
    ["a = b", { a: "b" }, true],
    ["a=b", { a: "c" }, false],
    ["a=b", {}, false],
    ["a!=b", { a: "c" }, true],
    ["a!=b", {}, true],
    ["a!=b", { a: "b" }, false],
    ["a=", { a: "" }, true],
    ["a=", {}, false],
    ["a", { a: "" }, true],
    ["a", {}, false],
    ["!a", {}, true],
    ["! a", { a: "1" }, false],
    ["a in (x,y)", { a: "y" }, true],
    ["a in(x, y )", { a: "y" }, true],
    ["a in (x,y)", {}, false],
    ["a in (,x)", { a: "" }, true],
    ["a notin (x,y)", { a: "z" }, true],
    ["a notin (x,y)", {}, true],
    ["a notin (x,y)", { a: "x" }, false],
    ["a>1", { a: "2" }, true],
    ["a>1", { a: "1" }, false],
    ["a<10", { a: "9" }, true],
    ["a<10", { a: "nine" }, false],
    ["a=b,c!=d,e in (x,y),!f", { a: "b", e: "x" }, true],
    ["a=b,c!=d,e in (x,y),!f", { a: "b", e: "x", f: "" }, false],
    ["in in (in)", { in: "in" }, true],
    ["cluster.x-k8s.io/cluster-name=c1", { "cluster.x-k8s.io/cluster-name": "c1" }, true],
    ["!constructor", {}, true],
  ])("%j on %j answers %s", (text, labels, expected) => {
    expect(selectorMatches(parseLabelSelector(text), labels)).toBe(expected);
  });

  test.each([
    [",", "unable to parse requirement: found ','"],
    ["a=b,", "unable to parse requirement: found ''"],
    ["a b", "found 'b', expected: in, notin"],
    ["a=b c", "found 'c', expected: ',' or 'end of string'"],
    ["a in x", "found 'x', expected: '('"],
    ["a in (x", "found '', expected: ',' or ')'"],
    ["a in ()(", "found '('"],
    ["!", "expected: a label key after '!'"],
    ["a===b", "found '='"],
    ["a>b", "the value must be an integer"],
    ["-a=b", '<nil>: Invalid value: "-a": name part must consist of'],
    ["a=-b", 'values[0][a]: Invalid value: "-b": a valid label must be'],
    ["x".repeat(100_000), "name part must be no more than 63 bytes"],
    ["(".repeat(100_000), "found '('"],
    ["a,".repeat(100_000), "unable to parse requirement"],
  ])("%j is refused", (text, message) => {
    expect(() => parseLabelSelector(text)).toThrow(message);
  });

  test("is parsed again to the same selector after printing", () => {
    const name = fc.stringMatching(/^[a-z][a-z0-9]{0,4}$/);
    const requirement = fc.oneof(
      fc.record({
        key: name,
        operator: fc.constant("In" as const),
        values: fc.uniqueArray(name, { minLength: 1, maxLength: 3 }),
      }),
      fc.record({
        key: name,
        operator: fc.constant("NotIn" as const),
        values: fc.uniqueArray(name, { minLength: 1, maxLength: 3 }),
      }),
      fc.record({
        key: name,
        operator: fc.constantFrom("Exists" as const, "DoesNotExist" as const),
        values: fc.constant([]),
      }),
      fc.record({
        key: name,
        operator: fc.constantFrom("Gt" as const, "Lt" as const),
        values: fc.tuple(fc.nat().map(String)),
      }),
    );
    fc.assert(
      fc.property(fc.array(requirement, { maxLength: 5 }), (selector) => {
        const text = formatSelector(selector);
        expect(formatSelector(parseLabelSelector(text))).toBe(text);
      }),
    );
  });
});

describe("the object form", () => {
  test("matches when all labels and expressions do", () => {
    const selector = selectorOf({
      matchLabels: { pool: "a" },
      matchExpressions: [
        { key: "zone", operator: "In", values: ["1", "2"] },
        { key: "spot", operator: "DoesNotExist" },
      ],
    });
    expect(selectorMatches(selector, { pool: "a", zone: "2" })).toBe(true);
    expect(selectorMatches(selector, { pool: "a", zone: "2", spot: "" })).toBe(false);
    expect(selectorMatches(selector, { pool: "b", zone: "2" })).toBe(false);
    expect(formatSelector(selector)).toBe("pool=a,!spot,zone in (1,2)");
  });

  test("matches everything when it is empty", () => {
    expect(selectorMatches(selectorOf({}), { any: "label" })).toBe(true);
  });

  test.each([
    [{ matchExpressions: [{ key: "a", operator: "Is" }] }, '"Is" is not a valid label selector operator'],
    [
      { matchExpressions: [{ key: "a", operator: "Gt", values: ["1"] }] },
      '"Gt" is not a valid label selector operator',
    ],
    [{ matchExpressions: [{ key: "a", operator: "In" }] }, "values set can't be empty"],
    [{ matchExpressions: [{ key: "a", operator: "Exists", values: ["x"] }] }, "values set must be empty"],
    [{ matchLabels: { "a/b/c": "x" } }, "a qualified name must consist of"],
    [{ matchLabels: { a: "x y" } }, "a valid label must be"],
  ])("%j is refused", (selector, message) => {
    expect(labelSelectorProblem(selector)).toContain(message);
  });
});
