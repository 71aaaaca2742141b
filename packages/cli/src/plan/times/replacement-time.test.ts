import { expect, test } from "vitest";
import { replacementTime } from "./replacement-time.ts";

const MINUTE_MS = 60_000;

test("a hundred machines, ten at a time, take about as long as in a simulated run", () => {
  const { typicalMs, slowMs } = replacementTime({ machines: 100, atOnce: 10, minReadySeconds: 0 });
  // The run took 29 minutes: drains and deletions go on while the next machines are created.
  expect(typicalMs).toBeGreaterThan(26 * MINUTE_MS);
  expect(typicalMs).toBeLessThan(33 * MINUTE_MS);
  expect(slowMs).toBeGreaterThanOrEqual(typicalMs);
});

test("it takes longer with fewer at a time, and with a longer minReadySeconds", () => {
  const time = (atOnce: number, minReadySeconds: number): number =>
    replacementTime({ machines: 12, atOnce, minReadySeconds }).typicalMs;
  expect(time(1, 0)).toBeGreaterThan(3 * time(4, 0));
  expect(time(4, 600)).toBeGreaterThan(time(4, 0) + 3 * 10 * MINUTE_MS - 1);
});

test("no machine takes no time, and the same question has the same answer", () => {
  expect(replacementTime({ machines: 0, atOnce: 1, minReadySeconds: 0 })).toEqual({
    typicalMs: 0,
    slowMs: 0,
  });
  const question = { machines: 5, atOnce: 2, minReadySeconds: 0 };
  expect(replacementTime(question)).toEqual(replacementTime(question));
});
