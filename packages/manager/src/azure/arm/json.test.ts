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
  // Where it stands must not matter.
  ...Array.from({ length: 20 }, (_, length) => `{"${"x".repeat(length)}":9007199254740993}`),
])("the integer in %s is written as it was read", (text) => {
  expect(JSON.stringify(parseJson(text))).toBe(text);
});

test("so is one behind spaces", () => {
  expect(JSON.stringify(parseJson(`{"a": \n\t ${LARGE}}`))).toBe(`{"a":${LARGE}}`);
});

test("digits in a text are no number", () => {
  expect(parseJson(`{"disk":"d_${LARGE}"}`)).toEqual({ disk: `d_${LARGE}` });
});

test("nor are millions of them, and they are read in one go", () => {
  const disk = "7".repeat(4_000_000);
  expect(parseJson(JSON.stringify({ disk }))).toEqual({ disk });
});

test("a byte order mark is passed over", () => {
  expect(parseJson(`\uFEFF{"a":1}`)).toEqual({ a: 1 });
});

test("any integers of any length, anywhere among texts, are written as they were read", () => {
  const integer = fc.bigInt({ min: -(10n ** 24n), max: 10n ** 24n });
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.string(), integer)), (pairs) => {
      const text = `[${pairs.map(([word, number]) => `${JSON.stringify(word)},${number}`).join(",")}]`;
      expect(JSON.stringify(parseJson(text))).toBe(text);
    }),
  );
});
