import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compareQuantities, formatQuantity, parseQuantity, quantityProblem } from "./quantity.ts";

describe("a quantity in canonical form", () => {
  test.each([
    ["0", "0"],
    ["0Ki", "0"],
    ["-0", "0"],
    ["1", "1"],
    [2, "2"],
    ["+5", "5"],
    ["1.5", "1500m"],
    [".5", "500m"],
    ["5.", "5"],
    ["100m", "100m"],
    ["1000m", "1"],
    ["0.1", "100m"],
    ["1000", "1k"],
    ["1500", "1500"],
    ["12345", "12345"],
    ["1024", "1024"],
    ["1Ki", "1Ki"],
    ["1024Ki", "1Mi"],
    ["1.5Gi", "1536Mi"],
    ["0.5Ki", "512"],
    ["1023Ki", "1023Ki"],
    ["0.0001Ki", "102400u"],
    ["2Ei", "2Ei"],
    ["100Ei", "9223372036854775807"],
    ["1e3", "1e3"],
    ["1E3", "1e3"],
    ["1.5e3", "1500"],
    ["12e-3", "12e-3"],
    ["1E", "1E"],
    ["1000E", "1000E"],
    ["1n", "1n"],
    ["0.1n", "1n"],
    ["-0.1n", "-1n"],
    ["-1500m", "-1500m"],
    ["-2Ki", "-2Ki"],
    ["1e-64", "1e-9"],
  ])("of %s is %s", (text, canonical) => {
    expect(formatQuantity(parseQuantity(text))).toBe(canonical);
  });

  test("is parsed to the same amount", () => {
    const text = fc
      .tuple(
        fc.bigInt(-(10n ** 12n), 10n ** 12n),
        fc.constantFrom("", "n", "u", "m", "k", "M", "G", "Ki", "Mi", "Gi", "e3", "e-3"),
      )
      .map(([number, suffix]) => `${number}${suffix}`);
    fc.assert(
      fc.property(text, (written) => {
        const quantity = parseQuantity(written);
        const printed = formatQuantity(quantity);
        expect(parseQuantity(printed).nano).toBe(quantity.nano);
        expect(formatQuantity(parseQuantity(printed))).toBe(printed);
      }),
    );
  });
});

test.each([
  "",
  ".",
  "+",
  "m",
  "Ki",
  "1 Gi",
  " 1",
  "1ki",
  "1K",
  "1mi",
  "1.2.3",
  "--1",
  "1e",
  "1e1.5",
  "1Gi3",
  "1e65",
  "0x10",
  "1_000",
  "NaN",
  "Infinity",
  "1e999999999",
  "9".repeat(100_000),
])("refuses %j with what is expected", (text) => {
  expect(quantityProblem(text)).toContain("such as 500m, 2 or 1.5Gi");
  expect(quantityProblem(text)?.length).toBeLessThan(400);
});

test("compares amounts across suffixes", () => {
  const ascending = ["-1", "0", "1n", "999m", "1", "1k", "1Ki", "1M", "1Mi", "2e6", "1Gi", "1E"];
  const parsed = ascending.map((text) => parseQuantity(text));
  expect(parsed.toReversed().sort(compareQuantities)).toEqual(parsed);
  expect(compareQuantities(parseQuantity("1000m"), parseQuantity("1"))).toBe(0);
});
