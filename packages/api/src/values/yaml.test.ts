import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { stringify } from "yaml";
import { YamlError, parseYaml } from "./yaml.ts";

describe("a text is parsed", () => {
  test.each([
    ["a: 1\nb: [x, 2]\n", { a: 1, b: ["x", 2] }],
    ['{"a": {"b": null}}', { a: { b: null } }],
    ["---\n- a\n- b\n", ["a", "b"]],
    ['\t{\n\t"a": 1 }', { a: 1 }],
    ["a: yes\nb: 0x10\nc: 2020-01-01", { a: "yes", b: 16, c: "2020-01-01" }],
    ["1: one", { "1": "one" }],
    ["<<: {a: 1}", { "<<": { a: 1 } }],
    ["a: &x {y: 1}\nb: *x", { a: { y: 1 }, b: { y: 1 } }],
    ["null", null],
    ["just text", "just text"],
  ])("%j", (text, value) => {
    expect(parseYaml(text)).toEqual(value);
  });

  test("to the same value from JSON and from YAML", () => {
    const value = fc
      .jsonValue({ maxDepth: 4 })
      .filter((candidate) => !JSON.stringify(candidate).includes("\\u0000"));
    fc.assert(
      fc.property(value, (given) => {
        const plain: unknown = JSON.parse(JSON.stringify(given));
        expect(parseYaml(JSON.stringify(plain))).toEqual(plain);
        expect(parseYaml(JSON.stringify(plain, null, "\t"))).toEqual(plain);
        expect(parseYaml(stringify(plain))).toEqual(plain);
      }),
    );
  });

  test("without sharing repeated aliases", () => {
    const { a, b } = parseYaml("a: &x {y: 1}\nb: *x") as { a: object; b: object };
    expect(a).not.toBe(b);
  });

  test("with a __proto__ key as plain data", () => {
    expect(Object.keys(parseYaml("__proto__: {admin: true}") as object)).toEqual(["__proto__"]);
  });
});

const NAMES = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"];

describe("a text is refused", () => {
  const bomb = ["a: &a [x, x]", ...NAMES.slice(1).map((name, at) => `${name}: &${name} [${twice(at)}]`)];
  test.each([
    ["", "must not be empty"],
    ["# nothing", "must not be empty"],
    ["a: 1\n---\nb: 2", "must be one document, not several"],
    ["a: 1\na: 2", "Map keys must be unique at line 2, column 1"],
    ['{"a":1,"a":2}', "Map keys must be unique at line 1, column 8"],
    ["a: {b: c", "must be YAML or JSON: "],
    ["a:\n\tb: 1", "Tabs are not allowed as indentation at line 2, column 1"],
    ["? [1]\n: 2", "all keys must be strings"],
    ["a: !secret x", "Unresolved tag: !secret at line 1, column 4"],
    ["a: [.nan]", "a[0] must be a value that JSON can say, not NaN"],
    [".inf", "the document must be a value that JSON can say, not Infinity"],
    ["a: {b: !!binary aGk=}", "a.b must be a value that JSON can say"],
    ["!!set {a, b}", "the document must be a value that JSON can say"],
    ["a: x\0y", '"a" must not hold a null byte'],
    ['{"a": "\\u0000"}', '"a" must not hold a null byte'],
    ['{"\\u0000": 1}', "must not hold a null byte"],
    ["a: *nowhere", "Unresolved alias"],
    ["a: &x [*x]", "must not nest deeper than 300 levels"],
    [bomb.join("\n"), "Excessive alias count"],
    ["a".repeat(32_769), "must have at most 32768 characters, not 32769"],
    ["[".repeat(30_000), "must not nest deeper than 64 levels"],
    ["{".repeat(30_000), "must not nest deeper than 64 levels"],
    ['{"a":'.repeat(6_000), "must not nest deeper than 64 levels"],
    ["- ".repeat(15_000), "must not nest deeper than 64 levels"],
    ["? ".repeat(15_000), "must not nest deeper than 64 levels"],
  ])("%j", (text, message) => {
    expect(() => parseYaml(text)).toThrow(YamlError);
    expect(() => parseYaml(text)).toThrow(message);
  });
});

test("every text is parsed or refused with a reason of one line", () => {
  const piece = fc.constantFrom(
    ..."{}[]:,-?&*!|>'\"%@`#~a1 \n\t\0".split(""),
    "---",
    "...",
    ": ",
    "- ",
    "&a ",
    "*a ",
    "!!",
    "<<",
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
      try {
        parseYaml(pieces.join(""));
      } catch (error) {
        expect(error).toBeInstanceOf(YamlError);
        expect((error as YamlError).message).not.toContain("\n");
      }
    }),
    { numRuns: 1000 },
  );
});

/** The name of the anchor before the given one, as two aliases. */
function twice(at: number): string {
  const name = NAMES[at];
  return `*${name}, *${name}`;
}
