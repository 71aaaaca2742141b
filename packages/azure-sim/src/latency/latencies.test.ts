import { createRng } from "@capstan/env";
import { expect, test } from "vitest";
import { drawMs, RECORDED } from "./latencies.ts";
import { endsInLanes } from "./lanes.ts";

const DRAWS = 4000;

test.each(Object.entries(RECORDED))("%s has its recorded percentiles", (name, { p50, p90 }) => {
  const draws = Array.from({ length: DRAWS }, (_, index) =>
    drawMs({ p50, p90 }, createRng("seed", `${name}/${index}`)),
  );
  draws.sort((a, b) => a - b);
  const at = (share: number): number => (draws[Math.floor(share * DRAWS)] ?? 0) / 1000;
  // The tail and the sample size move the percentiles by a few percent.
  expect(at(0.5) / p50).toBeGreaterThan(0.85);
  expect(at(0.5) / p50).toBeLessThan(1.15);
  expect(at(0.9) / p90).toBeGreaterThan(0.85);
  expect(at(0.9) / p90).toBeLessThan(1.25);
  expect(at(0.9999)).toBeGreaterThan(3 * p50);
  // Only the slow one in a hundred takes longer than four times the higher percentile.
  expect(at(0.985)).toBeLessThanOrEqual(4 * p90);
});

test("a duration of zero takes no time", () => {
  expect(drawMs({ p50: 0, p90: 0 }, createRng("seed", "x"))).toBe(0);
});

test("work beyond the number of lanes waits for a free one", () => {
  expect(endsInLanes([10, 20, 5, 5], 2, 100)).toEqual([110, 120, 115, 120]);
  expect(endsInLanes([10, 20, 5], 10, 0)).toEqual([10, 20, 5]);
  expect(endsInLanes([], 3, 0)).toEqual([]);
});
