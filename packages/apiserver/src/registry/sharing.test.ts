import { deepCopy, deepEqual, deepFreeze } from "@capstan/api";
import fc from "fast-check";
import { expect, test } from "vitest";
import { sharing } from "./sharing.ts";

const old = deepFreeze({
  list: [{ name: "a" }, { name: "b", deep: { c: [1] } }, "text"],
  map: { x: { y: null } },
});

test("an equal value is replaced by the old one", () => {
  expect(sharing(deepCopy(old), old)).toBe(old);
  expect(sharing({ map: { x: { y: null } }, list: deepCopy(old.list) }, old)).toBe(old);
  expect(sharing(deepFreeze(deepCopy(old)), old)).toBe(old);
});

test("unchanged parts beside changed ones are those of the old value", () => {
  const value = deepCopy<{ list: unknown[]; map: object }>(old);
  value.list[0] = { name: "z" };
  value.list.push({ name: "new" });
  const shared = sharing(value, old) as typeof value;
  expect(shared).toBe(value);
  expect(shared.list).toEqual([{ name: "z" }, { name: "b", deep: { c: [1] } }, "text", { name: "new" }]);
  expect(shared.list[1]).toBe(old.list[1]);
  expect(shared.map).toBe(old.map);
});

test("moved items are found again", () => {
  const before = deepFreeze(Array.from({ length: 100 }, (_, id) => ({ id })));
  const places = [-1, ...range(10, 50), -1, ...range(51, 100), -1];
  const shared = sharing(
    places.map((id) => ({ id })),
    before,
  ) as { id: number }[];
  expect(shared.map((item) => before.indexOf(item))).toEqual(places);
});

test("lists without common items are left unchanged", () => {
  const before = deepFreeze(range(0, 1000).map((id) => ({ id })));
  const value = range(1000, 2000).map((id) => ({ id }));
  expect(sharing(value, before)).toEqual(range(1000, 2000).map((id) => ({ id })));
});

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, index) => from + index);
}

test("stored parts at another position stay as they are", () => {
  const value = { list: [old.list[1], old.list[0]], map: { x: {} } };
  expect(sharing(value, old)).toEqual({ list: [old.list[1], old.list[0]], map: { x: {} } });
});

test("a value has the same meaning afterwards", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (value, before) => {
      const shared = sharing(deepCopy(value), deepFreeze(deepCopy(before)));
      expect(deepEqual(shared, value)).toBe(true);
    }),
  );
});
