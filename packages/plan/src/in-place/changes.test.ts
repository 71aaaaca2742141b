import fc from "fast-check";
import { expect, test } from "vitest";
import { changedPaths } from "./changes.ts";

test.each([
  [{ size: 1 }, { size: 1 }, []],
  [{ size: 1 }, { size: 2 }, ["infraMachine.spec.size"]],
  [{}, { size: 2 }, ["infraMachine.spec.size"]],
  [{ size: 2 }, {}, ["infraMachine.spec.size"]],
  [{ image: { id: "a", name: "x" } }, { image: { id: "b", name: "x" } }, ["infraMachine.spec.image.id"]],
  [{}, { image: { id: "b" } }, ["infraMachine.spec.image.id"]],
  [{ disks: [1, 2] }, { disks: [1, 3] }, ["infraMachine.spec.disks"]],
  [{ disks: [1] }, { disks: { a: 1 } }, ["infraMachine.spec.disks"]],
  [undefined, { size: 1 }, ["infraMachine.spec.size"]],
  [{}, { empty: {} }, []],
])("from %j to %j the changes are %j", (before, after, expected) => {
  expect(changedPaths("infraMachine.spec", before, after)).toEqual(expected);
});

test("an object has no changes to itself, and as many from a as to a", () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 3 }), fc.jsonValue({ maxDepth: 3 }), (a, b) => {
      expect(changedPaths("x", a, structuredClone(a))).toEqual([]);
      expect(changedPaths("x", a, b)).toEqual(changedPaths("x", b, a));
    }),
  );
});
