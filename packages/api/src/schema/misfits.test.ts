import { describe, expect, test } from "vitest";
import { deepFreeze } from "../values/deep-copy.ts";
import { misfits } from "./misfits.ts";
import {
  anyObject,
  anyValue,
  boolean,
  integer,
  intOrPercent,
  listOf,
  mapOf,
  object,
  oneOf,
  optional,
  string,
} from "./schema.ts";

const schema = object("A thing.", {
  name: string("Its name."),
  size: optional(integer("Its size.")),
  share: optional(intOrPercent("Its share.")),
  color: optional(oneOf("Its color.", ["red", "blue"])),
  on: optional(boolean("Whether it is on.")),
  maybe: optional(string("Null is fine.", { nullable: true })),
  list: optional(listOf("Parts.", object("A part.", { id: string("Its id.") }))),
  labels: optional(mapOf("Labels.", string("A value."))),
  open: optional(anyObject("Anything in it.")),
  any: optional(anyValue("Anything.")),
});

test.each([
  { name: "a" },
  { name: "", size: 1, share: "25%", color: "red", on: false, maybe: null, list: [], labels: {} },
  { name: "a", list: [{ id: "1" }, { id: "2", more: 1 }], labels: { "a/b": "c" }, share: 3 },
  { name: "a", open: { x: [null] }, any: null, unknown: {} },
  { name: "a", size: undefined },
])("%j fits", (value) => {
  expect([...misfits(schema, value)]).toEqual([]);
});

describe("a frozen value", () => {
  const wrapped = (size: unknown): unknown =>
    deepFreeze({ name: "a", list: [{ id: "1" }], labels: {}, size });

  test("has the same result on every call", () => {
    const [fine, odd] = [wrapped(1), wrapped("1")];
    for (const _ of [1, 2, 3]) {
      expect([...misfits(schema, fine)]).toEqual([]);
      expect([...misfits(schema, odd)].map(({ field }) => field)).toEqual(["size"]);
    }
  });

  test("that fits one schema is checked against another", () => {
    const value = wrapped(1);
    const other = object("Another thing.", {
      list: listOf("Parts.", object("A part.", { key: string("A key.") })),
    });
    for (const _ of [1, 2]) {
      expect([...misfits(schema, value)]).toEqual([]);
      expect([...misfits(other, value)].map(({ field }) => field)).toEqual(["list[0].key"]);
    }
  });

  test("is checked correctly inside of a mutable one", () => {
    const list = deepFreeze([{ id: "1" }]);
    const value = { name: "a", list, size: 1 as unknown };
    expect([...misfits(schema, value)]).toEqual([]);
    value.size = "1";
    expect([...misfits(schema, value)].map(({ field }) => field)).toEqual(["size"]);
  });
});

test("a list of texts contains nothing else", () => {
  const words = object("Words.", {
    any: listOf("Any.", string("A word.")),
    some: listOf("Some.", oneOf("A word.", ["a"])),
  });
  const fields = [...misfits(words, { any: ["a", 1, "b", null], some: ["a", "b"] })].map(
    ({ field }) => field,
  );
  expect(fields).toEqual(["any[1]", "any[3]", "some[1]"]);
});

describe("a value does not fit", () => {
  test.each([
    [null, "", null, "must be an object"],
    [[], "", [], "must be an object"],
    [{}, "name", undefined, "must be a string"],
    [{ name: null }, "name", null, "must be a string"],
    [{ name: "a", size: 1.5 }, "size", 1.5, "must be a whole number"],
    [{ name: "a", size: "1" }, "size", "1", "must be a whole number"],
    [{ name: "a", share: true }, "share", true, "must be a whole number or a string"],
    [{ name: "a", color: "green" }, "color", "green", "must be one of red, blue"],
    [{ name: "a", color: {} }, "color", {}, "must be a string"],
    [{ name: "a", on: "true" }, "on", "true", "must be true or false"],
    [{ name: "a", list: {} }, "list", {}, "must be a list"],
    [{ name: "a", list: [{ id: "1" }, {}] }, "list[1].id", undefined, "must be a string"],
    [{ name: "a", labels: { "a/b": 1 } }, "labels[a/b]", 1, "must be a string"],
    [{ name: "a", open: "text" }, "open", "text", "must be an object"],
    [{ name: "a", toString: 1, list: [null] }, "list[0]", null, "must be an object"],
  ])("%j", (value, field, found, expected) => {
    expect([...misfits(schema, value)]).toEqual([{ field, value: found, expected }]);
  });

  test("in every place at once", () => {
    const fields = [...misfits(schema, { size: "1", list: [1, {}] }, "spec")].map(({ field }) => field);
    expect(fields).toEqual(["spec.name", "spec.size", "spec.list[0]", "spec.list[1].id"]);
  });
});
