import { describe, expect, test } from "vitest";
import { coerceEmbedded, embeddedProblems } from "./embedded.ts";
import { compileSchema } from "./node.ts";

const schema = compileSchema({
  type: "object",
  properties: {
    one: {
      type: "object",
      "x-kubernetes-embedded-resource": true,
      "x-kubernetes-preserve-unknown-fields": true,
    },
  },
});

describe("an embedded object", () => {
  test("has its metadata decoded like any other: unknown and empty fields are dropped", () => {
    const object = {
      one: {
        apiVersion: "v1",
        kind: "Pod",
        metadata: { name: "x", foo: 1, labels: {}, creationTimestamp: null },
      },
    };
    expect(coerceEmbedded(schema, object)).toEqual({
      unknownFields: ["one.metadata.foo"],
      problem: undefined,
    });
    expect(object.one.metadata).toEqual({ name: "x" });
  });

  test.each([
    [{ apiVersion: 5 }, "one.apiVersion: Invalid value: 5: must be a string"],
    [
      { metadata: { labels: { a: 1 } } },
      'one.metadata: Invalid value: {"labels":{"a":1}}: json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string',
    ],
  ])("with %j cannot be decoded", (one, expected) => {
    const { problem } = coerceEmbedded(schema, { one });
    expect(`${problem?.field}: ${problem?.message}`).toBe(expected);
  });

  test.each<[object, string[]]>([
    [{ foo: 1 }, ["one.apiVersion: Required value", "one.kind: Required value"]],
    [
      { apiVersion: "", kind: "" },
      [
        'one.apiVersion: Invalid value: "": must not be empty',
        'one.kind: Invalid value: "": must not be empty',
      ],
    ],
    [
      { apiVersion: "a/b/c", kind: "Pod" },
      ['one.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c'],
    ],
    [
      { apiVersion: "v1", kind: "Pod", metadata: { name: "a/b%" } },
      [
        "one.metadata.name: Invalid value: \"a/b%\": may not contain '/'",
        "one.metadata.name: Invalid value: \"a/b%\": may not contain '%'",
      ],
    ],
    [{ apiVersion: "v1", kind: "Pod", metadata: { name: "ANY Name" } }, []],
  ])("%j has these problems: %j", (one, expected) => {
    expect(embeddedProblems(schema, { one }).map(({ field, message }) => `${field}: ${message}`)).toEqual(
      expected,
    );
  });
});
