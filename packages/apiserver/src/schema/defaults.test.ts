import type { PrintedSchema } from "@capstan/api";
import { describe, expect, test } from "vitest";
import { applyDefaults } from "./defaults.ts";
import { compileSchema } from "./node.ts";

const text = { type: "string" };
const object = (properties: object, rest: object = {}): PrintedSchema => ({
  type: "object",
  properties,
  ...rest,
});
const given = { ...text, default: "d" };

function defaulted(schema: PrintedSchema, value: unknown): unknown {
  applyDefaults(compileSchema(schema), value);
  return value;
}

describe("defaulting", () => {
  test.each<[string, PrintedSchema, unknown, unknown]>([
    ["sets missing fields", object({ a: given }), {}, { a: "d" }],
    ["keeps existing values", object({ a: given }), { a: "x" }, { a: "x" }],
    ["replaces a null that is not allowed", object({ a: given }), { a: null }, { a: "d" }],
    ["keeps a null that is allowed", object({ a: { ...given, nullable: true } }), { a: null }, { a: null }],
    ["does not create objects for the defaults in them", object({ o: object({ a: given }) }), {}, {}],
    ["sets defaults in existing objects", object({ o: object({ a: given }) }), { o: {} }, { o: { a: "d" } }],
    [
      "sets defaults in its own defaults",
      object({ o: object({ a: given }, { default: {} }) }),
      {},
      { o: { a: "d" } },
    ],
    [
      "works in lists",
      { type: "array", items: object({ a: given }) },
      [{}, { a: "x" }],
      [{ a: "d" }, { a: "x" }],
    ],
    [
      "works in maps",
      { type: "object", additionalProperties: object({ a: given }) },
      { k: {} },
      { k: { a: "d" } },
    ],
    [
      "replaces nulls by the default of items and entries",
      { type: "array", items: { ...text, default: "d" } },
      [null],
      ["d"],
    ],
    [
      "keeps false, 0 and an empty text",
      object({ a: { type: "boolean", default: true }, n: { type: "integer", default: 1 }, t: given }),
      { a: false, n: 0, t: "" },
      { a: false, n: 0, t: "" },
    ],
  ])("%s", (_, schema, value, expected) => {
    expect(defaulted(schema, value)).toEqual(expected);
  });

  test("gives every object its own copy", () => {
    const schema = compileSchema(object({ list: { type: "array", items: text, default: ["a"] } }));
    const [first, second] = [{}, {}] as { list?: string[] }[];
    applyDefaults(schema, first);
    first?.list?.push("b");
    applyDefaults(schema, second);
    expect(second).toEqual({ list: ["a"] });
  });
});
