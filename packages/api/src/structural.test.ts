import { describe, expect, test } from "vitest";
import { structuralProblems } from "./structural.ts";

const text = { type: "string" };

describe("a structural schema", () => {
  test.each([
    [
      "an object of scalars",
      { type: "object", properties: { a: text, b: { type: "integer", format: "int32" } }, required: ["a"] },
    ],
    ["a map", { type: "object", additionalProperties: text }],
    ["an open object without a type", { "x-kubernetes-preserve-unknown-fields": true }],
    [
      "an int-or-string",
      { "x-kubernetes-int-or-string": true, anyOf: [{ type: "integer" }, { type: "string" }] },
    ],
    ["a set of words", { type: "array", items: text, "x-kubernetes-list-type": "set" }],
    [
      "a list-map with a required key",
      {
        type: "array",
        items: { type: "object", properties: { name: text }, required: ["name"] },
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["name"],
      },
    ],
    [
      "a list-map with a defaulted key",
      {
        type: "array",
        items: { type: "object", properties: { port: { type: "integer", default: 443 } } },
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["port"],
      },
    ],
    [
      "restrictions inside a junctor",
      {
        type: "object",
        properties: { a: text },
        anyOf: [{ required: ["a"] }, { properties: { a: { minLength: 2 } } }],
      },
    ],
    [
      "a default that fits",
      {
        type: "object",
        properties: { a: { type: "array", items: text, default: ["x"] } },
        default: { a: ["y"] },
      },
    ],
    ["a null default of a nullable field", { type: "string", nullable: true, default: null }],
    [
      "a rule",
      { ...text, "x-kubernetes-validations": [{ rule: "self == oldSelf", message: "is immutable" }] },
    ],
  ])("may be %s", (_, schema) => {
    expect(structuralProblems(schema)).toEqual([]);
  });

  test.each([
    ["no schema at all", 7, "must be a schema"],
    ["no type", { properties: {} }, "type is missing"],
    ["an unknown type", { type: "null" }, 'type "null" is not allowed'],
    ["several types", { type: ["string", "null"] }, "is not allowed"],
    [
      "a type beside int-or-string",
      { "x-kubernetes-int-or-string": true, type: "string" },
      "type must be absent for int-or-string",
    ],
    [
      "int-or-string that is open",
      { "x-kubernetes-int-or-string": true, "x-kubernetes-preserve-unknown-fields": true },
      "int-or-string excludes",
    ],
    ...[
      "$ref",
      "const",
      "patternProperties",
      "definitions",
      "dependencies",
      "if",
      "uniqueItems",
      "deprecated",
      "readOnly",
      "id",
      "discriminator",
    ].map((keyword) => [keyword, { ...text, [keyword]: {} }, `${keyword} is not allowed`]),
    [
      "properties beside additionalProperties",
      { type: "object", properties: {}, additionalProperties: text },
      "exclude each other",
    ],
    ["additionalProperties false", { type: "object", additionalProperties: false }, "must not be false"],
    [
      "a required field nobody knows",
      { type: "object", properties: {}, required: ["a"] },
      "required field a is not among",
    ],
    [
      "a map type on a list",
      { type: "array", items: text, "x-kubernetes-map-type": "atomic" },
      "x-kubernetes-map-type needs type object",
    ],
    ["an unknown map type", { type: "object", "x-kubernetes-map-type": "set" }, "must be atomic or granular"],
    ["a list without items", { type: "array" }, "items is missing"],
    ["a list with several items", { type: "array", items: [text] }, "items is missing"],
    [
      "an unknown list type",
      { type: "array", items: text, "x-kubernetes-list-type": "bag" },
      "must be atomic, set or map",
    ],
    ["a list type on a text", { ...text, "x-kubernetes-list-type": "set" }, "needs type array"],
    [
      "keys without a list-map",
      { type: "array", items: text, "x-kubernetes-list-map-keys": ["a"] },
      "needs x-kubernetes-list-type map",
    ],
    [
      "a set of objects",
      { type: "array", items: { type: "object" }, "x-kubernetes-list-type": "set" },
      "must be scalar or atomic",
    ],
    [
      "a list-map without keys",
      { type: "array", items: { type: "object" }, "x-kubernetes-list-type": "map" },
      "x-kubernetes-list-map-keys is missing",
    ],
    ["a list-map of texts", listMap(text), "items of a list-map must be objects"],
    [
      "a list-map with an unknown key",
      listMap({ type: "object", properties: {} }),
      "list-map key name is not among",
    ],
    [
      "a list-map with an optional key",
      listMap({ type: "object", properties: { name: text } }),
      "must be required or have a default",
    ],
    [
      "a list-map with an object as key",
      listMap({ type: "object", properties: { name: { type: "object" } } }),
      "list-map key name must be scalar",
    ],
    ["a type inside a junctor", { ...text, anyOf: [{ type: "string" }] }, "type is not allowed inside anyOf"],
    [
      "an extension inside not",
      { ...text, not: { "x-kubernetes-int-or-string": true } },
      "is not allowed inside not",
    ],
    [
      "a field only inside a junctor",
      { type: "object", properties: {}, oneOf: [{ properties: { a: {} } }] },
      "oneOf names a",
    ],
    ["a default of another type", { type: "integer", default: "1" }, 'default "1" does not fit'],
    ["a default outside the enum", { ...text, enum: ["a"], default: "b" }, "does not fit"],
    ["a default that would be pruned", { type: "object", properties: {}, default: { a: 1 } }, "does not fit"],
    [
      "a default that is incomplete",
      { type: "object", properties: { a: text }, required: ["a"], default: {} },
      "does not fit",
    ],
    ["a null default", { ...text, default: null }, "does not fit"],
    [
      "an empty rule",
      { ...text, "x-kubernetes-validations": [{ rule: " ", message: "x" }] },
      "a rule must not be empty",
    ],
    [
      "a message of two lines",
      { ...text, "x-kubernetes-validations": [{ rule: "true", message: "a\nb" }] },
      "must be one line",
    ],
  ] as [string, unknown, string][])("may not have %s", (_, schema, message) => {
    expect(structuralProblems(schema).map((problem) => problem.message)).toContainEqual(
      expect.stringContaining(message),
    );
  });

  test("says where the problem is", () => {
    const schema = {
      type: "object",
      properties: {
        spec: {
          type: "object",
          properties: { list: { type: "array", items: { additionalProperties: {} } } },
        },
      },
    };
    expect(structuralProblems(schema)).toEqual([
      { path: "properties.spec.properties.list.items", message: "type is missing" },
      { path: "properties.spec.properties.list.items.additionalProperties", message: "type is missing" },
    ]);
  });
});

function listMap(items: object): object {
  return { type: "array", items, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"] };
}
