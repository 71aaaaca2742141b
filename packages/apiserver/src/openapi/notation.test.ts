import { describe, expect, test } from "vitest";
import { readBlocks, readTypes, type Schema } from "./notation.ts";

function read(text: string): ReadonlyMap<string, Schema> {
  return readBlocks([{ prefix: "p", group: "g", version: "v1", text }]);
}

function field(line: string): unknown {
  const schema = read(`# A | An a.\n${line}\n# B | A b.\n`).get("p.A") as {
    properties: Record<string, unknown>;
  };
  return Object.values(schema.properties)[0];
}

describe("a field", () => {
  test.each<[string, object]>([
    ["x string | D.", { type: "string" }],
    ["x int32 | D.", { type: "integer", format: "int32" }],
    ["x time | D.", { type: "string", format: "date-time" }],
    ["x intOrString | D.", { oneOf: [{ type: "integer" }, { type: "string" }], format: "int-or-string" }],
    ["x object | D.", { type: "object", "x-kubernetes-preserve-unknown-fields": true }],
    ["x {string} | D.", { type: "object", additionalProperties: { type: "string" } }],
    ["x B | D.", { allOf: [{ $ref: "#/components/schemas/p.B" }] }],
    ["x []string | D.", { type: "array", items: { type: "string" }, "x-kubernetes-list-type": "atomic" }],
    [
      "x []string set | D.",
      {
        type: "array",
        items: { type: "string" },
        "x-kubernetes-list-type": "set",
        "x-kubernetes-patch-strategy": "merge",
      },
    ],
    [
      "x []B merge=k keys=k,l retain | D.",
      {
        type: "array",
        items: { $ref: "#/components/schemas/p.B" },
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["k", "l"],
        "x-kubernetes-patch-merge-key": "k",
        "x-kubernetes-patch-strategy": "merge,retainKeys",
      },
    ],
    [
      "x B replace | D.",
      { allOf: [{ $ref: "#/components/schemas/p.B" }], "x-kubernetes-patch-strategy": "replace" },
    ],
  ])("%s", (line, schema) => {
    expect(field(line)).toEqual({ description: "D.", ...schema });
  });
});

describe("a schema", () => {
  test("lists what is required", () => {
    expect(read("# A | An a.\nx! string | D.\ny string | D.").get("p.A")).toMatchObject({
      description: "An a.",
      required: ["x"],
    });
  });

  test("of a kind has what every object has", () => {
    expect(read("#kind A | An a.").get("p.A")).toMatchObject({
      properties: { apiVersion: {}, kind: {}, metadata: {} },
      "x-kubernetes-group-version-kind": [{ group: "g", version: "v1", kind: "A" }],
    });
  });

  test("that refers to a missing type is refused by name", () => {
    expect(() => read("# A | An a.\nx Missing | D.")).toThrow(
      'no schema is called Missing; define it with a line "# Missing',
    );
  });

  test("with an invalid line is refused with the line", () => {
    expect(() => read("# A | An a.\nx")).toThrow('"x" is not a field; write "1 name type | What it means."');
  });

  test("can have several fields in a line without a description", () => {
    expect(read("# A | An a.\n1 x! string; 2 y []int32 merge=k").get("p.A")).toMatchObject({
      required: ["x"],
      properties: {
        x: { type: "string" },
        y: { items: { type: "integer" }, "x-kubernetes-patch-merge-key": "k" },
      },
    });
  });
});

describe("in protocol buffers a field", () => {
  function fieldText(line: string): unknown {
    const { types } = readTypes([{ prefix: "p", group: "g", version: "v1", text: `# A | An a.\n${line}` }]);
    return types.get("p.A")?.fields[0];
  }

  test.each<[string, object]>([
    ["7 x string | D.", { number: [7], type: "string", keepsZero: false }],
    ["7 x *string | D.", { number: [7], type: "string", keepsZero: true }],
    ["7 x! string | D.", { number: [7], type: "string", keepsZero: true }],
    ["2.13 x []string", { number: [2, 13], type: "[]string", keepsZero: false }],
    ["x string", { number: [] }],
  ])("is read from %s", (line, text) => {
    expect(fieldText(line)).toMatchObject(text);
  });

  test("that is kept when it is zero is an ordinary one in JSON", () => {
    expect(field("1 x *int32 | D.")).toEqual({ description: "D.", type: "integer", format: "int32" });
  });
});
