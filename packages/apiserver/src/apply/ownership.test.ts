import { deepFreeze } from "@capstan/api";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compileSchema } from "../schema/node.ts";
import { metadataType } from "./built-in-types.ts";
import { compare } from "./compare.ts";
import { ConflictError } from "./conflicts.ts";
import { difference, EMPTY, type FieldSet, isEmptySet, pathSet } from "./field-set.ts";
import { fieldSetOf } from "./field-set-of.ts";
import { type Managers, type Writer, writeManagers } from "./managers.ts";
import { merge } from "./merge.ts";
import { mergeTypeOf } from "./merge-type.ts";
import { applyConfiguration, captureUpdate, type Ownership } from "./ownership.ts";

const text = { type: "string" };
const item = { type: "object", properties: { name: text, v: text, tags: { type: "array", items: text } } };
const type = mergeTypeOf(
  compileSchema({
    type: "object",
    properties: {
      spec: {
        type: "object",
        properties: {
          size: { type: "integer" },
          note: text,
          items: {
            type: "array",
            items: item,
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["name"],
          },
          set: { type: "array", items: text, "x-kubernetes-list-type": "set" },
          plain: { type: "array", items: text },
          map: { type: "object", additionalProperties: text },
          whole: { type: "object", properties: { a: text, b: text }, "x-kubernetes-map-type": "atomic" },
          free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
        },
      },
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

const word = fc.constantFrom("a", "b", "c");
const optional = { requiredKeys: [] as never[] };
// As in kube-apiserver, an empty list with keys has no owner: it goes with its last item and comes with the next apply.
const spec = fc.record(
  {
    size: fc.nat(3),
    note: word,
    items: fc.uniqueArray(
      fc.record({ name: word, v: word, tags: fc.array(word, { maxLength: 2 }) }, { requiredKeys: ["name"] }),
      { selector: ({ name }) => name, minLength: 1, maxLength: 3 },
    ),
    set: fc.uniqueArray(word, { minLength: 1, maxLength: 3 }),
    plain: fc.array(word, { maxLength: 2 }),
    map: fc.dictionary(word, word, { maxKeys: 2 }),
    whole: fc.record({ a: word, b: word }, optional),
    free: fc.dictionary(word, fc.oneof(word, fc.dictionary(word, word, { maxKeys: 2 })), { maxKeys: 2 }),
  },
  optional,
);
const object: fc.Arbitrary<Fields> = spec.map((fields) => ({
  apiVersion: "v1",
  ...(Object.keys(fields).length > 0 && { spec: fields }),
}));

const applier = (name: string): Writer => ({ name, operation: "Apply", apiVersion: "v1", subresource: "" });
const updater = (name: string): Writer => ({ name, operation: "Update", apiVersion: "v1", subresource: "" });

interface State {
  readonly object: Readonly<Fields>;
  readonly managers: Managers;
}

const NOTHING: State = { object: { apiVersion: "v1" }, managers: new Map() };

function applied({ object: live, managers }: State, name: string, config: Fields, force = true): State {
  const result = applyConfiguration(ownership, type, {
    live: deepFreeze(live),
    config: deepFreeze(config),
    managers,
    writer: applier(name),
    force,
  });
  return { object: result.object, managers: result.managers };
}

function updated({ object: before, managers }: State, name: string, after: Fields): State {
  const writer = updater(name);
  return { object: after, managers: captureUpdate(ownership, type, { before, after, managers, writer }) };
}

/** A write of one of several managers. */
const write = fc.record({ name: fc.constantFrom("m", "n", "o"), isApply: fc.boolean(), object });
const story = fc.array(write, { minLength: 1, maxLength: 6 });

function played(writes: readonly { name: string; isApply: boolean; object: Fields }[]): State {
  return writes.reduce<State>(
    (state, { name, isApply, object: sent }) => (isApply ? applied : updated)(state, name, sent),
    NOTHING,
  );
}

describe("comparing", () => {
  test("finds nothing between equal objects, and something between others", () => {
    fc.assert(
      fc.property(object, object, (a, b) => {
        const isSame = (x: Fields, y: Fields): boolean =>
          Object.values(compare(type, x, y) as unknown as Record<string, FieldSet>).every(isEmptySet);
        expect(isSame(a, structuredClone(a))).toBe(true);
        if (isSame(a, b)) expect(sortedLists(a)).toEqual(sortedLists(b));
      }),
      { numRuns: 300 },
    );
  });
});

describe("merging", () => {
  test("gives every applied value, and again changes nothing", () => {
    fc.assert(
      fc.property(object, object, (live, config) => {
        const merged = merge(type, deepFreeze(live), deepFreeze(config));
        const { added, modified } = compare(type, merged, config);
        expect(isEmptySet(added) && isEmptySet(modified)).toBe(true);
        expect(merge(type, merged, config)).toBe(merged);
      }),
      { numRuns: 500 },
    );
  });
});

describe("after any writes of several managers", () => {
  test("an apply of the same configuration changes neither the object nor its managers", () => {
    fc.assert(
      fc.property(story, object, (writes, config) => {
        const once = applied(played(writes), "m", config);
        const twice = applied(once, "m", config);
        expect(twice.object).toEqual(once.object);
        expect(twice.managers).toEqual(once.managers);
      }),
      { numRuns: 500 },
    );
  });

  test("an applier owns exactly what it applied last", () => {
    fc.assert(
      fc.property(story, object, (writes, config) => {
        const { managers } = applied(played(writes), "m", config);
        const own = [...managers.values()].find(
          ({ name, operation }) => name === "m" && operation === "Apply",
        );
        const wanted = difference(fieldSetOf(type, config), pathSet("f:apiVersion"));
        const set = own?.set ?? EMPTY;
        expect([difference(set, wanted), difference(wanted, set)].every(isEmptySet)).toBe(true);
      }),
    );
  });

  test("an apply without force changes no field of another manager", () => {
    fc.assert(
      fc.property(story, object, (writes, config) => {
        const before = played(writes);
        try {
          const after = applied(before, "new", config, false);
          const { modified } = compare(type, before.object, after.object);
          for (const { set } of before.managers.values())
            expect(difference(set, difference(set, modified))).toEqual(EMPTY);
        } catch (error) {
          expect(error).toBeInstanceOf(ConflictError);
        }
      }),
      { numRuns: 500 },
    );
  });

  test("an object that all its appliers leave is empty", () => {
    fc.assert(
      fc.property(
        fc.array(
          write.map((one) => ({ ...one, isApply: true })),
          { maxLength: 6 },
        ),
        (writes) => {
          const end = ["m", "n", "o"].reduce((state, name) => applied(state, name, {}), played(writes));
          expect(end.object).toEqual({ apiVersion: "v1" });
          expect(writeManagers(end.managers)).toBeUndefined();
        },
      ),
      { numRuns: 300 },
    );
  });
});

/** The order of items in sets and lists with keys is not a difference. */
function sortedLists(value: unknown): unknown {
  if (Array.isArray(value))
    return value.map(sortedLists).sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, sortedLists(field)]));
}
