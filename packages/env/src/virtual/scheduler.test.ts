import { describe, expect, test } from "vitest";
import { Scheduler } from "./scheduler.ts";

const DAY_MS = 24 * 3_600_000;

describe("virtual time", () => {
  test("releases completions in the order of their time without waiting for real time", async () => {
    const scheduler = new Scheduler({ seed: "1" });
    const seen: string[] = [];
    scheduler.schedule(400 * DAY_MS, "far", () => seen.push(`far ${scheduler.monotonicMs / DAY_MS}`));
    scheduler.schedule(5, "near", () => seen.push(`near ${scheduler.monotonicMs}`));
    await scheduler.run();
    expect(seen).toEqual(["near 5", "far 400"]);
  });

  test("runs every promise that a completion resolves before it releases the next", async () => {
    const scheduler = new Scheduler({ seed: "1" });
    const seen: string[] = [];
    scheduler.schedule(1, "first", () => {
      void (async () => {
        for (let hop = 0; hop < 100; hop++) await Promise.resolve();
        seen.push("promises of the first");
      })();
    });
    scheduler.schedule(1.0001, "second", () => seen.push("second"));
    await scheduler.run();
    expect(seen).toEqual(["promises of the first", "second"]);
  });

  const orderOf = async (seed: string): Promise<string> => {
    const scheduler = new Scheduler({ seed });
    const seen: string[] = [];
    for (const name of "abcdefgh") scheduler.schedule(10, name, () => seen.push(name));
    await scheduler.run();
    return seen.join("");
  };

  test("orders completions of the same time by the seed", async () => {
    expect(await orderOf("1")).toBe(await orderOf("1"));
    const orders = new Set(await Promise.all(["1", "2", "3", "4", "5"].map(orderOf)));
    expect(orders.size).toBeGreaterThan(3);
  });

  test("keeps the order of thousands of timers when most of them are cancelled", async () => {
    const orderWith = async (isTakenBack: boolean): Promise<number[]> => {
      const scheduler = new Scheduler({ seed: "1" });
      const seen: number[] = [];
      const timers = Array.from({ length: 5_000 }, (_, number) =>
        // Many are due at the same time, so that the seed decides.
        scheduler.schedule((number * 7919) % 500, "timer", () => seen.push(number)),
      );
      const isKept = (number: number): boolean => number % 5 === 0;
      await scheduler.run({ untilMs: 100 });
      if (isTakenBack) for (const [number, timer] of timers.entries()) if (!isKept(number)) timer.cancel();
      await scheduler.run();
      return seen.filter(isKept);
    };
    const order = await orderWith(true);
    expect(order).toHaveLength(1_000);
    expect(order).toEqual(await orderWith(false));
  });

  test("stops at a limit and has moved on to it", async () => {
    const scheduler = new Scheduler({ seed: "1" });
    let fired = false;
    scheduler.schedule(1000, "later", () => {
      fired = true;
    });
    await scheduler.run({ untilMs: 999 });
    expect([fired, scheduler.monotonicMs]).toEqual([false, 999]);
    await scheduler.advance(1);
    expect([fired, scheduler.monotonicMs]).toEqual([true, 1000]);
  });

  test("stops as soon as the condition holds", async () => {
    const scheduler = new Scheduler({ seed: "1" });
    let count = 0;
    const tick = (): void => {
      count++;
      scheduler.schedule(1, "tick", tick);
    };
    tick();
    await scheduler.run({ until: () => count === 10 });
    expect(count).toBe(10);
  });

  test("refuses to run forever and names the next completion", async () => {
    const scheduler = new Scheduler({ seed: "1" });
    const tick = (): void => void scheduler.schedule(1, "the endless ticker", tick);
    tick();
    await expect(scheduler.run({ maxSteps: 100 })).rejects.toThrow(
      "did not settle in 100 steps; next: the endless ticker",
    );
  });

  test("does not run what was cancelled", async () => {
    const scheduler = new Scheduler({ seed: "1" });
    let fired = false;
    scheduler
      .schedule(1, "cancelled", () => {
        fired = true;
      })
      .cancel();
    await scheduler.run();
    expect([fired, scheduler.steps]).toEqual([false, 0]);
  });

  test("moves the wall clock by a year without affecting timers", async () => {
    const scheduler = new Scheduler({ seed: "1", startMs: 0 });
    const seen: number[] = [];
    scheduler.schedule(1000, "timer", () => seen.push(scheduler.monotonicMs));
    scheduler.jumpWallClock(365 * DAY_MS);
    expect(scheduler.wallMs).toBe(365 * DAY_MS);
    scheduler.jumpWallClock(-730 * DAY_MS);
    await scheduler.run();
    expect([seen, scheduler.wallMs]).toEqual([[1000], -365 * DAY_MS + 1000]);
  });

  test("ends the run with a failure that was reported during a step", async () => {
    const scheduler = new Scheduler({ seed: "1" });
    scheduler.schedule(1, "bad", () => scheduler.fail(new Error("an invariant does not hold")));
    await expect(scheduler.run()).rejects.toThrow("an invariant does not hold");
  });

  test("reports each step to the trace", async () => {
    const trace: string[] = [];
    const scheduler = new Scheduler({ seed: "1", onStep: (atMs, label) => trace.push(`${atMs} ${label}`) });
    scheduler.schedule(2, "b", () => undefined);
    scheduler.schedule(1, "a", () => undefined);
    await scheduler.run();
    expect(trace).toEqual(["1 a", "2 b"]);
  });
});
