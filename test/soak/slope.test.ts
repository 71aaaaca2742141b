import { expect, test } from "vitest";
import { lowestOfEach, slopeOf } from "./slope.ts";

test.each([
  [[5, 5, 5], 0],
  [[1, 3, 5, 7], 2],
  [[10, 20, 10, 20, 10], 0],
  [[9, 6, 3], -3],
  [[4], 0],
])("%j grows by %d a step", (values, slope) => {
  expect(slopeOf(values)).toBeCloseTo(slope);
});

test("of values that go up and down only the lowest of each group counts", () => {
  expect(lowestOfEach([5, 9, 2, 6, 3, 8, 1], 3)).toEqual([2, 3]);
});
