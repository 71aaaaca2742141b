import { describe, expect, test, vi } from "vitest";
import { compileSchema } from "../schema/node.ts";
import { metadataType } from "./built-in-types.ts";
import { ConflictError, applyConflict } from "./conflicts.ts";
import { EMPTY } from "./field-set.ts";
import { type Managers, readManagers, writeManagers } from "./managers.ts";
import { mergeTypeOf } from "./merge-type.ts";
import { applyConfiguration, captureUpdate, type Ownership } from "./ownership.ts";
import { typeProblem } from "./type-check.ts";

const text = { type: "string" };
const keyed = {
  type: "array",
  items: { type: "object", properties: { name: text, v: text } },
  "x-kubernetes-list-type": "map",
  "x-kubernetes-list-map-keys": ["name"],
};
const type = mergeTypeOf(
  compileSchema({
    type: "object",
    properties: {
      keyed,
      set: { type: "array", items: text, "x-kubernetes-list-type": "set" },
      plain: { type: "array", items: text },
      map: { type: "object", additionalProperties: text },
      free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
    },
  }),
  metadataType(),
);
const ownership: Ownership = {
  typeOf: () => type,
  convert: (object) => object,
  reset: EMPTY,
  now: "2026-01-01T00:00:00Z",
};

type Fields = Record<string, unknown>;

const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index);
const names = (count: number): string[] => numbers(count).map((index) => `n${index}`);
const nested = (depth: number): Fields => (depth === 0 ? { end: "x" } : { a: nested(depth - 1) });

/** Live objects and configurations of a size, each a way to make an apply expensive. */
const SHAPES: Readonly<Record<string, (size: number) => { live: Fields; config: Fields }>> = {
  "a list with keys, in the other order": (size) => {
    const items = names(size).map((name) => ({ name, v: "1" }));
    return { live: { keyed: items }, config: { keyed: items.toReversed() } };
  },
  "a list with keys, every second item shared": (size) => ({
    live: { keyed: names(size).map((name) => ({ name, v: "1" })) },
    config: { keyed: numbers(size).map((index) => ({ name: `n${2 * index}`, v: "2" })) },
  }),
  "a live list with one key many times": (size) => ({
    live: { keyed: numbers(size).map((index) => ({ name: "same", v: String(index) })) },
    config: { keyed: [{ name: "same", v: "x" }] },
  }),
  "a set, in the other order": (size) => ({
    live: { set: names(size) },
    config: { set: names(size).toReversed() },
  }),
  "a plain list": (size) => ({ live: { plain: names(size) }, config: { plain: names(size + 1) } }),
  "a map with other values": (size) => ({
    live: { map: Object.fromEntries(names(size).map((name) => [name, "1"])) },
    config: { map: Object.fromEntries(names(size).map((name) => [name, "2"])) },
  }),
  "maps in maps": (size) => ({
    live: { free: nested(Math.min(size, 500)) },
    config: { free: { ...nested(Math.min(size, 500)), b: "x" } },
  }),
};

/** Counts how often a function reads a field or the names of an object. */
function readsOf(given: readonly Fields[], run: (counted: Fields[]) => void): number {
  let reads = 0;
  const wrapped = new WeakMap<object, object>();
  const wrap = (value: unknown): unknown => {
    if (typeof value !== "object" || value === null) return value;
    const known = wrapped.get(value);
    if (known) return known;
    const proxy = new Proxy(value, {
      get: (target, name, receiver) => {
        reads++;
        return wrap(Reflect.get(target, name, receiver));
      },
      ownKeys: (target) => {
        reads += Reflect.ownKeys(target).length;
        return Reflect.ownKeys(target);
      },
    });
    wrapped.set(value, proxy);
    return proxy;
  };
  run(given.map((one) => wrap(one) as Fields));
  return reads;
}

/** Everything that a request does: an updater makes the object, one manager applies, another one changes all of it. */
function writeAndApply([live = {}, config = {}]: readonly Fields[]): void {
  const at = { apiVersion: "v1", subresource: "" };
  const writer = { name: "u", operation: "Update" as const, ...at };
  const managers = captureUpdate(ownership, type, { before: {}, after: live, managers: new Map(), writer });
  typeProblem(type, config);
  const apply = (name: string, on: { object: Readonly<Fields>; managers: Managers }, force: boolean) =>
    applyConfiguration(ownership, type, {
      live: on.object,
      config,
      managers: on.managers,
      writer: { name, operation: "Apply", ...at },
      force,
    });
  try {
    apply("m", { object: live, managers }, false);
  } catch (error) {
    if (!(error instanceof ConflictError)) throw error;
    applyConflict(error.conflicts);
  }
  const first = apply("m", { object: live, managers }, true);
  const second = apply("n", { object: first.object, managers: first.managers }, true);
  readManagers(writeManagers(second.managers));
}

describe("the work of an apply grows with the size of the object and not faster", () => {
  test.each(Object.entries(SHAPES))("%s", (_, shape) => {
    const reads = (size: number): number => {
      const { live, config } = shape(size);
      return readsOf([live, config], writeAndApply);
    };
    const [small, large] = [reads(200), reads(1600)];
    expect(large, `${small} reads for 200, ${large} for 1600`).toBeLessThan(12 * small);
  });

  test("many managers of one map", () => {
    const state = (count: number): { live: Fields; managers: Managers } => {
      const entries = names(count).map((name) => ({
        manager: name,
        operation: "Apply",
        apiVersion: "v1",
        fieldsType: "FieldsV1",
        fieldsV1: { "f:map": { [`f:${name}`]: {} } },
      }));
      return {
        live: { map: Object.fromEntries(names(count).map((name) => [name, "1"])) },
        managers: readManagers(entries) ?? new Map(),
      };
    };
    const copies = (count: number): number => {
      const { live, managers } = state(count);
      const writer = { name: "n0", operation: "Apply" as const, apiVersion: "v1", subresource: "" };
      return countedEntries(() => {
        applyConfiguration(ownership, type, {
          live,
          config: { map: { n0: "2" } },
          managers,
          writer,
          force: false,
        });
      });
    };
    const [small, large] = [copies(200), copies(1600)];
    expect(large, `${small} entries for 200, ${large} for 1600`).toBeLessThan(12 * small);
  });
});

/** Counts the entries that are put into maps meanwhile, which is what sets of paths are made of. */
function countedEntries(run: () => void): number {
  const spy = vi.spyOn(Map.prototype, "set");
  try {
    run();
    return spy.mock.calls.length;
  } finally {
    spy.mockRestore();
  }
}
