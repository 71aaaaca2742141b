import { customKinds, deepCopy, toCustomResourceDefinition } from "@capstan/api";
import { describe, expect, test } from "vitest";
import { paths, TestClient } from "../testing.ts";

type Json = Record<string, unknown>;

interface Sample {
  metadata: { name: string; annotations?: Record<string, string> };
  spec: { group: unknown; scope?: unknown; names: Json; versions: Version[] } & Json;
}

interface Version {
  name: string;
  storage: boolean;
  subresources?: Json;
  schema?: { openAPIV3Schema?: Json };
  [field: string]: unknown;
}

function sample(): Sample {
  return deepCopy<Sample>({
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "gizmos.example.com" },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { kind: "Gizmo", plural: "gizmos" },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: "object", properties: { a: { type: "string" } } } },
        },
      ],
    },
  } as Sample);
}

/** The errors of an invalid definition, as kubectl prints them. */
async function problemsOf(spoil: (definition: Sample) => void): Promise<string[]> {
  const definition = sample();
  spoil(definition);
  const { status, body } = await new TestClient().create(`${paths.definitions}?dryRun=All`, definition);
  if (status === 201) return [];
  expect(body).toMatchObject({ code: 422, reason: "Invalid" });
  return body.details.causes.map(({ field, message }) => `${field}: ${message}`);
}

/** The same for the schema of the field `a`; `@` stands for its path. */
async function fieldProblemsOf(schema: object): Promise<string[]> {
  const found = await problemsOf(({ spec }) => {
    const root = spec.versions[0]?.schema?.openAPIV3Schema as Json;
    root["properties"] = { a: schema };
  });
  return found.map((problem) => problem.replaceAll("spec.validation.openAPIV3Schema.properties[a]", "@"));
}

const root = ({ spec }: Sample): Json => spec.versions[0]?.schema?.openAPIV3Schema ?? {};
const text = { type: "string" };

describe("a definition", () => {
  test.each(customKinds.map((kind) => [kind.kind, kind] as const))("of %s is accepted", async (_, kind) => {
    const { status, body } = await new TestClient().create(
      paths.definitions,
      toCustomResourceDefinition(kind),
    );
    expect([status, body.message]).toEqual([201, undefined]);
  });

  // The messages of kube-apiserver 1.35.
  test.each<[string, (definition: Sample) => void, string[]]>([
    [
      "under another name",
      ({ metadata }) => (metadata.name = "other.example.com"),
      ['metadata.name: Invalid value: "other.example.com": must be spec.names.plural+"."+spec.group'],
    ],
    [
      "in a group without a domain",
      (one) => {
        one.spec.group = "lonely";
        one.metadata.name = "gizmos.lonely";
      },
      ['spec.group: Invalid value: "lonely": should be a domain with at least one dot'],
    ],
    [
      "of an unknown scope",
      ({ spec }) => (spec.scope = "Galaxy"),
      ['spec.scope: Unsupported value: "Galaxy": supported values: "Cluster", "Namespaced"'],
    ],
    ["without a scope", ({ spec }) => delete spec.scope, ["spec.scope: Required value"]],
    [
      "whose lists are named as its objects",
      ({ spec }) => (spec.names["listKind"] = "Gizmo"),
      ['spec.names.listKind: Invalid value: "Gizmo": kind and listKind may not be the same'],
    ],
    [
      "that preserves unknown fields everywhere",
      ({ spec }) => (spec["preserveUnknownFields"] = true),
      [
        "spec.preserveUnknownFields: Invalid value: true: cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead",
      ],
    ],
    [
      "without a schema",
      ({ spec }) => delete spec.versions[0]?.schema,
      ["spec.versions[0].schema.openAPIV3Schema: Required value"],
    ],
    [
      "with a warning of a version that is not deprecated",
      ({
        spec: {
          versions: [v1],
        },
      }) => v1 && (v1["deprecationWarning"] = "x"),
      ['spec.versions[0].deprecationWarning: Invalid value: "x": can only be set for deprecated versions'],
    ],
    [
      "with an unknown conversion strategy",
      ({ spec }) => (spec["conversion"] = { strategy: "Magic" }),
      ['spec.conversion.strategy: Unsupported value: "Magic": supported values: "None", "Webhook"'],
    ],
    [
      "in a group of the community without its approval",
      (one) => {
        one.spec.group = "x.k8s.io";
        one.metadata.name = "gizmos.x.k8s.io";
      },
      [
        'metadata.annotations[api-approved.kubernetes.io]: Required value: protected groups must have approval annotation "api-approved.kubernetes.io", see https://github.com/kubernetes/enhancements/pull/1111',
      ],
    ],
    [
      "in a group of the community with an annotation that it is unapproved",
      (one) => {
        one.spec.group = "x.k8s.io";
        one.metadata = {
          name: "gizmos.x.k8s.io",
          annotations: { "api-approved.kubernetes.io": "unapproved, a test" },
        };
      },
      [],
    ],
    [
      "with invalid scale paths",
      ({
        spec: {
          versions: [v1],
        },
      }) =>
        v1 &&
        (v1.subresources = {
          scale: { specReplicasPath: "spec.x", statusReplicasPath: ".spec.y", labelSelectorPath: ".foo" },
        }),
      [
        'spec.subresources.scale.specReplicasPath: Invalid value: "spec.x": must be a simple json path starting with .',
        'spec.subresources.scale.statusReplicasPath: Invalid value: ".spec.y": should be a json path under .status',
        'spec.subresources.scale.labelSelectorPath: Invalid value: ".foo": should be a json path under either .spec or .status',
      ],
    ],
    [
      "with invalid columns",
      ({
        spec: {
          versions: [v1],
        },
      }) => v1 && (v1["additionalPrinterColumns"] = [{ name: "x", type: "weird", jsonPath: "x" }]),
      [
        'spec.additionalPrinterColumns[0].type: Invalid value: "weird": must be one of boolean,date,integer,number,string',
        'spec.additionalPrinterColumns[0].JSONPath: Invalid value: "x": must be a simple json path starting with .',
      ],
    ],
    [
      "with a selectable field that does not exist",
      ({
        spec: {
          versions: [v1],
        },
      }) => v1 && (v1["selectableFields"] = [{ jsonPath: ".a" }, { jsonPath: ".b" }]),
      [
        'spec.selectableFields[1].jsonPath: Invalid value: ".b": is an invalid path: does not refer to a valid field',
      ],
    ],
    [
      "whose versions differ, each with its own errors",
      ({ spec }) =>
        spec.versions.push({
          name: "v2",
          served: true,
          storage: false,
          schema: { openAPIV3Schema: { type: "object", properties: { a: {} } } },
        }),
      [
        "spec.versions[1].schema.openAPIV3Schema.properties[a].type: Required value: must not be empty for specified object fields",
      ],
    ],
    [
      "with a root that is not an object",
      (one) => (root(one)["type"] = "string"),
      ['spec.validation.openAPIV3Schema.type: Invalid value: "string": must be object at the root'],
    ],
    [
      "with additionalProperties at the root",
      (one) => {
        delete root(one)["properties"];
        root(one)["additionalProperties"] = text;
      },
      ["spec.validation.openAPIV3Schema.additionalProperties: Forbidden: must not be used at the root"],
    ],
    [
      "with properties of metadata",
      (one) =>
        (root(one)["properties"] = {
          metadata: { type: "object", properties: { labels: { type: "object" } } },
        }),
      [
        "spec.validation.openAPIV3Schema.properties[metadata]: Forbidden: must not specify anything other than name and generateName, but metadata is implicitly specified",
      ],
    ],
    [
      "that restricts the name",
      (one) =>
        (root(one)["properties"] = {
          metadata: { type: "object", properties: { name: { ...text, maxLength: 3 } } },
        }),
      [],
    ],
    [
      "with a default for its kind",
      (one) => (root(one)["properties"] = { kind: { ...text, default: "x" } }),
      [
        "spec.validation.openAPIV3Schema.properties[kind].default: Forbidden: must not be set in top-level kind",
      ],
    ],
  ])("%s gives the same result as in kube-apiserver", async (_, spoil, expected) => {
    expect(await problemsOf(spoil)).toEqual(expected);
  });

  test.each([
    [
      "no storage version",
      (versions: Version[]) => versions.forEach((version) => (version.storage = false)),
      "must have exactly one version marked as storage version",
    ],
    [
      "two storage versions",
      (versions: Version[]) => versions.push({ ...(versions[0] as Version), name: "v2" }),
      "must have exactly one version marked as storage version",
    ],
    [
      "a version twice",
      (versions: Version[]) => versions.push({ ...(versions[0] as Version), storage: false }),
      "must contain unique version names",
    ],
  ])("with %s is refused", async (_, spoil, detail) => {
    const found = await problemsOf(({ spec }) => {
      spoil(spec.versions);
    });
    expect(found.some((problem) => problem.startsWith("spec.versions: ") && problem.endsWith(detail))).toBe(
      true,
    );
  });

  test("with fields of the wrong type is not a definition", async () => {
    const { body } = await new TestClient().create(paths.definitions, { ...sample(), spec: { group: 5 } });
    expect(body).toMatchObject({ code: 400, reason: "BadRequest" });
    expect(body.message).toContain("spec.group");
  });

  test("loses unknown fields and keywords, with a warning", async () => {
    const definition = sample();
    definition.spec["foo"] = 1;
    root(definition)["examples"] = [];
    const { body, headers } = await new TestClient().create(paths.definitions, definition);
    expect(JSON.stringify(body.spec)).not.toMatch(/foo|examples/);
    expect(headers["warning"]).toContain(
      String.raw`unknown field \"spec.versions[0].schema.openAPIV3Schema.examples\"`,
    );
  });

  test("with an unknown format is accepted with a warning", async () => {
    const definition = sample();
    root(definition)["properties"] = { a: { ...text, format: "made-up" } };
    const { headers } = await new TestClient().create(paths.definitions, definition);
    expect(headers["warning"]).toBe(String.raw`299 - "unrecognized format \"made-up\""`);
  });
});

const list = (items: object, rest: object = {}): object => ({ type: "array", items, ...rest });
const listMap = (items: object, keys: string[] = ["k"]): object =>
  list(items, { "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": keys });

describe("a schema", () => {
  test.each<[object, string[]]>([
    [{}, ["@.type: Required value: must not be empty for specified object fields"]],
    [
      { type: "text" },
      [
        '@.type: Unsupported value: "text": supported values: "array", "boolean", "integer", "number", "object", "string"',
      ],
    ],
    [{ type: "array" }, ["@.items: Required value: must be specified"]],
    [list({}), ["@.items.type: Required value: must not be empty for specified array items"]],
    [
      { type: "object", properties: { x: text }, additionalProperties: text },
      ["@.additionalProperties: Forbidden: additionalProperties and properties are mutual exclusive"],
    ],
    [
      list(text, { uniqueItems: true }),
      [
        "@.uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity becomes quadratic",
      ],
    ],
    [{ $ref: "#/x" }, ["@.$ref: Forbidden: $ref is not supported"]],
    [
      { "x-kubernetes-int-or-string": true, "x-kubernetes-preserve-unknown-fields": true },
      [
        "@.x-kubernetes-preserve-unknown-fields: Invalid value: true: must be false if x-kubernetes-int-or-string is true",
      ],
    ],
    [{ "x-kubernetes-int-or-string": true, anyOf: [{ type: "integer" }, { type: "string" }] }, []],
    [
      {
        "x-kubernetes-int-or-string": true,
        allOf: [{ anyOf: [{ type: "integer" }, { type: "string" }] }, { pattern: "x" }],
      },
      [],
    ],
    [
      { type: "object", "x-kubernetes-embedded-resource": true },
      [
        "@.properties: Required value: must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields",
      ],
    ],
    [
      { ...text, "x-kubernetes-map-type": "atomic" },
      ['@.type: Invalid value: "string": must be object if x-kubernetes-map-type is specified'],
    ],
    [
      list(text, { "x-kubernetes-list-type": "bag" }),
      ['@.x-kubernetes-list-type: Unsupported value: "bag": supported values: "atomic", "set", "map"'],
    ],
    [
      list({ type: "object" }, { "x-kubernetes-list-type": "set" }),
      [
        "@.items.x-kubernetes-map-type: Invalid value: null: must be atomic as item of a list with x-kubernetes-list-type=set",
      ],
    ],
    [
      listMap({ type: "object", properties: { x: text } }),
      ['@.x-kubernetes-list-map-keys: Invalid value: ["k"]: entries must all be names of item properties'],
    ],
    [
      listMap({ type: "object", properties: { k: text } }),
      [
        "@.items.properties[k].default: Required value: this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property",
      ],
    ],
    [
      { ...text, anyOf: [{ type: "string" }] },
      ["@.anyOf[0].type: Forbidden: must be empty to be structural"],
    ],
    [
      { ...text, allOf: [{ default: "x", nullable: true }] },
      [
        "@.allOf[0].default: Forbidden: must be undefined to be structural",
        "@.allOf[0].nullable: Forbidden: must be false to be structural",
      ],
    ],
    [
      { ...text, pattern: "(?=x)" },
      [
        '@.pattern: Invalid value: "(?=x)": must be a valid regular expression, but isn\'t: error parsing regexp: invalid or unsupported Perl syntax: `(?=`',
      ],
    ],
    [
      { type: "integer", default: "x" },
      ['@.default: Invalid value: "string":  in body must be of type integer: "string"'],
    ],
    [
      { type: "object", properties: { x: text }, default: { y: 1 } },
      ['@.default: Invalid value: {"y":1}: must not have unknown fields'],
    ],
    [{ ...text, default: null }, []],
    [
      list({ type: "object", properties: { x: { type: "integer", minimum: 2, default: 1 } } }),
      ["@.items.properties[x].default: Invalid value: 1:  in body should be greater than or equal to 2"],
    ],
    [
      { ...text, "x-kubernetes-validations": [{ rule: " " }, { rule: "true", message: "a\nb" }] },
      [
        "@.x-kubernetes-validations[0].rule: Required value: rule is not specified",
        '@.x-kubernetes-validations[1].message: Invalid value: "a\\nb": must not contain line breaks',
      ],
    ],
    [{ ...text, "x-kubernetes-validations": [{ rule: "self != 'x'", message: "must not be x" }] }, []],
  ])("%j gives the same result as in kube-apiserver", async (schema, expected) => {
    expect(await fieldProblemsOf(schema)).toEqual(expected);
  });

  test("must describe what it restricts", async () => {
    const found = await problemsOf((one) => (root(one)["anyOf"] = [{ properties: { b: { minLength: 1 } } }]));
    expect(found).toContain(
      "spec.validation.openAPIV3Schema.properties[b]: Required value: because it is defined in spec.validation.openAPIV3Schema.anyOf[0].properties[b]",
    );
  });

  test("may have properties with names of JavaScript's own, and be nested deeply", async () => {
    const schema = JSON.parse(
      '{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{"type":"integer"}}}',
    ) as object;
    expect(await fieldProblemsOf(schema)).toEqual([]);
    let deep: object = text;
    for (let level = 0; level < 200; level++) deep = { type: "object", properties: { x: deep } };
    expect(await fieldProblemsOf(deep)).toEqual([]);
  });
});
