import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { duplicateFields, jsonText, parseJson } from "./json.ts";

describe("JSON", () => {
  test.each(["9007199254740993", "-9007199254740993", "9223372036854775807", "-9223372036854775808"])(
    "keeps all digits of %s",
    (digits) => {
      const text = `{"spec":{"big":${digits},"small":1,"list":[${digits}]}}`;
      expect(jsonText(parseJson(text))).toBe(text);
    },
  );

  test("has floating-point numbers beyond 64 bits and with a decimal point", () => {
    expect(parseJson("[9223372036854775808, 12345678901234567.5, 1e300]")).toEqual([
      2 ** 63,
      12345678901234568,
      1e300,
    ]);
  });

  test("is the same after parsing and printing", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value);
        expect(jsonText(parseJson(text))).toBe(text);
      }),
    );
  });
});

describe("duplicate fields", () => {
  test.each([
    ['{"a":1,"a":2}', ["a"]],
    ['{"a":{"b":1,"c":{},"b":2}}', ["a.b"]],
    ['{"l":[{"x":1},{"x":1,"y":2,"x":3}]}', ["l[1].x"]],
    ['{"a":"a\\":","b":"a","a":0}', ["a"]],
    [String.raw`{"a":"\\","a" : 1}`, ["a"]],
    [String.raw`{"\u0061":1,"a":1}`, ["a"]],
    ['{"a":1,"a":1,"a":1}', ["a"]],
    ['{"a":{"x":1},"b":{"x":1},"x":[["a","a"]]}', []],
  ])("of %s are %j", (text, found) => {
    expect(duplicateFields(text)).toEqual(found);
  });

  test("do not occur in any output of JavaScript", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(duplicateFields(JSON.stringify(value))).toEqual([]);
      }),
    );
  });
});
