import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { SortedMap } from "./sorted-map.ts";

const key = fc.integer({ min: 0, max: 2000 }).map((number) => `k${number}`);
const change = fc.record({ key, remove: fc.boolean() });

describe("SortedMap", () => {
  test("closes gaps where a whole chunk of keys is deleted", () => {
    const keys = Array.from({ length: 3000 }, (_, index) => String(index).padStart(5, "0"));
    const map = new SortedMap<string>();
    for (const name of keys) map.set(name, name);
    const [gone, left] = [keys.slice(500, 2500), [...keys.slice(0, 500), ...keys.slice(2500)]];
    for (const name of gone) map.delete(name);
    expect([...map.range("", "\uffff")].map(([name]) => name)).toEqual(left);
    for (const name of left) expect(map.get(name)).toBe(name);
    expect(map.countRange("00400", "02600")).toBe(200);
  });

  test("contains the same as a Map, in the order of the keys, after any changes", () => {
    fc.assert(
      fc.property(fc.array(change, { maxLength: 3000, size: "max" }), key, key, (changes, from, below) => {
        const map = new SortedMap<number>();
        const model = new Map<string, number>();
        for (const [index, { key: name, remove }] of changes.entries()) {
          if (remove) map.delete(name);
          else map.set(name, index);
          if (remove) model.delete(name);
          else model.set(name, index);
        }
        const sorted = [...model].sort(([a], [b]) => (a < b ? -1 : 1));
        const inRange = sorted.filter(([name]) => name >= from && name < below);
        expect([...map.range("", "\uffff")]).toEqual(sorted);
        expect([...map.range(from, below)]).toEqual(inRange);
        if (from <= below) expect(map.countRange(from, below)).toBe(inRange.length);
        expect(map.size).toBe(model.size);
        expect(map.get(from)).toBe(model.get(from));
      }),
      { numRuns: 30 },
    );
  });
});
