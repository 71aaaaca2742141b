import fc from "fast-check";
import { expect, test } from "vitest";
import { Heap } from "./heap.ts";

interface Item {
  readonly dueMs: number;
  readonly tiebreak: number;
}

const isBefore = (a: Item, b: Item): boolean => a.tiebreak < b.tiebreak;

test("the heap returns the item that is due first, and of those due at the same time the one that `before` prefers", () => {
  // Few distinct times, so that many are equal.
  const item = fc.record({ dueMs: fc.integer({ min: 0, max: 5 }), tiebreak: fc.integer() });
  fc.assert(
    fc.property(fc.array(fc.option(item), { maxLength: 200 }), (steps) => {
      const heap = new Heap<Item>(isBefore);
      let sorted: Item[] = [];
      for (const pushed of steps) {
        if (pushed) {
          heap.push(pushed);
          sorted = [...sorted, pushed].sort((a, b) => a.dueMs - b.dueMs || a.tiebreak - b.tiebreak);
        } else {
          expect(heap.pop()).toEqual(sorted.shift());
        }
        expect([heap.size, heap.peek()]).toEqual([sorted.length, sorted[0]]);
      }
    }),
  );
});
