import { describe, expect, test } from "vitest";
import type { Schema } from "./notation.ts";
import { openApiV2Json, toV2 } from "./open-api-v2.ts";
import { openApiV2Protobuf } from "./open-api-v2-protobuf.ts";
import { allKinds } from "./testing.ts";

const document = openApiV2Json(allKinds);

describe("a schema in v2", () => {
  test.each<[string, Schema, Schema]>([
    [
      "keeps what v2 supports",
      { type: "string", format: "byte", description: "d" },
      { type: "string", format: "byte", description: "d" },
    ],
    [
      "refers to definitions",
      { allOf: [{ $ref: "#/components/schemas/a" }], description: "d" },
      { $ref: "#/definitions/a", description: "d" },
    ],
    [
      "is any value if it may be null",
      { type: "object", nullable: true, properties: { a: { type: "string" } } },
      {},
    ],
    [
      "is any value if it is a number or a text",
      { "x-kubernetes-int-or-string": true, anyOf: [{ type: "integer" }] },
      {},
    ],
    [
      "lists no fields if others are preserved",
      {
        type: "object",
        required: ["a"],
        properties: { a: { type: "string" } },
        "x-kubernetes-preserve-unknown-fields": true,
      },
      { type: "object" },
    ],
    [
      "loses rules, defaults and limits",
      { type: "string", default: "a", minLength: 1, "x-kubernetes-validations": [] },
      { type: "string" },
    ],
    [
      "keeps what strategic merge reads",
      { type: "array", items: { type: "string", nullable: true }, "x-kubernetes-patch-strategy": "merge" },
      { type: "array", items: {}, "x-kubernetes-patch-strategy": "merge" },
    ],
    [
      "treats a quantity as a string",
      { oneOf: [{ type: "string" }, { type: "number" }] },
      { type: "string" },
    ],
    [
      "converts the values of maps",
      { type: "object", additionalProperties: { type: "string", default: "" } },
      { type: "object", additionalProperties: { type: "string" } },
    ],
  ])("%s", (_, schema, expected) => {
    expect(toV2(schema)).toEqual(expected);
  });
});

describe("OpenAPI v2", () => {
  test("refers only to definitions that it has", () => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/definitions\/([^"]+)"/g)].map(
      (match) => match[1] ?? "",
    );
    expect(references.length).toBeGreaterThan(1000);
    expect(references.filter((name) => !(name in document.definitions))).toEqual([]);
    expect(JSON.stringify(document)).not.toContain("#/components/");
  });
});

interface WireField {
  readonly number: number;
  readonly bytes: Uint8Array;
}

/** Reads length-delimited fields; there are no others. */
function readFields(bytes: Uint8Array): WireField[] {
  const found: WireField[] = [];
  let at = 0;
  const varint = (): number => {
    let value = 0;
    for (let shift = 1; ; shift *= 0x80) {
      const byte = bytes[at++] ?? 0;
      value += (byte & 0x7f) * shift;
      if (byte < 0x80) return value;
    }
  };
  while (at < bytes.length) {
    const tag = varint();
    expect(tag & 7).toBe(2);
    const length = varint();
    found.push({ number: tag >> 3, bytes: bytes.subarray(at, (at += length)) });
  }
  return found;
}

const all = (bytes: Uint8Array, ...path: number[]): Uint8Array[] =>
  path.reduce<Uint8Array[]>(
    (messages, number) =>
      messages.flatMap((one) =>
        readFields(one)
          .filter((field) => field.number === number)
          .map((field) => field.bytes),
      ),
    [bytes],
  );
const texts = (bytes: Uint8Array, ...path: number[]): string[] =>
  all(bytes, ...path).map((one) => Buffer.from(one).toString());
const namedValue = (bytes: Uint8Array[], name: string): Uint8Array =>
  all(bytes.find((one) => texts(one, 1)[0] === name) ?? new Uint8Array(), 2)[0] ?? new Uint8Array();

describe("OpenAPI v2 as protobuf", () => {
  const bytes = openApiV2Protobuf(allKinds);

  test("has the version, every path and every definition", () => {
    expect(texts(bytes, 1)).toEqual(["2.0"]);
    expect(texts(bytes, 8, 2, 1)).toEqual(Object.keys(document.paths));
    expect(texts(bytes, 9, 1, 1)).toEqual(Object.keys(document.definitions));
  });

  test("carries the kind of a definition and how its lists are merged", () => {
    const definitions = all(bytes, 9, 1);
    const pod = namedValue(definitions, "io.k8s.api.core.v1.Pod");
    expect(
      JSON.parse(texts(namedValue(all(pod, 31), "x-kubernetes-group-version-kind"), 2)[0] ?? ""),
    ).toEqual([{ group: "", version: "v1", kind: "Pod" }]);
    const spec = namedValue(definitions, "io.k8s.api.core.v1.PodSpec");
    const containers = namedValue(all(spec, 25, 1), "containers");
    expect(texts(containers, 22, 1)).toEqual(["array"]);
    expect(texts(containers, 23, 1, 1)).toEqual(["#/definitions/io.k8s.api.core.v1.Container"]);
    expect(texts(namedValue(all(containers, 31), "x-kubernetes-patch-merge-key"), 2)).toEqual(['"name"']);
    expect(texts(spec, 19)).toEqual(["containers"]);
  });

  test("announces the support of dry runs to kubectl", () => {
    const item = namedValue(all(bytes, 8, 2), "/api/v1/namespaces/{namespace}/pods/{name}");
    expect(texts(item, 8, 8, 1, 2, 3, 4)).toEqual(["dryRun", "fieldManager", "fieldValidation", "force"]);
  });
});
