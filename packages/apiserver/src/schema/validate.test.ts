import type { PrintedSchema } from "@capstan/api";
import { describe, expect, test } from "vitest";
import { compileSchema } from "./node.ts";
import { validate } from "./validate.ts";

const text = { type: "string" };
const whole = { type: "integer" };
const object = (properties: object, rest: object = {}): PrintedSchema => ({
  type: "object",
  properties,
  ...rest,
});
const list = (items: object, rest: object = {}): PrintedSchema => ({ type: "array", items, ...rest });

/** The problems of a value under `spec.field`, as kubectl prints them. */
function problemsOf(schema: PrintedSchema, value: unknown, old?: unknown): string[] {
  const node = compileSchema(object({ spec: object({ field: schema }) }));
  const found = validate(
    node,
    { spec: { field: value } },
    old === undefined ? {} : { old: { spec: { field: old } } },
  );
  return found.map(({ field, message }) => `${field}: ${message}`);
}

// What kube-apiserver 1.35 answers; `@` stands for `spec.field in body`.
const REFUSED: [schema: PrintedSchema, value: unknown, ...problems: string[]][] = [
  [whole, "x", 'spec.field: Invalid value: "string": @ must be of type integer: "string"'],
  [whole, 1.5, 'spec.field: Invalid value: "number": @ must be of type integer: "number"'],
  [whole, 1e20, 'spec.field: Invalid value: "number": @ must be of type integer: "number"'],
  [text, 5, 'spec.field: Invalid value: "integer": @ must be of type string: "integer"'],
  [text, null, 'spec.field: Invalid value: "null": @ must be of type string: "null"'],
  [{ type: "boolean" }, "true", 'spec.field: Invalid value: "string": @ must be of type boolean: "string"'],
  [object({}), [], 'spec.field: Invalid value: "array": @ must be of type object: "array"'],
  [list(text), {}, 'spec.field: Invalid value: "object": @ must be of type array: "object"'],
  [
    { "x-kubernetes-int-or-string": true },
    true,
    'spec.field: Invalid value: "boolean": @ must be of type integer,string: "boolean"',
  ],
  [{ ...text, maxLength: 1 }, "ab", "spec.field: Too long: may not be more than 1 byte"],
  [{ ...text, maxLength: 3 }, "😀😀😀😀", "spec.field: Too long: may not be more than 3 bytes"],
  [{ ...text, minLength: 3 }, "😀😀", 'spec.field: Invalid value: "😀😀": @ should be at least 3 chars long'],
  [{ ...text, pattern: "^[a-z]+$" }, "A1", "spec.field: Invalid value: \"A1\": @ should match '^[a-z]+$'"],
  [
    { ...text, minLength: 2, pattern: "^a+$" },
    "b",
    'spec.field: Invalid value: "b": @ should be at least 2 chars long',
  ],
  [
    { ...text, enum: ["red", "green"] },
    "blue",
    'spec.field: Unsupported value: "blue": supported values: "red", "green"',
  ],
  [{ ...whole, enum: [1, 2] }, 4, 'spec.field: Unsupported value: 4: supported values: "1", "2"'],
  [
    { ...text, enum: ["a"], nullable: true },
    null,
    'spec.field: Unsupported value: null: supported values: "a"',
  ],
  [
    { "x-kubernetes-preserve-unknown-fields": true, enum: [{ b: 2 }, null] },
    7,
    'spec.field: Unsupported value: 7: supported values: "{\\"b\\":2}", "null"',
  ],
  [{ ...whole, minimum: 2 }, 1, "spec.field: Invalid value: 1: @ should be greater than or equal to 2"],
  [
    { ...whole, minimum: 2, exclusiveMinimum: true },
    2,
    "spec.field: Invalid value: 2: @ should be greater than 2",
  ],
  [{ ...whole, maximum: 5 }, 6, "spec.field: Invalid value: 6: @ should be less than or equal to 5"],
  [
    { ...whole, maximum: 5, exclusiveMaximum: true },
    5,
    "spec.field: Invalid value: 5: @ should be less than 5",
  ],
  [{ ...whole, maximum: 2.5 }, 3, "spec.field: Invalid value: 3: @ should be less than or equal to 2"],
  [
    { type: "number", maximum: 1e25 },
    1e26,
    "spec.field: Invalid value: 1e+26: @ should be less than or equal to 1e+25",
  ],
  [
    { type: "number", minimum: 0.5 },
    0.00001,
    "spec.field: Invalid value: 1e-05: @ should be greater than or equal to 0.5",
  ],
  [{ ...whole, multipleOf: 3 }, 4, "spec.field: Invalid value: 4: @ should be a multiple of 3"],
  [
    { type: "number", multipleOf: 0.1 },
    0.25,
    "spec.field: Invalid value: 0.25: @ should be a multiple of 0.1",
  ],
  [list(text, { minItems: 1 }), [], "spec.field: Invalid value: 0: @ should have at least 1 items"],
  [list(text, { maxItems: 1 }), ["a", "b"], "spec.field: Too many: 2: must have at most 1 item"],
  [
    list(list(whole)),
    [["x"]],
    'spec.field[0][0]: Invalid value: "string": spec.field[0][0] in body must be of type integer: "string"',
  ],
  [object({}, { minProperties: 1 }), {}, "spec.field: Invalid value: 0: @ should have at least 1 properties"],
  [
    object({}, { maxProperties: 2 }),
    { a: 1, b: 2, c: 3 },
    "spec.field: Too many: 3: must have at most 2 items",
  ],
  [object({ a: text }, { required: ["a"] }), {}, "spec.field.a: Required value"],
  [
    { type: "object", additionalProperties: text },
    { k: 5 },
    'spec.field.k: Invalid value: "integer": spec.field.k in body must be of type string: "integer"',
  ],
  [
    { ...text, format: "ipv4" },
    "1.2.3",
    'spec.field: Invalid value: "1.2.3": @ must be of type ipv4: "1.2.3"',
  ],
  [
    { ...text, format: "date-time" },
    5,
    'spec.field: Invalid value: "int64": @ must be of type date-time: "int64"',
  ],
  [{ ...text, format: "date" }, true, 'spec.field: Invalid value: "": @ must be of type date: ""'],
  [
    object({ a: text, b: text }, { anyOf: [{ required: ["a"] }, { required: ["b"] }] }),
    {},
    '<nil>: Invalid value: "": "spec.field" must validate at least one schema (anyOf)',
    "spec.field.a: Required value",
  ],
  [
    object({ a: text, b: text }, { oneOf: [{ required: ["a"] }, { required: ["b"] }] }),
    { a: "1", b: "2" },
    '<nil>: Invalid value: "": "spec.field" must validate one and only one schema (oneOf). Found 2 valid alternatives',
  ],
  [
    object({ a: text, b: text }, { allOf: [{ required: ["a"] }, { required: ["b"] }] }),
    { a: "1" },
    "spec.field.b: Required value",
    '<nil>: Invalid value: "": "spec.field" must validate all the schemas (allOf)',
  ],
  [
    { ...text, not: { enum: ["x"] } },
    "x",
    '<nil>: Invalid value: "": "spec.field" must not validate the schema (not)',
  ],
  // Of several schemas that do not fit, the closest one is explained.
  [
    object(
      { t: text, a: object({ n: whole }), b: text },
      {
        oneOf: [
          { properties: { t: { enum: ["A"] }, a: { properties: { n: { minimum: 5 } } } }, required: ["a"] },
          { properties: { t: { enum: ["B"] } }, required: ["b"] },
        ],
      },
    ),
    { t: "A", a: { n: 3 } },
    '<nil>: Invalid value: "": "spec.field" must validate one and only one schema (oneOf). Found none valid',
    "spec.field.a.n: Invalid value: 3: spec.field.a.n in body should be greater than or equal to 5",
  ],
];

const ACCEPTED: [schema: PrintedSchema, value: unknown][] = [
  [whole, 2 ** 60],
  [{ type: "number" }, 5],
  [{ ...text, nullable: true }, null],
  [{ ...text, maxLength: 3 }, "😀😀😀"],
  [{ ...whole, format: "int32" }, 5_000_000_000],
  [{ ...text, format: "made-up" }, "anything"],
  // A list passes for a formatted text: kube-apiserver does not check it.
  [{ ...text, format: "byte" }, [1]],
  [{ "x-kubernetes-int-or-string": true, pattern: "^[0-9]+%$" }, 5],
  [{ type: "number", multipleOf: 0.1 }, 0.3],
  [object({ a: text }), { a: "x", unknown: 1 }],
  [{ "x-kubernetes-preserve-unknown-fields": true }, { deep: [1, { x: null }] }],
];

describe("validation", () => {
  test.each(REFUSED)("of %j finds in %j what kube-apiserver finds", (schema, value, ...problems) => {
    expect(problemsOf(schema, value)).toEqual(
      problems.map((problem) => problem.replaceAll("@", "spec.field in body")),
    );
  });

  test.each(ACCEPTED)("of %j finds nothing in %j", (schema, value) => {
    expect(problemsOf(schema, value)).toEqual([]);
  });

  test("has an error of its own for a value of another type", () => {
    const [problem] = validate(compileSchema(object({ n: whole })), { n: "x" });
    expect(problem?.type).toBe("FieldValueTypeInvalid");
  });

  test("of a part of an object has the whole path in causes and its own in messages", () => {
    const status = compileSchema(object({ phase: text }, { anyOf: [{ required: ["phase"] }] }));
    expect(validate(status, { phase: 5 }, { prefix: "status" })).toEqual([
      {
        type: "FieldValueTypeInvalid",
        field: "status.phase",
        message: 'Invalid value: "integer": phase in body must be of type string: "integer"',
      },
    ]);
    expect(validate(status, {}, { prefix: "status" }).map(({ field }) => field)).toEqual([
      "status",
      "status.phase",
    ]);
  });

  test("treats names of JavaScript's own as data", () => {
    const node = compileSchema(
      JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"}}}') as PrintedSchema,
    );
    const value = JSON.parse('{"__proto__": 5, "constructor": 1}') as unknown;
    expect(validate(node, value).map(({ field }) => field)).toEqual(["__proto__"]);
    const demanding = compileSchema({ type: "object", required: ["constructor", "toString"] });
    expect(validate(demanding, {}).map(({ field }) => field)).toEqual(["constructor", "toString"]);
  });

  test("of a list with very many invalid items returns a bounded answer", () => {
    const items = Array.from({ length: 50_000 }, () => "x");
    expect(problemsOf(list(whole), items)).toHaveLength(1000);
  });

  test("shows only a part of a long value", () => {
    const [problem = ""] = problemsOf({ ...text, pattern: "^a$" }, "b".repeat(1_000_000));
    expect(problem.length).toBeLessThan(11_000);
    expect(problem).toContain("should match '^a$'");
  });
});

describe("validation of an update", () => {
  const short = { ...text, maxLength: 1 };

  test.each<[string, PrintedSchema, unknown, unknown, number]>([
    [
      "ignores an unchanged invalid value",
      object({ a: short, b: text }),
      { a: "long", b: "2" },
      { a: "long", b: "1" },
      0,
    ],
    [
      "reports a change from one invalid value to another",
      object({ a: short }),
      { a: "other" },
      { a: "long" },
      1,
    ],
    ["ignores an unchanged list as a whole", list(short), ["long"], ["long"], 0],
    ["reports an item of a list in which another item changed", list(short), ["long", "b"], ["long"], 1],
    [
      "ignores unchanged entries of maps one by one",
      { type: "object", additionalProperties: short },
      { a: "long", b: "new" },
      { a: "long" },
      1,
    ],
  ])("%s", (_, schema, value, old, count) => {
    expect(problemsOf(schema, value, old)).toHaveLength(count);
  });

  test("identifies items by their keys if the list has any", () => {
    const items = object({ name: text, value: short }, { required: ["name"] });
    const schema = list(items, { "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"] });
    const old = [{ name: "a", value: "long" }];
    expect(
      problemsOf(
        schema,
        [
          { name: "b", value: "x" },
          { name: "a", value: "long" },
        ],
        old,
      ),
    ).toEqual([]);
    expect(problemsOf(schema, [{ name: "a", value: "longer" }], old)).toHaveLength(1);
  });
});
