import fc from "fast-check";
import { expect, test } from "vitest";
import { parseJson } from "./json.ts";

const LARGE = "12345678901234567890";

test.each([
  `{"a":${LARGE}}`,
  `{"a":-${LARGE}}`,
  `[${LARGE}]`,
  `[1,${LARGE},2]`,
  `{"a":9007199254740993}`,
  // The position must not matter.
  ...Array.from({ length: 20 }, (_, length) => `{"${"x".repeat(length)}":9007199254740993}`),
])("the integer in %s is written with the same digits", (text) => {
  expect(JSON.stringify(parseJson(text))).toBe(text);
});

test("so is one after whitespace", () => {
  expect(JSON.stringify(parseJson(`{"a": \n\t ${LARGE}}`))).toBe(`{"a":${LARGE}}`);
});

test("digits in a string are not a number", () => {
  expect(parseJson(`{"disk":"d_${LARGE}"}`)).toEqual({ disk: `d_${LARGE}` });
});

test("nor are millions of them, and they are scanned once", () => {
  const disk = "7".repeat(4_000_000);
  expect(parseJson(JSON.stringify({ disk }))).toEqual({ disk });
});

test("a byte order mark is skipped", () => {
  expect(parseJson(`\uFEFF{"a":1}`)).toEqual({ a: 1 });
});

test("any integers of any length, anywhere among strings, are written with the same digits", () => {
  const integer = fc.bigInt({ min: -(10n ** 24n), max: 10n ** 24n });
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.string(), integer)), (pairs) => {
      const text = `[${pairs.map(([word, number]) => `${JSON.stringify(word)},${number}`).join(",")}]`;
      expect(JSON.stringify(parseJson(text))).toBe(text);
    }),
  );
});
