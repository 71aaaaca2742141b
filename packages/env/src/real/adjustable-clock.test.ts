import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Timer } from "../clock.ts";
import { VirtualProcess } from "../virtual/process.ts";
import { Scheduler } from "../virtual/scheduler.ts";
import { AdjustableClock, type ClockAnchor, withClock } from "./adjustable-clock.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const START_MS = Date.UTC(2026, 0, 1);

interface Bench {
  readonly scheduler: Scheduler;
  readonly clock: AdjustableClock;
  /** The timers that have fired, as `name@scaled milliseconds since the start`. */
  readonly fired: string[];
  readonly set: (name: string, delayMs: number) => Timer;
}

function bench(speed = 1, keep?: (anchor: ClockAnchor) => void): Bench {
  const scheduler = new Scheduler({ seed: "clock", startMs: START_MS });
  const clock = new AdjustableClock(new VirtualProcess(scheduler, "p").clock, {
    anchor: { wallMs: START_MS, simMs: START_MS, speed },
    ...(keep && { keep }),
  });
  const fired: string[] = [];
  return {
    scheduler,
    clock,
    fired,
    set: (name, delayMs) =>
      clock.timer(delayMs, () => fired.push(`${name}@${Math.round(clock.monotonic())}`)),
  };
}

describe("the time of an adjustable clock", () => {
  test("equals that of the base clock at first", async () => {
    const scheduler = new Scheduler({ seed: "1" });
    const base = new VirtualProcess(scheduler, "p").clock;
    const clock = new AdjustableClock(base);
    await scheduler.advance(1234);
    expect([clock.now(), clock.speed]).toEqual([base.now(), 1]);
  });

  test("passes at its speed, and does not jump when the speed changes", async () => {
    const { scheduler, clock } = bench();
    await scheduler.advance(10);
    clock.setSpeed(60);
    expect([clock.now() - START_MS, clock.monotonic()]).toEqual([10, 10]);
    await scheduler.advance(10);
    expect([clock.now() - START_MS, clock.monotonic()]).toEqual([610, 610]);
    clock.setSpeed(0.5);
    await scheduler.advance(3);
    expect([clock.now() - START_MS, clock.monotonic()]).toEqual([611, 611.5]);
  });

  test("skips the given duration", () => {
    const { clock } = bench(60);
    clock.advance(HOUR_MS);
    expect([clock.now() - START_MS, clock.monotonic()]).toEqual([HOUR_MS, HOUR_MS]);
  });

  test("passes at its speed while no process runs, so that a new start is never behind", async () => {
    const { scheduler, clock } = bench(60);
    clock.advance(DAY_MS);
    await scheduler.advance(1000);
    const { anchor } = clock;
    const leftMs = clock.now();
    await scheduler.advance(5000);
    const again = new AdjustableClock(new VirtualProcess(scheduler, "again").clock, { anchor });
    expect([again.now() - leftMs, again.speed]).toEqual([300_000, 60]);
  });

  test("never goes back, after any change and any number of restarts", async () => {
    const step = fc.oneof(
      fc.record({ speed: fc.double({ min: 0.01, max: 10_000, noNaN: true }) }),
      fc.record({ skipMs: fc.nat(DAY_MS) }),
      fc.record({ passMs: fc.double({ min: 0, max: 1000, noNaN: true }) }),
      fc.constant({ isRestart: true }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 20 }), async (steps) => {
        const { scheduler, clock: first } = bench();
        let clock = first;
        let seenMs = clock.now();
        for (const [index, one] of steps.entries()) {
          if ("speed" in one) clock.setSpeed(one.speed);
          else if ("skipMs" in one) clock.advance(one.skipMs);
          else if ("passMs" in one) await scheduler.advance(one.passMs);
          else
            clock = new AdjustableClock(new VirtualProcess(scheduler, `p${index}`).clock, {
              anchor: clock.anchor,
            });
          expect(clock.now()).toBeGreaterThanOrEqual(seenMs);
          expect(clock.now()).toBe(Math.floor(clock.now()));
          seenMs = clock.now();
        }
      }),
      { numRuns: 50 },
    );
  });

  test("follows the wall time of the base clock, and its timers do not", async () => {
    const { scheduler, clock, set, fired } = bench(10);
    set("a", 1000);
    scheduler.jumpWallClock(DAY_MS);
    expect(clock.now() - START_MS).toBe(10 * DAY_MS);
    await scheduler.run();
    expect([fired, scheduler.monotonicMs]).toEqual([["a@1000"], 100]);
  });

  test.each([0, -1, NaN, Infinity, 10_001])("cannot have the speed %d", (speed) => {
    const { clock } = bench();
    expect(() => clock.setSpeed(speed)).toThrow(
      `speed is ${speed}; expected a number above 0 and up to 10000`,
    );
    expect(() => bench(speed)).toThrow("expected a number above 0");
  });

  test.each([-1, NaN, Infinity])("cannot skip %d", (byMs) => {
    expect(() => bench().clock.advance(byMs)).toThrow("expected milliseconds, 0 or more");
  });
});

describe("an anchor", () => {
  test("is persisted when it changes, and only then", async () => {
    const kept: ClockAnchor[] = [];
    const { scheduler, clock } = bench(1, (anchor) => kept.push(anchor));
    clock.setSpeed(1);
    await scheduler.advance(1000);
    expect(kept).toEqual([]);
    clock.setSpeed(60);
    clock.advance(500);
    const atMs = START_MS + 1000;
    expect(kept).toEqual([
      { wallMs: atMs, simMs: atMs, speed: 60 },
      { wallMs: atMs, simMs: atMs + 500, speed: 60 },
    ]);
    expect(clock.anchor).toEqual(kept[1]);
  });

  test("does not change if it cannot be persisted", () => {
    const { clock } = bench(1, () => {
      throw new Error("the disk is full");
    });
    const { anchor } = clock;
    expect(() => clock.setSpeed(60)).toThrow("the disk is full");
    expect(() => clock.advance(60)).toThrow("the disk is full");
    expect([clock.anchor, clock.now()]).toEqual([anchor, START_MS]);
  });
});

describe("timers", () => {
  test.each([1, 7, 60, 0.3, 10_000])("fire at their time and in its order at speed %d", async (speed) => {
    const { scheduler, set, fired } = bench(speed);
    for (const [name, delayMs] of Object.entries({ c: 3000, a: 0, b: 1000, d: 3000, late: -5 }))
      set(name, delayMs);
    await scheduler.run({ maxSteps: 100 });
    expect(fired).toEqual(["a@0", "late@0", "b@1000", "c@3000", "d@3000"]);
    expect(scheduler.monotonicMs).toBeCloseTo(3000 / speed, 3);
  });

  test("follow a change of the speed while they wait", async () => {
    const { scheduler, clock, set, fired } = bench();
    set("a", HOUR_MS);
    await scheduler.advance(HOUR_MS / 2);
    clock.setSpeed(60);
    await scheduler.advance(HOUR_MS / 2 / 60 - 1);
    expect(fired).toEqual([]);
    await scheduler.advance(1);
    expect(fired).toEqual([`a@${HOUR_MS}`]);
    set("b", 6000);
    clock.setSpeed(1);
    await scheduler.advance(5999);
    expect(fired).toHaveLength(1);
    await scheduler.advance(1);
    expect(fired).toEqual([`a@${HOUR_MS}`, `b@${HOUR_MS + 6000}`]);
  });

  test("that are due in skipped time fire at once, in order", async () => {
    const { scheduler, clock, set, fired } = bench();
    for (const [name, delayMs] of Object.entries({ c: 3000, a: 1000, b: 2000, later: HOUR_MS + 1 }))
      set(name, delayMs);
    clock.advance(HOUR_MS);
    await scheduler.advance(0);
    expect(fired).toEqual([`a@${HOUR_MS}`, `b@${HOUR_MS}`, `c@${HOUR_MS}`]);
    await scheduler.advance(1);
    expect(fired.at(-1)).toBe(`later@${HOUR_MS + 1}`);
  });

  test("wait until the promises that the previous one has resolved have run", async () => {
    const { scheduler, clock, set, fired } = bench(60);
    const doomed: Timer[] = [];
    void clock.sleep(1000).then(() => doomed[0]?.cancel());
    doomed.push(set("doomed", 1000));
    clock.advance(HOUR_MS);
    await scheduler.run();
    expect(fired).toEqual([]);
  });

  test("of sixty days wait for sixty days", async () => {
    const { scheduler, set, fired } = bench(2);
    set("a", 60 * DAY_MS);
    await scheduler.advance(30 * DAY_MS - 1);
    expect(fired).toEqual([]);
    await scheduler.advance(1);
    expect(fired).toEqual([`a@${60 * DAY_MS}`]);
  });

  test("that are cancelled do not fire, and are released", async () => {
    const { scheduler, set, fired } = bench(60);
    const first = set("first", 1000);
    set("second", 2000);
    const last = set("last", HOUR_MS);
    first.cancel();
    first.cancel();
    last.cancel();
    await scheduler.run();
    expect([fired, scheduler.monotonicMs]).toEqual([["second@2000"], 2000 / 60]);
  });

  test("keep their order when thousands of others are cancelled", async () => {
    const { scheduler, set, fired } = bench();
    const others = Array.from({ length: 5000 }, (_, index) => set("other", index + 10));
    for (const delayMs of [4000, 5, 6000, 50]) set("kept", delayMs);
    for (const other of others) other.cancel();
    await scheduler.run();
    expect(fired).toEqual(["kept@5", "kept@50", "kept@4000", "kept@6000"]);
  });

  test("fire although the previous one throws", async () => {
    const { scheduler, clock, set, fired } = bench();
    clock.timer(10, () => {
      throw new Error("a defect");
    });
    set("next", 20);
    await expect(scheduler.run()).rejects.toThrow("a defect");
    await scheduler.run();
    expect(fired).toEqual(["next@20"]);
  });
});

test("an environment with another clock keeps its randomness", () => {
  const make = (): VirtualProcess => new VirtualProcess(new Scheduler({ seed: "same" }), "p");
  const [process, other] = [make(), make()];
  const clock = new AdjustableClock(process.clock);
  const env = withClock(process, clock);
  expect(env.clock).toBe(clock);
  expect([env.uuid(), env.rng("x").next()]).toEqual([other.uuid(), other.rng("x").next()]);
});
