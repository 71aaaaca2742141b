import fc from "fast-check";
import { expect, test } from "vitest";
import { boundedText } from "./bounded-text.ts";

test.each([
  ["a short text stays", "Azure is busy", "Azure is busy"],
  ["a long text is cut", "0123456789abc", "012345678…"],
  ["a pair of surrogates is not cut in half", "01234567\u{1F680}xyz", "01234567…"],
  ["control characters become spaces", "a\u0000b\u001b[2Jc", "a b [2Jc"],
  ["lines stay lines", "a\n\tb", "a\n\tb"],
])("%s", (_, text, expected) => {
  expect(boundedText(text, 10 + (text.startsWith("Azure") ? 10 : 0))).toBe(expected);
});

test("any text fits, and a text that fits stays the same object of comparison", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.integer({ min: 2, max: 40 }), (text, limit) => {
      const bounded = boundedText(text, limit);
      expect(bounded.length).toBeLessThanOrEqual(limit);
      expect(boundedText(bounded, limit)).toBe(bounded);
    }),
  );
});
