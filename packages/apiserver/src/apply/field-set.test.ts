import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  difference,
  differenceBelow,
  EMPTY,
  type FieldSet,
  FieldSetBuilder,
  intersection,
  isEmptySet,
  pathSet,
  union,
  unionAll,
} from "./field-set.ts";
import { readFieldsV1, shownPaths, writeFieldsV1 } from "./fields-v1.ts";

const element = fc.constantFrom("f:a", "f:b", 'k:{"name":"x"}', 'v:"y"', "v:3");
const paths = fc.array(fc.array(element, { minLength: 1, maxLength: 4 }), { maxLength: 8 });

function setOf(given: readonly (readonly string[])[]): FieldSet {
  const builder = new FieldSetBuilder();
  for (const path of given) builder.add(path);
  return builder.build();
}

/** The members, each as a text: what a set means, without how it is stored. */
function membersOf({ isMember, children }: FieldSet, prefix = ""): string[] {
  const inner = [...children].flatMap(([name, child]) => membersOf(child, `${prefix}/${name}`));
  return isMember ? [prefix, ...inner].sort() : inner.sort();
}

const textsOf = (given: readonly (readonly string[])[]): string[] =>
  [...new Set(given.map((path) => path.map((one) => `/${one}`).join("")))].sort();

describe("operations on sets of paths agree with those on sets of texts", () => {
  const holds = (check: (a: string[], b: string[], first: FieldSet, second: FieldSet) => void): void =>
    fc.assert(
      fc.property(paths, paths, (a, b) => check(textsOf(a), textsOf(b), setOf(a), setOf(b))),
      { numRuns: 300 },
    );

  test("union", () => {
    holds((a, b, first, second) => {
      const wanted = [...new Set([...a, ...b])].sort();
      expect(membersOf(union(first, second))).toEqual(wanted);
      expect(membersOf(unionAll([first, second, first]))).toEqual(wanted);
    });
  });

  test("difference", () => {
    holds((a, b, first, second) => {
      expect(membersOf(difference(first, second))).toEqual(a.filter((path) => !b.includes(path)));
    });
  });

  test("difference with everything below", () => {
    holds((a, b, first, second) => {
      const isBelow = (path: string): boolean =>
        b.some((other) => path === other || path.startsWith(`${other}/`));
      expect(membersOf(differenceBelow(first, second))).toEqual(a.filter((path) => !isBelow(path)));
    });
  });

  test("intersection", () => {
    holds((a, b, first, second) => {
      expect(membersOf(intersection(first, second))).toEqual(a.filter((path) => b.includes(path)));
    });
  });

  test("a set that does not change stays the same value", () => {
    holds((_a, _b, first, second) => {
      expect(union(first, intersection(first, second))).toBe(first);
      expect(difference(first, difference(second, first))).toBe(first);
      expect(isEmptySet(difference(first, first))).toBe(true);
    });
  });
});

describe("FieldsV1", () => {
  test("is read as it was written", () => {
    fc.assert(
      fc.property(paths, (given) => {
        const set = setOf(given);
        const text = JSON.stringify(writeFieldsV1(set));
        expect(membersOf(readFieldsV1(JSON.parse(text)) ?? EMPTY)).toEqual(membersOf(set));
      }),
    );
  });

  test("has a dot where a path and something below it are members", () => {
    const set = setOf([["f:a"], ["f:a", 'k:{"name":"x"}'], ["f:b", "f:c"]]);
    expect(writeFieldsV1(set)).toEqual({
      "f:a": { ".": {}, 'k:{"name":"x"}': {} },
      "f:b": { "f:c": {} },
    });
  });

  test("of a frozen value is parsed once, and written back as the same value", () => {
    const stored = writeFieldsV1(pathSet("f:spec", "f:size"));
    expect(writeFieldsV1(readFieldsV1(stored) ?? EMPTY)).toBe(stored);
  });

  test.each([
    ["a text", "f:a"],
    ["a list", []],
    ["an unknown prefix", { "x:a": {} }],
    ["a key that is not an object", { "k:3": {} }],
    ["a key that is not JSON", { "k:{": {} }],
    ["a value that is not JSON", { "v:": {} }],
    ["an index that is not a number", { "i:a": {} }],
    ["a leaf that is not an object", { "f:a": true }],
  ])("is not %s", (_, fields) => {
    expect(readFieldsV1(fields)).toBeUndefined();
  });

  test("elements that mean the same are the same", () => {
    const read = (text: string): string[] => membersOf(readFieldsV1({ [text]: {} }) ?? EMPTY);
    expect(read('k:{"b":1.0,"a":"x"}')).toEqual(read('k:{"a":"x","b":1}'));
    expect(read('v:"\\u0061"')).toEqual(read('v:"a"'));
  });
});

test("paths are shown level by level, fields first, numbers by their value", () => {
  const set = setOf([
    ["f:z"],
    ["f:a", "f:b"],
    ["f:a"],
    ["f:set", "v:10"],
    ["f:set", "v:9"],
    ["f:list", 'k:{"port":80,"protocol":"TCP"}', "f:name"],
    ["f:list", "i:3"],
  ]);
  expect(shownPaths(set)).toEqual([
    ".a",
    ".z",
    ".a.b",
    ".list[3]",
    '.list[port=80,protocol="TCP"].name',
    ".set[=9]",
    ".set[=10]",
  ]);
});
