import { Scheduler, VirtualProcess } from "@capstan/env";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Priority, WorkQueue } from "./queue.ts";

interface Setup {
  readonly scheduler: Scheduler;
  readonly queue: WorkQueue;
  readonly seen: string[];
}

function setup(seed = "1"): Setup {
  const scheduler = new Scheduler({ seed });
  const seen: string[] = [];
  const queue = new WorkQueue({
    env: new VirtualProcess(scheduler, "manager"),
    name: "boats",
    observer: {
      added: (depth) => void seen.push(`added ${depth}`),
      taken: (waitedMs, depth) => void seen.push(`taken after ${waitedMs} ${depth}`),
      retried: () => void seen.push("retried"),
    },
  });
  return { scheduler, queue, seen };
}

/** Takes all available keys and finishes each at once. */
async function drain(queue: WorkQueue): Promise<string[]> {
  const keys: string[] = [];
  while (queue.depth > 0) {
    const key = (await queue.take()) ?? "";
    keys.push(key);
    queue.done(key);
  }
  return keys;
}

describe("a work queue", () => {
  test("returns keys in the order of their addition, each once", async () => {
    const { queue } = setup();
    for (const key of ["a", "b", "a", "c", "b"]) queue.add(key);
    expect(queue.depth).toBe(3);
    expect(await drain(queue)).toEqual(["a", "b", "c"]);
  });

  test("gives a waiting worker the next key", async () => {
    const { queue } = setup();
    const workers = [queue.take(), queue.take()];
    queue.add("a");
    queue.add("b");
    expect(await Promise.all(workers)).toEqual(["a", "b"]);
    expect([queue.depth, queue.active]).toEqual([0, 2]);
  });

  test("does not give a key to a second worker, and returns it again when the first is done", async () => {
    const { queue } = setup();
    queue.add("a");
    expect(await queue.take()).toBe("a");
    queue.add("a");
    queue.add("a");
    expect([queue.depth, queue.active]).toEqual([0, 1]);
    queue.done("a");
    expect([queue.depth, queue.active]).toEqual([1, 0]);
    expect(await drain(queue)).toEqual(["a"]);
  });

  test("keeps the more urgent of two additions during a pass", async () => {
    for (const requests of [
      ["later", "now"],
      ["now", "later"],
    ] as const) {
      const { queue } = setup();
      queue.add("a");
      await queue.take();
      for (const priority of requests) queue.add("a", priority);
      queue.add("b", "now");
      queue.add("c", "later");
      queue.done("a");
      expect(await drain(queue)).toEqual(["b", "a", "c"]);
    }
  });

  test("returns urgent keys before those of a resync", async () => {
    const { queue } = setup();
    queue.add("resync-1", "later");
    queue.add("resync-2", "later");
    queue.add("touched");
    expect(await drain(queue)).toEqual(["touched", "resync-1", "resync-2"]);
  });

  test("moves a key up when it becomes urgent, and never down", async () => {
    const { queue } = setup();
    queue.add("a", "later");
    queue.add("b", "later");
    queue.add("c");
    queue.add("b");
    queue.add("c", "later");
    expect(await drain(queue)).toEqual(["c", "b", "a"]);
  });

  test("puts a key that was urgent before at the end when a later resync adds it", async () => {
    const { queue } = setup();
    queue.add("a", "later");
    queue.add("b", "later");
    queue.add("a", "now");
    expect(await queue.take()).toBe("a");
    queue.done("a");
    queue.add("a", "later");
    expect(await drain(queue)).toEqual(["b", "a"]);
  });

  test("reports depth and waiting time to its observer", async () => {
    const { queue, seen, scheduler } = setup();
    queue.add("a");
    queue.add("b");
    await scheduler.advance(40);
    await queue.take();
    expect(seen).toEqual(["added 1", "added 2", "taken after 40 1"]);
  });

  test("counts the waiting time of a key that moved up from its first addition", async () => {
    const { queue, seen, scheduler } = setup();
    queue.add("a", "later");
    await scheduler.advance(30);
    queue.add("a", "now");
    await scheduler.advance(10);
    await queue.take();
    expect(seen, "moving up is not a second addition").toEqual(["added 1", "taken after 40 0"]);
  });

  test("returns nothing after it was closed, and releases waiting workers", async () => {
    const { queue, scheduler } = setup();
    const worker = queue.take();
    queue.addAfter("late", 10);
    queue.close();
    expect(await worker).toBeUndefined();
    queue.add("a");
    queue.addAfter("b", 10);
    queue.retry("c");
    await scheduler.advance(60_000);
    expect(queue.depth).toBe(0);
    expect(await queue.take()).toBeUndefined();
  });

  test("lets a worker that was busy at the close finish its key without adding it again", async () => {
    const { queue } = setup();
    queue.add("a");
    await queue.take();
    queue.add("a");
    queue.close();
    queue.done("a");
    expect([queue.depth, queue.active]).toEqual([0, 0]);
  });

  test("costs no more per key when it is long", async () => {
    const { queue } = setup();
    const keys = Array.from({ length: 50_000 }, (_, index) => `key-${index}`);
    for (const key of [...keys, ...keys]) queue.add(key);
    expect(await drain(queue)).toEqual(keys);
  });
});

describe("a delay", () => {
  test("adds the key when it is over", async () => {
    const { queue, scheduler } = setup();
    queue.addAfter("a", 500);
    await scheduler.advance(499);
    expect(queue.depth).toBe(0);
    await scheduler.advance(1);
    expect(await drain(queue)).toEqual(["a"]);
  });

  test.each([
    ["later", [300, 800]],
    ["sooner", [800, 300]],
  ])(
    "of several for a key the soonest counts, and only that one, when the second is %s",
    async (_, delays) => {
      const { queue, scheduler } = setup();
      for (const delayMs of delays) queue.addAfter("a", delayMs);
      await scheduler.advance(299);
      expect(queue.depth).toBe(0);
      await scheduler.advance(1);
      expect(await drain(queue)).toEqual(["a"]);
      await scheduler.advance(10_000);
      expect(queue.depth).toBe(0);
    },
  );

  test("of 30 days ends after 30 days, although the wall clock jumps by a year", async () => {
    const { queue, scheduler } = setup();
    const day = 24 * 3600_000;
    queue.addAfter("a", 30 * day);
    scheduler.jumpWallClock(365 * day);
    await scheduler.advance(30 * day - 1);
    expect(queue.depth).toBe(0);
    scheduler.jumpWallClock(-365 * day);
    await scheduler.advance(1);
    expect(await drain(queue)).toEqual(["a"]);
  });

  test("that is not positive means at once", async () => {
    const { queue, scheduler } = setup();
    queue.addAfter("a", 0);
    queue.addAfter("b", -5);
    await scheduler.advance(0);
    expect((await drain(queue)).sort()).toEqual(["a", "b"]);
  });
});

describe("a backoff", () => {
  /** Lets the key fail and returns the time until it is available again. */
  async function failOnce({ queue, scheduler }: Setup, atLeastMs?: number): Promise<number> {
    const failedMs = scheduler.monotonicMs;
    queue.retry("a", atLeastMs);
    await scheduler.run({ until: () => queue.depth > 0 });
    await drain(queue);
    return scheduler.monotonicMs - failedMs;
  }

  test("doubles from 5 ms to 5 minutes, each between half and the whole", async () => {
    for (const seed of ["1", "2", "3"]) {
      const parts = setup(seed);
      for (let failures = 0; failures < 25; failures++) {
        const ceiling = Math.min(5 * 2 ** failures, 300_000);
        const delay = await failOnce(parts);
        expect(delay).toBeGreaterThanOrEqual(ceiling / 2);
        expect(delay).toBeLessThanOrEqual(ceiling);
      }
      expect(parts.queue.failuresOf("a")).toBe(25);
    }
  });

  test("spreads keys that fail together", async () => {
    const { queue, scheduler } = setup();
    const back = new Set<number>();
    for (let key = 0; key < 50; key++) {
      for (let failure = 0; failure < 10; failure++) queue.retry(`key-${key}`);
    }
    await scheduler.run({
      until: () => {
        if (queue.depth > 0) back.add(scheduler.monotonicMs);
        return queue.depth === 50;
      },
    });
    expect(back.size).toBeGreaterThan(40);
  });

  test("starts again after a success", async () => {
    const parts = setup();
    for (let failure = 0; failure < 10; failure++) await failOnce(parts);
    parts.queue.forget("a");
    expect(parts.queue.failuresOf("a")).toBe(0);
    expect(await failOnce(parts)).toBeLessThanOrEqual(5);
  });

  test("is never shorter than the Retry-After of the other side", async () => {
    expect(await failOnce(setup(), 7_000)).toBe(7_000);
    const parts = setup();
    for (let failure = 0; failure < 16; failure++) await failOnce(parts);
    expect(await failOnce(parts, 7_000)).toBeGreaterThan(100_000);
  });

  test("counts each key separately", () => {
    const { queue, seen } = setup();
    queue.retry("a");
    queue.retry("a");
    queue.retry("b");
    expect([queue.failuresOf("a"), queue.failuresOf("b"), queue.failuresOf("c")]).toEqual([2, 1, 0]);
    expect(seen).toEqual(["retried", "retried", "retried"]);
  });
});

/** A simple model of a queue: two lists of keys, and the active keys. */
class Model {
  readonly lines: Record<Priority, string[]> = { now: [], later: [] };
  readonly working = new Map<string, Priority | undefined>();

  add(key: string, priority: Priority): void {
    if (this.working.has(key)) {
      if (this.working.get(key) !== "now") this.working.set(key, priority);
      return;
    }
    if (this.lines.now.includes(key)) return;
    const place = this.lines.later.indexOf(key);
    if (place >= 0 && priority === "later") return;
    if (place >= 0) this.lines.later.splice(place, 1);
    this.lines[priority].push(key);
  }

  take(): string | undefined {
    const key = this.lines.now.shift() ?? this.lines.later.shift();
    if (key !== undefined) this.working.set(key, undefined);
    return key;
  }

  done(key: string): void {
    const request = this.working.get(key);
    this.working.delete(key);
    if (request) this.add(key, request);
  }

  get depth(): number {
    return this.lines.now.length + this.lines.later.length;
  }
}

const steps = fc.array(
  fc.oneof(
    fc.record({
      do: fc.constant("add" as const),
      key: fc.constantFrom("a", "b", "c", "d"),
      priority: fc.constantFrom<Priority>("now", "later"),
    }),
    fc.record({ do: fc.constant("take" as const) }),
    fc.record({ do: fc.constant("done" as const), which: fc.nat(3) }),
  ),
  // Short sequences hardly ever move a key up, take it and add it again.
  { minLength: 30, maxLength: 80, size: "max" },
);

test("any sequence of adds, takes and dones gives the same as two simple lists", async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (sequence) => {
      const { queue } = setup();
      const model = new Model();
      for (const step of sequence) {
        if (step.do === "add") {
          queue.add(step.key, step.priority);
          model.add(step.key, step.priority);
        } else if (step.do === "take" && model.depth > 0) {
          const desired = model.take();
          expect(await queue.take()).toBe(desired);
        } else if (step.do === "done") {
          const key = [...model.working.keys()][step.which];
          if (key === undefined) continue;
          queue.done(key);
          model.done(key);
        }
        expect([queue.depth, queue.active]).toEqual([model.depth, model.working.size]);
      }
    }),
    { numRuns: 500 },
  );
});

test("with slow workers no addition is lost and no key has two workers", async () => {
  const requests = fc.array(fc.record({ key: fc.constantFrom("a", "b", "c"), atMs: fc.nat(200) }), {
    maxLength: 40,
  });
  await fc.assert(
    fc.asyncProperty(requests, fc.integer({ min: 1, max: 3 }), async (plan, workers) => {
      const { queue, scheduler } = setup();
      const clock = new VirtualProcess(scheduler, "workers").clock;
      const startedMs = new Map<string, number[]>();
      const busy = new Set<string>();
      const work = async (): Promise<void> => {
        for (let key = await queue.take(); key !== undefined; key = await queue.take()) {
          expect(busy.has(key), `${key} has one worker`).toBe(false);
          busy.add(key);
          startedMs.set(key, [...(startedMs.get(key) ?? []), scheduler.monotonicMs]);
          await clock.sleep(17);
          busy.delete(key);
          queue.done(key);
        }
      };
      const running = Array.from({ length: workers }, work);
      for (const { key, atMs } of plan) clock.timer(atMs, () => queue.add(key));
      await scheduler.run();
      for (const { key, atMs } of plan) {
        expect(
          Math.max(...(startedMs.get(key) ?? [])),
          `${key} has a pass after ${atMs}`,
        ).toBeGreaterThanOrEqual(atMs);
      }
      queue.close();
      await Promise.all(running);
    }),
    { numRuns: 60 },
  );
});
