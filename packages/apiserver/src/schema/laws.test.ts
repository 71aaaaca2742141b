import { deepCopy } from "@capstan/api";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { applyDefaults } from "./defaults.ts";
import { compileSchema } from "./node.ts";
import { prune } from "./prune.ts";
import { validate } from "./validate.ts";

type Json = Readonly<Record<string, unknown>>;

/** A schema, and values that fit it except for unknown fields. */
interface Sample {
  readonly schema: Json;
  readonly value: fc.Arbitrary<unknown>;
}

const leaf: fc.Arbitrary<Sample> = fc.constantFrom<Sample>(
  { schema: { type: "string", maxLength: 5, default: "d" }, value: fc.string({ maxLength: 2 }) },
  { schema: { type: "string", nullable: true }, value: fc.option(fc.string()) },
  { schema: { type: "string", enum: ["a", "b"], default: "a" }, value: fc.constantFrom("a", "b") },
  { schema: { type: "integer", minimum: 0, maximum: 9 }, value: fc.integer({ min: 0, max: 9 }) },
  { schema: { type: "boolean", default: true }, value: fc.boolean() },
  { schema: { "x-kubernetes-int-or-string": true }, value: fc.oneof(fc.nat(), fc.string()) },
  { schema: { "x-kubernetes-preserve-unknown-fields": true }, value: fc.jsonValue() },
);

const NAMES = ["a", "b", "c", "__proto__", "constructor"];
const unknownFields = fc.dictionary(fc.constantFrom("x", "y", "toString"), fc.jsonValue(), { maxKeys: 2 });

function objectOf(fields: readonly (readonly [string, Sample])[], isOpen: boolean): Sample {
  const known = fields.map(([name, { value }]) =>
    fc.option(value, { nil: undefined }).map((field) => [name, field] as const),
  );
  return {
    schema: {
      type: "object",
      properties: Object.fromEntries(fields.map(([name, { schema }]) => [name, schema])),
      ...(isOpen && { "x-kubernetes-preserve-unknown-fields": true }),
    },
    value: fc
      .tuple(unknownFields, ...known)
      .map(([unknown, ...entries]) =>
        Object.fromEntries([
          ...Object.entries(unknown),
          ...entries.filter(([, field]) => field !== undefined),
        ]),
      ),
  };
}

const { object } = fc.letrec<{ any: Sample; object: Sample }>((tie) => ({
  any: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    leaf,
    tie("any").map(({ schema, value }) => ({
      schema: { type: "array", items: schema },
      value: fc.array(value, { maxLength: 3 }),
    })),
    tie("any").map(({ schema, value }) => ({
      schema: { type: "object", additionalProperties: schema },
      value: fc.dictionary(fc.constantFrom(...NAMES), value, { maxKeys: 3 }),
    })),
    tie("object"),
  ),
  object: fc
    .tuple(
      fc.uniqueArray(fc.tuple(fc.constantFrom(...NAMES), tie("any")), {
        selector: ([name]) => name,
        maxLength: 4,
      }),
      fc.boolean(),
    )
    .map(([fields, isOpen]) => objectOf(fields, isOpen)),
}));

const samples = object.chain(({ schema, value }) => value.map((one) => ({ schema, value: one as Json })));

describe("for any schema and any value that fits it", () => {
  test("pruning and defaulting a second time change nothing, and the result is valid", () => {
    fc.assert(
      fc.property(samples, ({ schema, value }) => {
        const node = compileSchema(schema);
        const once = deepCopy<Record<string, unknown>>(value);
        prune(node, once);
        applyDefaults(node, once);
        const twice = deepCopy<Record<string, unknown>>(once);
        expect(prune(node, twice)).toEqual([]);
        applyDefaults(node, twice);
        expect(twice).toEqual(once);
        expect(validate(node, once)).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  test("what is pruned was reported, or was a null", () => {
    fc.assert(
      fc.property(samples, ({ schema, value }) => {
        const copy = deepCopy<Record<string, unknown>>(value);
        const dropped = prune(compileSchema(schema), copy);
        if (dropped.length === 0 && !JSON.stringify(value).includes("null")) expect(copy).toEqual(value);
        expect(new Set(dropped).size).toBe(dropped.length);
      }),
      { numRuns: 300 },
    );
  });

  test("an object is valid as an update of itself, for every schema", () => {
    fc.assert(
      fc.property(samples, fc.jsonValue(), ({ schema }, value) => {
        expect(validate(compileSchema(schema), value, { old: deepCopy(value) })).toEqual([]);
      }),
      { numRuns: 200 },
    );
  });
});
