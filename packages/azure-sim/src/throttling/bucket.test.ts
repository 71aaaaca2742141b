import fc from "fast-check";
import { expect, test } from "vitest";
import { fill, secondsUntil } from "./bucket.ts";

const SIZE = { capacity: 12, refillPerSecond: 4 / 60 };

test("an empty bucket refills at its rate, up to its capacity", () => {
  const bucket = { tokens: 0, filledMs: 0 };
  fill(bucket, SIZE, 15_000);
  expect(bucket.tokens).toBeCloseTo(1);
  fill(bucket, SIZE, 3_600_000);
  expect(bucket.tokens).toBe(12);
});

test("a clock that goes back neither fills nor empties a bucket", () => {
  const bucket = { tokens: 5, filledMs: 1000 };
  fill(bucket, SIZE, 0);
  expect(bucket).toEqual({ tokens: 5, filledMs: 1000 });
});

test("after the reported seconds, a bucket has the requested tokens", () => {
  fc.assert(
    fc.property(
      fc.double({ min: 0, max: 12, noNaN: true }),
      fc.integer({ min: 1, max: 40 }),
      (tokens, wanted) => {
        const bucket = { tokens, filledMs: 0 };
        fill(bucket, SIZE, secondsUntil(bucket, SIZE, wanted) * 1000);
        expect(bucket.tokens).toBeGreaterThanOrEqual(Math.min(wanted, 12) - 1e-9);
      },
    ),
  );
});
