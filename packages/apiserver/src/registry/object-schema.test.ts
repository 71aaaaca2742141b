import { defineKind, toCustomResourceDefinition } from "@capstan/api";
import { describe, expect, test } from "vitest";
import { paths, TestClient, testKinds, widget } from "../testing.ts";
import { NESTING_LIMIT } from "../schema/nesting.ts";

const text = { type: "string" };
const Gauge = defineKind({
  group: "test.x-k8s.io",
  version: "v1",
  kind: "Gauge",
  plural: "gauges",
  description: "Something with a schema.",
  spec: {
    type: "object",
    properties: {
      unit: { ...text, default: "m", maxLength: 4 },
      size: { type: "integer", minimum: 1 },
      replicas: { type: "integer" },
      names: { type: "array", items: text, "x-kubernetes-list-type": "set" },
      child: {
        type: "object",
        "x-kubernetes-embedded-resource": true,
        "x-kubernetes-preserve-unknown-fields": true,
      },
    },
  },
  status: {
    type: "object",
    properties: { phase: { ...text, enum: ["A", "B"] }, replicas: { type: "integer" } },
  },
  scale: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" },
});

const GAUGES = paths.widgets.replace("widgets", "gauges");
const G = `${GAUGES}/g`;
const gauge = (spec?: unknown, rest: object = {}): object => ({
  apiVersion: "test.x-k8s.io/v1",
  kind: "Gauge",
  metadata: { name: "g" },
  ...(spec !== undefined && { spec }),
  ...rest,
});
const newClient = (): TestClient => new TestClient({ kinds: [...testKinds, Gauge] });

async function withGauge(spec: object = {}): Promise<TestClient> {
  const client = newClient();
  expect((await client.create(GAUGES, gauge(spec))).status).toBe(201);
  return client;
}

describe("unknown fields", () => {
  test("are dropped with a warning", async () => {
    const { status, body, headers } = await newClient().create(GAUGES, gauge({ sise: 1 }, { other: 1 }));
    expect(status).toBe(201);
    expect(body.spec).toEqual({ unit: "m" });
    expect(body).not.toHaveProperty("other");
    expect(headers["warning"]).toBe(
      String.raw`299 - "unknown field \"other\"", 299 - "unknown field \"spec.sise\""`,
    );
  });

  test("are dropped without a warning with Ignore", async () => {
    const { status, headers } = await newClient().create(
      `${GAUGES}?fieldValidation=Ignore`,
      gauge({ sise: 1 }),
    );
    expect([status, headers["warning"]]).toEqual([201, undefined]);
  });

  test("are refused with Strict, those of the metadata first", async () => {
    const object = gauge(
      { sise: 1, child: { apiVersion: "v1", kind: "P", metadata: { odd: 1 } } },
      { metadata: { name: "g", odd: 1 } },
    );
    const { body } = await newClient().create(`${GAUGES}?fieldValidation=Strict`, object);
    expect(body).toMatchObject({
      code: 400,
      reason: "BadRequest",
      message:
        'Gauge in version "v1" cannot be handled as a Gauge: strict decoding error: unknown field "metadata.odd", unknown field "spec.sise", unknown field "spec.child.metadata.odd"',
    });
  });

  test("that a patch adds are refused as an error of the patch", async () => {
    const client = await withGauge();
    const { body } = await client.merge(`${G}?fieldValidation=Strict`, { spec: { sise: 1 } });
    expect(body).toMatchObject({ code: 422, reason: "Invalid", details: { causes: [{ field: "patch" }] } });
    expect(body.message).toContain('strict decoding error: unknown field "spec.sise"');
  });

  test("are reported even if the object is refused for another reason", async () => {
    const { status, headers } = await newClient().create(GAUGES, gauge({ sise: 1, size: 0 }));
    expect([status, headers["warning"]]).toEqual([422, String.raw`299 - "unknown field \"spec.sise\""`]);
  });
});

describe("defaults", () => {
  test("are set after a create without a spec, an update and a patch that removes them", async () => {
    const client = newClient();
    const created = await client.create(GAUGES, gauge());
    expect(created.body.spec).toEqual({ unit: "m" });
    const patched = await client.merge(G, { spec: { unit: null } });
    expect(patched.body.spec).toEqual({ unit: "m" });
    expect(patched.body.metadata.generation).toBe(1);
    const updated = await client.update(
      G,
      gauge({ unit: null, size: 2 }, { metadata: patched.body.metadata }),
    );
    expect(updated.body.spec).toEqual({ unit: "m", size: 2 });
  });

  test("are set again after an admission has removed them", async () => {
    const client = new TestClient({
      kinds: [...testKinds, Gauge],
      admissions: [{ mutate: ({ object }) => void (object && (object["spec"] = {})) }],
    });
    expect((await client.create(GAUGES, gauge({ unit: "km" }))).body.spec).toEqual({ unit: "m" });
  });
});

describe("objects that do not fit their schema", () => {
  test("are refused with all their causes, and no admission is called", async () => {
    let asked = 0;
    const client = new TestClient({
      kinds: [...testKinds, Gauge],
      admissions: [{ validate: () => (asked++, {}) }],
    });
    const { body } = await client.create(
      GAUGES,
      gauge({ size: "x", unit: "inches", replicas: -1, names: ["a", "a"] }),
    );
    expect(body).toMatchObject({ code: 422, reason: "Invalid" });
    expect(body.details.causes).toEqual([
      {
        reason: "FieldValueTypeInvalid",
        field: "spec.size",
        message: 'Invalid value: "string": spec.size in body must be of type integer: "string"',
      },
      { reason: "FieldValueTooLong", field: "spec.unit", message: "Too long: may not be more than 4 bytes" },
      {
        reason: "FieldValueInvalid",
        field: ".spec.replicas",
        message: "Invalid value: -1: should be a non-negative integer",
      },
      { reason: "FieldValueDuplicate", field: "spec.names[1]", message: 'Duplicate value: "a"' },
    ]);
    expect(asked).toBe(0);
  });

  test.each([
    [
      { replicas: "x" },
      "Invalid value: 0: .spec.replicas accessor error: x is of the type string, expected int64",
    ],
    [{ replicas: 5e9 }, "Invalid value: 5000000000: should be less than or equal to 2147483647"],
    [
      "x",
      "Invalid value: 0: .spec.replicas accessor error: x is of the type string, expected map[string]interface{}",
    ],
  ])("also include those that could not be scaled: %j", async (spec, message) => {
    const { body } = await newClient().create(GAUGES, gauge(spec));
    expect(body.details.causes).toContainEqual({
      reason: "FieldValueInvalid",
      field: ".spec.replicas",
      message,
    });
  });

  test("cannot be decoded if an embedded value is not an object", async () => {
    const { body } = await newClient().create(GAUGES, gauge({ child: { apiVersion: 5 } }));
    expect(body).toMatchObject({ code: 400, reason: "BadRequest" });
    expect(body.message).toContain("spec.child.apiVersion: Invalid value: 5: must be a string");
  });

  test("are validated by their status alone in a write of the status", async () => {
    const client = await withGauge();
    const { body } = await client.merge(`${G}/status`, {
      status: { phase: "C", replicas: -3 },
      spec: { size: "x" },
    });
    expect(body.details.causes).toEqual([
      {
        reason: "FieldValueNotSupported",
        field: "status.phase",
        message: 'Unsupported value: "C": supported values: "A", "B"',
      },
      {
        reason: "FieldValueInvalid",
        field: ".status.replicas",
        message: "Invalid value: -3: should be a non-negative integer",
      },
    ]);
  });
});

describe("updates of objects that were stored under another schema", () => {
  test("are not blocked by existing duplicates, and cannot add the first ones", async () => {
    const client = new TestClient({ kinds: [...testKinds] });
    const { spec, ...rest } = toCustomResourceDefinition(Gauge);
    const loose = JSON.stringify(spec).replace(
      '"x-kubernetes-list-type":"set"',
      '"x-kubernetes-list-type":"atomic"',
    );
    const annotated = {
      ...rest,
      metadata: { ...rest.metadata, annotations: { "api-approved.kubernetes.io": "unapproved" } },
    };
    await client.create(paths.definitions, { ...annotated, spec: JSON.parse(loose) as object });
    await client.create(GAUGES, gauge({ names: ["a", "a"] }));
    await client.merge(`${paths.definitions}/gauges.test.x-k8s.io`, { spec });
    expect((await client.merge(G, { spec: { size: 1 } })).status).toBe(200);
    await client.merge(G, { spec: { names: ["a"] } });
    expect((await client.merge(G, { spec: { names: ["a", "a"] } })).status).toBe(422);
  });
});

describe("rules", () => {
  test("are evaluated on objects that fit the schema; on others it is said that they were not", async () => {
    const Ruled = defineKind({
      group: "test.x-k8s.io",
      version: "v1",
      kind: "Gauge",
      plural: "gauges",
      description: "Something with rules.",
      spec: {
        type: "object",
        properties: { size: { type: "integer" } },
        "x-kubernetes-validations": [{ rule: "self.size > 1", message: "must be large" }],
      },
    });
    const client = new TestClient({ kinds: [...testKinds, Ruled] });
    const { body } = await client.create(GAUGES, gauge({ size: "x" }));
    expect(body.details.causes.map(({ field, message }) => `${field}: ${message}`)).toEqual([
      'spec.size: Invalid value: "string": spec.size in body must be of type integer: "string"',
      "<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation",
    ]);
    const small = await client.create(GAUGES, gauge({ size: 0 }));
    expect(small.body.details.causes.map(({ field, message }) => `${field}: ${message}`)).toEqual([
      "spec: Invalid value: must be large",
    ]);
    expect((await client.create(GAUGES, gauge({ size: 2 }))).status).toBe(201);
  });
});

describe("hostile bodies", () => {
  const deep = (levels: number): string => `${"[".repeat(levels)}${"]".repeat(levels)}`;
  const body = (levels: number): string =>
    JSON.stringify(widget("w", { spec: { x: "@" } })).replace('"@"', deep(levels));

  // Two of these levels are those of the object and its spec.
  test.each([NESTING_LIMIT - 1, 10_000, 200_000])(
    "%d levels deep are a bad request, as text and as a value",
    async (levels) => {
      const client = new TestClient();
      const sent = body(levels);
      for (const one of [sent, JSON.parse(sent) as unknown]) {
        const answer = await client.create(paths.widgets, one);
        expect(answer.body).toMatchObject({ code: 400, reason: "BadRequest" });
        expect(answer.body.message).toContain(`exceeded max depth of ${NESTING_LIMIT}`);
      }
    },
  );

  test("that are nothing but levels are counted to the last one", async () => {
    const client = new TestClient();
    const messageOf = async (levels: number): Promise<string> =>
      (await client.create(paths.widgets, deep(levels))).body.message;
    expect(await messageOf(NESTING_LIMIT + 1)).toContain("exceeded max depth");
    expect(await messageOf(NESTING_LIMIT)).not.toContain("exceeded max depth");
  });

  test("that contain themselves are a bad request", async () => {
    const spec: Record<string, unknown> = {};
    const endless = widget("w", { spec });
    spec["again"] = [endless];
    const { body: answer } = await new TestClient().create(paths.widgets, endless);
    expect(answer.message).toContain(`exceeded max depth of ${NESTING_LIMIT}`);
  });

  test.each([
    ["text", (sent: string): unknown => sent],
    ["a value", (sent: string): unknown => JSON.parse(sent)],
  ])("deep within the limit are stored, read and changed when they are sent as %s", async (_, form) => {
    const client = new TestClient();
    const created = await client.create(paths.widgets, form(body(NESTING_LIMIT - 2)));
    expect(created.status).toBe(201);
    expect((await client.merge(`${paths.widgets}/w`, { spec: { y: 1 } })).body.spec).toHaveProperty("y", 1);
  });

  test("that a patch deepens have the same limit", async () => {
    const client = new TestClient();
    const half = NESTING_LIMIT * 0.6;
    await client.create(paths.widgets, body(1).replace("[]", `${'{"b":'.repeat(half)}{}${"}".repeat(half)}`));
    const copy = { op: "copy", from: "/spec/x", path: `/spec/x${"/b".repeat(half)}/c` };
    const { body: answer } = await client.jsonPatch(`${paths.widgets}/w`, [copy]);
    expect(answer).toMatchObject({
      code: 400,
      message: `the patched object is nested deeper than ${NESTING_LIMIT} levels`,
    });
  });

  test("with names of JavaScript's own are data, and only that", async () => {
    const client = new TestClient();
    const sent =
      '{"apiVersion":"test.x-k8s.io/v1","kind":"Widget","metadata":{"name":"w"},"spec":{"__proto__":{"polluted":1},"constructor":{"prototype":2}}}';
    const { status } = await client.create(paths.widgets, sent);
    expect(status).toBe(201);
    const { body: stored } = await client.get(`${paths.widgets}/w`);
    expect(JSON.stringify(stored.spec)).toBe('{"__proto__":{"polluted":1},"constructor":{"prototype":2}}');
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  test("with 64-bit integers keep what a JSON number can hold", async () => {
    const sent = (number: string): string =>
      `{"apiVersion":"test.x-k8s.io/v1","kind":"Gauge","metadata":{"name":"g"},"spec":{"size":${number}}}`;
    const client = newClient();
    expect((await client.create(`${GAUGES}?dryRun=All`, sent("9007199254740991"))).body.spec["size"]).toBe(
      9_007_199_254_740_991,
    );
    // Beyond 53 bits the number is rounded, where kube-apiserver keeps every digit; it is still an integer.
    expect((await client.create(`${GAUGES}?dryRun=All`, sent("9223372036854775807"))).status).toBe(201);
    expect((await client.create(`${GAUGES}?dryRun=All`, sent("1e20"))).status).toBe(422);
  });

  test("with huge texts are answered with a short message", async () => {
    const { status, body: answer } = await newClient().create(
      GAUGES,
      gauge({ size: 1, unit: "x".repeat(1_000_000) }),
    );
    expect(status).toBe(422);
    expect(answer.message.length).toBeLessThan(1000);
  });
});
