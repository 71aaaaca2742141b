import { Scheduler, VirtualProcess } from "@capstan/env";
import { expect, test } from "vitest";
import { watchClock } from "./clock-watch.ts";

const MINUTE_MS = 60_000;

/** How often it is told that the clock was set back, after each of some jumps. */
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
  expect(count, "nothing is told after the end").toBe(counts.at(-1));
  return counts;
}

test("a clock that goes on is no news", async () => {
  expect(await reported(0, 0, 0)).toEqual([0, 0, 0]);
});

test("a clock that is set back is told of once, each time", async () => {
  expect(await reported(-60 * MINUTE_MS, 0, -10 * MINUTE_MS)).toEqual([1, 1, 2]);
});

test("a clock that is set ahead is no news, and is when it is set right again", async () => {
  expect(await reported(60 * MINUTE_MS, -60 * MINUTE_MS)).toEqual([0, 1]);
});

test("a clock that is set back step by step is told of when the steps have added up", async () => {
  expect(await reported(-2 * MINUTE_MS, -2 * MINUTE_MS, -2 * MINUTE_MS)).toEqual([0, 0, 1]);
});
