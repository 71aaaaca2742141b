import fc from "fast-check";
import { expect, test } from "vitest";
import { deepCopy, deepCopyWithin, deepFreeze, NestingError } from "./deep-copy.ts";

test("copies any JSON value so that it prints the same", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(JSON.stringify(deepCopy(value))).toBe(JSON.stringify(value));
    }),
  );
});

test("shares nothing with the original", () => {
  const original = { list: [{ name: "a" }], map: { key: { deep: 1 } } };
  const copy = deepCopy(original);
  copy.list[0] = { name: "changed" };
  copy.map.key.deep = 2;
  expect(original).toEqual({ list: [{ name: "a" }], map: { key: { deep: 1 } } });
});

test("omits undefined fields, as JSON does", () => {
  expect(Object.keys(deepCopy({ here: null, gone: undefined }))).toEqual(["here"]);
});

test("keeps a __proto__ key as plain data", () => {
  const hostile = JSON.parse('{"__proto__": {"admin": true}, "a": {"__proto__": 1}}') as { admin?: boolean };
  const copy = deepCopy(hostile);
  expect(copy.admin).toBeUndefined();
  expect(Object.getPrototypeOf(copy)).toBe(Object.prototype);
  expect(JSON.stringify(copy)).toBe(JSON.stringify(hostile));
  expect(({} as { admin?: boolean }).admin).toBeUndefined();
});

test("returns a mutable copy of a frozen value", () => {
  const copy = deepCopy<{ labels: { a: string } }>(deepFreeze({ labels: { a: "1" } }));
  copy.labels.a = "2";
  expect(copy).toEqual({ labels: { a: "2" } });
});

test("copies values up to the maximum depth", () => {
  expect(deepCopyWithin({ list: [{ name: "a" }] }, 3)).toEqual({ list: [{ name: "a" }] });
  expect(() => deepCopyWithin({ list: [{}] }, 2)).toThrow(NestingError);
  expect(() => deepCopyWithin([[[]]], 2)).toThrow(NestingError);
  expect(deepCopyWithin("text", 0)).toBe("text");
});

test("freezes every level", () => {
  const frozen = deepFreeze({ list: [{ name: "a" }], map: { key: { deep: 1 } } });
  expect(() => Object.assign(frozen.map.key, { deep: 2 })).toThrow(TypeError);
  expect(() => Object.assign(frozen.list[0] ?? {}, { name: "b" })).toThrow(TypeError);
  expect(Object.isFrozen(frozen.list)).toBe(true);
});

test("freezes everything below an object that is frozen already", () => {
  const frozen = deepFreeze(Object.freeze({ inner: { a: 1 } }));
  expect(Object.isFrozen(frozen.inner)).toBe(true);
});
