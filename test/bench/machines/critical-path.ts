import type { TraceEvent } from "@capstan/sim";
import { worksIn } from "../control-planes/busy-time.ts";

/** How long Azure and the guests were at work for each machine that was created or deleted, in the order of their beginnings. */
export interface MachineTimes {
  readonly creationsMs: readonly number[];
  readonly deletionsMs: readonly number[];
}

export function machineTimesIn(events: readonly TraceEvent[]): MachineTimes {
  const works = worksIn(events).toSorted((a, b) => a.span[0] - b.span[0]);
  const timesOf = (verb: string): number[] =>
    works
      .filter(({ work }) => work.startsWith(`${verb} `))
      .map(({ span: [startMs, endMs] }) => endMs - startMs);
  return { creationsMs: timesOf("PUT"), deletionsMs: timesOf("DELETE") };
}

/**
 * The time of an ideal controller with the same Azure and guests: so many machines at a time are created, and after each of them
 * one is deleted before the next is created. It knows no request limits.
 */
export function criticalPathMs({ creationsMs, deletionsMs }: MachineTimes, atOnce: number): number {
  const count = Math.max(creationsMs.length, deletionsMs.length);
  const lanes = Array.from({ length: Math.min(atOnce, count) }, () => 0);
  for (let index = 0; index < count; index++) {
    const free = lanes.indexOf(Math.min(...lanes));
    lanes[free] = (lanes[free] ?? 0) + (creationsMs[index] ?? 0) + (deletionsMs[index] ?? 0);
  }
  return Math.max(0, ...lanes);
}
