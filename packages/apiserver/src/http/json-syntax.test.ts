import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { jsonSyntaxProblem } from "./json-syntax.ts";

const END = "unexpected end of JSON input";

describe("a text that is not JSON", () => {
  // What kube-apiserver 1.35 answers to each.
  test.each([
    ["", END],
    ["{", END],
    ['{"a"', END],
    ['{"a":1,', END],
    ['"abc', END],
    ["x", "invalid character 'x' looking for beginning of value"],
    ["'", String.raw`invalid character '\'' looking for beginning of value`],
    ["é", "invalid character 'Ã' looking for beginning of value"],
    ['{"a":1,}', "invalid character '}' looking for beginning of object key string"],
    ["{a:1}", "invalid character 'a' looking for beginning of object key string"],
    ['{"a":1 "b"}', `invalid character '"' after object key:value pair`],
    ["[1 2]", "invalid character '2' after array element"],
    ["tru", "invalid character ' ' in literal true (expecting 'e')"],
    ["trux", "invalid character 'x' in literal true (expecting 'e')"],
    ['{"a":"\u0001"}', String.raw`invalid character '\x01' in string literal`],
    [String.raw`{"a":"\x"}`, "invalid character 'x' in string escape code"],
    [String.raw`{"a":"\u12g4"}`, String.raw`invalid character 'g' in \u hexadecimal character escape`],
    ["-", "invalid character ' ' in numeric literal"],
    ["1.x", "invalid character 'x' after decimal point in numeric literal"],
    ["1ex", "invalid character 'x' in exponent of numeric literal"],
    ["{} x", "invalid character 'x' after top-level value"],
    ["01", "invalid character '1' after top-level value"],
  ])("%j is refused with Go's message", (text, problem) => {
    expect(jsonSyntaxProblem(text)).toBe(problem);
  });

  test("every text that JavaScript refuses has a message", () => {
    const broken = fc.tuple(fc.json(), fc.nat(), fc.string({ maxLength: 2 })).map(([text, at, noise]) => {
      const cut = at % (text.length + 1);
      return text.slice(0, cut) + noise + text.slice(cut + 1);
    });
    fc.assert(
      fc.property(broken, (text) => {
        try {
          JSON.parse(text);
        } catch {
          expect(jsonSyntaxProblem(text)).toMatch(/^(?:invalid character|unexpected end)/);
        }
      }),
    );
  });
});
