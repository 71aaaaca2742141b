import type { Frozen } from "@capstan/api";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type TestObject, testObject } from "../test-server.fixture.ts";
import { IndexedStore, keyOf } from "./store.ts";

const fail = (error: unknown): never => {
  throw error;
};

const cargoOf = ({ spec }: Frozen<TestObject>): string[] => (spec?.["cargo"] as string[] | undefined) ?? [];
const carrying = (name: string, ...cargo: string[]): TestObject => testObject(name, { spec: { cargo } });

describe("keys", () => {
  test("are namespace and name, or the name alone for objects of the cluster", () => {
    expect(keyOf({ metadata: { name: "a", namespace: "north" } })).toBe("north/a");
    expect(keyOf({ metadata: { name: "a" } })).toBe("a");
  });
});

describe("a store with indexes", () => {
  test("finds objects under each of their values, and under none they have lost", () => {
    const store = new IndexedStore<TestObject>(fail);
    store.addIndex("cargo", cargoOf);
    store.put("a", carrying("a", "tea", "rum"));
    store.put("b", carrying("b", "rum"));
    const names = (value: string): string[] =>
      store.byIndex("cargo", value).map(({ metadata }) => metadata.name);
    expect([names("tea"), names("rum"), names("salt")]).toEqual([["a"], ["a", "b"], []]);
    store.put("a", carrying("a", "salt"));
    expect([names("tea"), names("rum"), names("salt")]).toEqual([[], ["b"], ["a"]]);
    expect(store.delete("b")).toBeDefined();
    expect(names("rum")).toEqual([]);
    expect(store.delete("b")).toBeUndefined();
  });

  test("indexes existing objects when an index is added", () => {
    const store = new IndexedStore<TestObject>(fail);
    store.put("a", carrying("a", "tea"));
    store.addIndex("cargo", cargoOf);
    expect(store.byIndex("cargo", "tea")).toHaveLength(1);
  });

  test("keeps the first function when two controllers add an index of one name", () => {
    const store = new IndexedStore<TestObject>(fail);
    store.addIndex("cargo", cargoOf);
    store.put("a", carrying("a", "tea"));
    store.addIndex("cargo", () => ["everything"]);
    expect(store.byIndex("cargo", "tea")).toHaveLength(1);
  });

  test("names the indexes it has when asked for another", () => {
    const store = new IndexedStore<TestObject>(fail);
    store.addIndex("cargo", cargoOf);
    expect(() => store.byIndex("crew", "x")).toThrow('no index "crew"; the store has cargo');
  });

  test("keeps an index entry up to date for its holder", () => {
    const store = new IndexedStore<TestObject>(fail);
    store.addIndex("cargo", cargoOf);
    store.put("a", carrying("a", "tea"));
    const found = store.found("cargo", "tea");
    const first = found?.list;
    expect(found?.list).toBe(first);
    store.put("a", carrying("a", "tea"));
    expect(found?.list).not.toBe(first);
    expect(found?.list[0]).toBe(store.get("a"));
    store.put("b", carrying("b", "tea"));
    store.delete("a");
    expect(found?.list).toEqual([store.get("b")]);
  });

  test("ends an index entry when its last object is removed, for good", () => {
    const store = new IndexedStore<TestObject>(fail);
    store.addIndex("cargo", cargoOf);
    expect(store.found("cargo", "tea")).toBeUndefined();
    store.put("a", carrying("a", "tea"));
    const found = store.found("cargo", "tea");
    expect(found?.isOver).toBe(false);
    store.delete("a");
    store.put("a", carrying("a", "tea"));
    expect(found?.isOver).toBe(true);
    expect(store.found("cargo", "tea")?.list).toHaveLength(1);
  });

  test("returns the same as a filter over all objects, after any changes", () => {
    const cargo = fc.subarray(["tea", "rum", "salt"]);
    const step = fc.record({ key: fc.constantFrom("a", "b", "c"), cargo: fc.option(cargo) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const store = new IndexedStore<TestObject>(fail);
        store.addIndex("cargo", cargoOf);
        const plain = new Map<string, TestObject>();
        for (const change of steps) {
          if (change.cargo === null) {
            expect(store.delete(change.key)).toBe(plain.get(change.key));
            plain.delete(change.key);
          } else {
            const object = carrying(change.key, ...change.cargo);
            expect(store.put(change.key, object)).toBe(plain.get(change.key));
            plain.set(change.key, object);
          }
          expect([...store.keys()].sort()).toEqual([...plain.keys()].sort());
          for (const value of ["tea", "rum", "salt"]) {
            const desired = [...plain.values()].filter((object) => cargoOf(object).includes(value));
            expect(new Set(store.byIndex("cargo", value))).toEqual(new Set(desired));
          }
        }
      }),
    );
  });
});
