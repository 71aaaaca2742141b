import { describe, expect, test } from "vitest";
import { isTooDeep, NESTING_LIMIT } from "./nesting.ts";

/** A value with this many levels, of lists and objects in turn. */
function nested(levels: number): unknown {
  let value: unknown = "end";
  for (let level = 0; level < levels; level++) value = level % 2 === 0 ? [value] : { a: value };
  return value;
}

describe("nesting", () => {
  test("is allowed up to its limit and not beyond", () => {
    expect(isTooDeep(nested(NESTING_LIMIT))).toBe(false);
    expect(isTooDeep(nested(NESTING_LIMIT + 1))).toBe(true);
  });

  test("of any depth is detected without a stack overflow", () => {
    expect(isTooDeep(nested(1_000_000))).toBe(true);
  });
});
