import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { nameSuffix, uuidFrom } from "./ids.ts";
import { createRng, rngStreams } from "./rng.ts";

const draws = (seed: string, stream: string, count = 20): number[] => {
  const rng = createRng(seed, stream);
  return Array.from({ length: count }, () => rng.next());
};

describe("random streams", () => {
  test("give the same numbers for the same seed and name", () => {
    expect(draws("7", "faults")).toEqual(draws("7", "faults"));
  });

  test("differ by seed and by name", () => {
    expect(draws("7", "faults")).not.toEqual(draws("8", "faults"));
    expect(draws("7", "faults")).not.toEqual(draws("7", "latency"));
    expect(draws("1", "1x")).not.toEqual(draws("11", "x"));
  });

  test("continue where they were when code gets them again by name", () => {
    const stream = rngStreams("7");
    const first = stream("names").next();
    expect(stream("names").next()).not.toBe(first);
  });

  test("are spread evenly", () => {
    const rng = createRng("42", "spread");
    const buckets = Array.from({ length: 10 }, () => 0);
    for (let draw = 0; draw < 100_000; draw++) buckets[rng.below(10)] = (buckets[rng.below(10)] ?? 0) + 1;
    for (const count of buckets) expect(Math.abs(count - 10_000)).toBeLessThan(600);
  });

  test("stay inside their limits for every seed", () => {
    fc.assert(
      fc.property(fc.string(), fc.integer({ min: 1, max: 1e9 }), (seed, limit) => {
        const rng = createRng(seed, "p");
        const value = rng.below(limit);
        expect(value).toBeGreaterThanOrEqual(0);
        expect(value).toBeLessThan(limit);
        expect(Number.isInteger(value)).toBe(true);
      }),
    );
  });

  test("shuffle keeps every item", () => {
    fc.assert(
      fc.property(fc.array(fc.integer()), fc.string(), (items, seed) => {
        const shuffled = createRng(seed, "s").shuffle(items);
        expect([...shuffled].sort((a, b) => a - b)).toEqual([...items].sort((a, b) => a - b));
      }),
    );
  });

  test.each([0, -1, 1.5, Number.NaN])("refuse a limit of %s", (limit) => {
    expect(() => createRng("1", "x").below(limit)).toThrow("needs a whole number above 0");
  });

  test("refuse to pick from an empty list", () => {
    expect(() => createRng("1", "x").pick([])).toThrow("at least one item");
  });
});

describe("ids", () => {
  test("are version 4 UUIDs", () => {
    const rng = createRng("1", "uuid");
    const ids = Array.from({ length: 1000 }, () => uuidFrom(rng));
    for (const id of ids)
      expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(new Set(ids).size).toBe(1000);
  });

  test("end generated names without vowels and look-alikes", () => {
    const rng = createRng("1", "names");
    for (let draw = 0; draw < 200; draw++)
      expect(nameSuffix(rng)).toMatch(/^[bcdfghjklmnpqrstvwxz2456789]{5}$/);
  });
});
