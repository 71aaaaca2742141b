import { Scheduler, VirtualProcess } from "@capstan/env";
import { expect, test } from "vitest";
import { SimClock } from "./sim-clock.ts";

test("time runs at its speed, jumps where it is told, and never by a change of speed", async () => {
  const scheduler = new Scheduler({ seed: "clock" });
  const clock = new SimClock(new VirtualProcess(scheduler, "p").clock, { simMs: 1000, speed: 1 });
  await scheduler.advance(10);
  expect(clock.now()).toBe(1010);
  clock.setSpeed(60);
  expect(clock.now()).toBe(1010);
  await scheduler.advance(10);
  expect(clock.now()).toBe(1610);
  clock.advance(390);
  expect(clock.now()).toBe(2000);
  expect(clock.realMs(600)).toBe(10);
});
