import { Scheduler, VirtualProcess } from "@capstan/env";
import { expect, test } from "vitest";
import { watchClock } from "./clock-watch.ts";

const MINUTE_MS = 60_000;

/** The number of callbacks after each of some jumps. */
async function reported(...jumpsMs: readonly number[]): Promise<readonly number[]> {
  const scheduler = new Scheduler({ seed: "1" });
  const { clock } = new VirtualProcess(scheduler, "watched");
  let count = 0;
  const watch = watchClock(clock, () => count++);
  const counts: number[] = [];
  for (const byMs of jumpsMs) {
    scheduler.jumpWallClock(byMs);
    await scheduler.advance(10 * MINUTE_MS);
    counts.push(count);
  }
  watch.stop();
  scheduler.jumpWallClock(-60 * MINUTE_MS);
  await scheduler.advance(10 * MINUTE_MS);
  expect(count, "no callback after the end").toBe(counts.at(-1));
  return counts;
}

test("a normal clock causes no callback", async () => {
  expect(await reported(0, 0, 0)).toEqual([0, 0, 0]);
});

test("a clock that is set back causes one callback, each time", async () => {
  expect(await reported(-60 * MINUTE_MS, 0, -10 * MINUTE_MS)).toEqual([1, 1, 2]);
});

test("a clock that is set ahead causes no callback, until it is corrected", async () => {
  expect(await reported(60 * MINUTE_MS, -60 * MINUTE_MS)).toEqual([0, 1]);
});

test("a clock that is set back step by step causes a callback when the steps have added up", async () => {
  expect(await reported(-2 * MINUTE_MS, -2 * MINUTE_MS, -2 * MINUTE_MS)).toEqual([0, 0, 1]);
});
