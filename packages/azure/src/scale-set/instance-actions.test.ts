import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { SCALE_SET } from "../azure.fixture.ts";
import { batchesOf, instanceActions } from "./instance-actions.ts";

describe("batches", () => {
  test("contain every instance once, in order, up to the size", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(500).map(String)), fc.integer({ min: 1, max: 50 }), (ids, size) => {
        const batches = batchesOf(ids, size);
        expect(batches.flat()).toEqual([...new Set(ids)]);
        expect(batches.every((batch) => batch.length > 0 && batch.length <= size)).toBe(true);
        expect(batches.slice(0, -1).every((batch) => batch.length === size)).toBe(true);
      }),
    );
  });

  test.each([0, -1, 1.5, NaN])("refuse a size of %s", (size) => {
    expect(() => batchesOf(["1"], size)).toThrow(/at least 1/);
  });

  test("make one action each", () => {
    const ids = Array.from({ length: 250 }, (_, index) => String(index));
    const actions = instanceActions(SCALE_SET, "manualupgrade", ids);
    expect(actions.map(({ action, instanceIDs }) => [action, instanceIDs.length])).toEqual([
      ["manualupgrade", 100],
      ["manualupgrade", 100],
      ["manualupgrade", 50],
    ]);
    expect(instanceActions(SCALE_SET, "delete", [])).toEqual([]);
  });
});
