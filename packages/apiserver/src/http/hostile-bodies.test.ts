import { describe, expect, test } from "vitest";
import { paths, TestClient } from "../testing.ts";

/**
 * Bodies near the limit of 3 MiB whose handling must take time in proportion to their length. Work that grows with the
 * square of it takes minutes for each of them; such a regression shows as a test run that does not end.
 */
const times = (count: number, print: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => print(index)).join(",");
const json = "application/json";

const GAUGES = "/apis/hostile.test/v1/namespaces/default/gauges";
const words = Array.from({ length: 20_000 }, (_, index) => `word-${index}`);
const definition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "gauges.hostile.test" },
  spec: {
    group: "hostile.test",
    scope: "Namespaced",
    names: { plural: "gauges", kind: "Gauge" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: {
              spec: {
                type: "object",
                properties: {
                  words: { type: "array", items: { type: "string", enum: words } },
                  numbers: { type: "array", items: { type: "integer" } },
                  set: { type: "array", "x-kubernetes-list-type": "set", items: { type: "string" } },
                  named: {
                    type: "array",
                    "x-kubernetes-list-type": "map",
                    "x-kubernetes-list-map-keys": ["name"],
                    items: {
                      type: "object",
                      required: ["name"],
                      properties: { name: { type: "string" }, size: { type: "integer" } },
                    },
                  },
                },
              },
            },
          },
        },
      },
    ],
  },
};

async function serverWithGauges(): Promise<TestClient> {
  const client = new TestClient();
  expect((await client.create(paths.definitions, definition)).status).toBe(201);
  return client;
}

const gauge = (spec: string, rest = ""): string =>
  `{"apiVersion":"hostile.test/v1","kind":"Gauge","metadata":{"name":"g"${rest}},"spec":{${spec}}}`;

describe("a body with", () => {
  test.each<[string, string]>([
    [
      "100,000 unknown and 60,000 duplicate fields",
      `{"metadata":{"name":"a"},${times(100_000, (n) => `"u${n}":1`)},${times(120_000, (n) => `"d${n >> 1}":1`)}}`,
    ],
    ["200,000 times the same field", `{"metadata":{"name":"a"},${times(200_000, () => '"data":{}')}}`],
    ["100,000 unknown fields of metadata", `{"metadata":{"name":"a",${times(100_000, (n) => `"u${n}":1`)}}}`],
  ])("%s warns about a hundred fields", async (_, body) => {
    const client = new TestClient();
    const { status, headers } = await client.send("POST", paths.configMaps, { body, type: json });
    expect(status).toBe(201);
    expect(headers["warning"]?.length).toBeLessThanOrEqual(5_000);
    const strict = `${paths.configMaps}?fieldValidation=Strict`;
    const refused = await client.send("POST", strict, { body, type: json });
    expect(refused.status).toBe(400);
    expect(refused.body.message.length).toBeLessThan(20_000);
  });

  test("100,000 unknown fields of a custom kind warns about a hundred", async () => {
    const client = await serverWithGauges();
    const long = "k".repeat(1_000_000);
    const body = gauge(`"${long}":1,${times(100_000, (n) => `"u${n}":1`)}`);
    const { status, headers } = await client.send("POST", GAUGES, { body, type: json });
    expect(status).toBe(201);
    expect(headers["warning"]?.length).toBeLessThanOrEqual(5_000);
  });

  test("a number of 2.9 million digits is refused", async () => {
    const client = await serverWithGauges();
    const body = gauge(`"numbers":[${"7".repeat(2_900_000)}]`);
    expect((await client.send("POST", GAUGES, { body, type: json })).status).toBe(422);
  });

  test.each([
    ["outside", (n: number) => `"x${n}"`, 422],
    ["inside", (n: number) => `"word-${n % 20_000}"`, 201],
  ])("60,000 items %s an enum of 20,000 is answered", async (_, item, status) => {
    const client = await serverWithGauges();
    const answer = await client.send("POST", GAUGES, {
      body: gauge(`"words":[${times(60_000, item)}]`),
      type: json,
    });
    expect(answer.status).toBe(status);
  });

  test("many duplicate items of a set is refused", async () => {
    const client = await serverWithGauges();
    const body = gauge(`"set":[${times(300_000, (n) => `"${n >> 1}"`)}]`);
    expect((await client.send("POST", GAUGES, { body, type: json })).status).toBe(422);
  });

  test("as many invalid items as before is compared item by item", async () => {
    const client = await serverWithGauges();
    const named = (size: string): string =>
      gauge(`"named":[${times(30_000, (n) => `{"name":"n${n}","size":${size}}`)}]`);
    expect((await client.send("POST", GAUGES, { body: named("1"), type: json })).status).toBe(201);
    const answer = await client.send("PUT", `${GAUGES}/g`, { body: named('"x"'), type: json });
    expect(answer.status).toBe(422);
  });

  test.each([
    ["1.4 million unclosed lists", "[".repeat(1_400_000), 400],
    ["a million lists and an error", `${"[".repeat(1_000_000)}x`, 400],
    ["unclosed objects", '{"a":'.repeat(400_000), 400],
    ["20,000 levels", `{"metadata":{"name":"a"},"data":${"[".repeat(20_000)}${"]".repeat(20_000)}}`, 400],
  ])("%s is refused", async (_, body, status) => {
    const client = new TestClient();
    for (const type of [json, "application/yaml"]) {
      expect((await client.send("POST", paths.configMaps, { body, type })).status).toBe(status);
    }
    for (const type of ["merge-patch+json", "json-patch+json", "strategic-merge-patch+json"]) {
      const answer = await client.send("PATCH", `${paths.configMaps}/a`, {
        body,
        type: `application/${type}`,
      });
      expect(answer.status).toBe(status);
    }
  });

  const owner = '{"apiVersion":"v1","kind":"Node","name":"n","uid":"u"}';
  test.each([
    ["finalizers", `[${times(100_000, (n) => `"a/f${n}"`)}]`, 201],
    ["ownerReferences", `[${times(20_000, () => owner)}]`, 201],
    ["labels", `{${times(100_000, (n) => `"l${n}":"x"`)}}`, 201],
    ["labels", `{${times(100_000, (n) => `"_${n}":"?"`)}}`, 422],
  ])("very many %s is answered", async (field, value, expected) => {
    const client = new TestClient();
    const body = `{"metadata":{"name":"a","${field}":${value}}}`;
    const answer = await client.send("POST", paths.configMaps, { body, type: json });
    expect(answer.status).toBe(expected);
    expect(answer.body.details?.causes.length ?? 0).toBeLessThanOrEqual(1000);
    if (expected !== 201) return;
    const again = await client.send("PUT", `${paths.configMaps}/a`, { body, type: json });
    expect(again.status).toBe(200);
  });
});

test.each([
  ["a JSON patch with null", "PATCH", `${paths.configMaps}/a`, "[null]", 422],
  [
    "a JSON patch that copies what objects inherit",
    "PATCH",
    `${paths.configMaps}/a`,
    '[{"op":"copy","from":"/data/toString","path":"/data/x"}]',
    422,
  ],
  ["a path with an invalid escape", "GET", `${paths.configMaps}/%zz`, undefined, 400],
])("%s is refused by the client's fault", async (_, method, path, body, status) => {
  const client = new TestClient();
  await client.create(paths.configMaps, { metadata: { name: "a" }, data: { y: "1" } });
  const answer = await client.send(method, path, { body, type: "application/json-patch+json" });
  expect(answer.status).toBe(status);
});
