import { describe, expect, test } from "vitest";
import { goJson, goNumber, goQuote, goValue } from "./go-text.ts";

describe("Go prints", () => {
  test.each([
    [5, "5"],
    [1e26, "1e+26"],
    [0.0001, "0.0001"],
    [0.00001, "1e-05"],
    [0.0000123, "1.23e-05"],
    [-2.5, "-2.5"],
  ])("the number %d as %s", (value, text) => {
    expect(goNumber(value)).toBe(text);
  });

  test.each([
    ['a"b\\', String.raw`"a\"b\\"`],
    ["\u0001\t\u0007", String.raw`"\x01\t\a"`],
    ["é😀<&>", '"é😀<&>"'],
    ["\u2028\u00a0", String.raw`"\u2028\u00a0"`],
  ])("the text %j as %s", (value, text) => {
    expect(goQuote(value)).toBe(text);
  });

  test("JSON with its keys in order and nothing that ends a script", () => {
    expect(goJson({ b: "<", a: [1, { d: null, c: 2 }] })).toBe(
      String.raw`{"a":[1,{"c":2,"d":null}],"b":"\u003c"}`,
    );
  });

  test("lists and maps without separators between their parts", () => {
    expect(goValue({ b: [1, "x"], a: null })).toBe("map[a:<nil> b:[1 x]]");
  });
});
