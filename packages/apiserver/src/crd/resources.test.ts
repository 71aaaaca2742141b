import { type CustomKind, customKinds, toCustomResourceDefinition } from "@capstan/api";
import { describe, expect, test } from "vitest";
import { paths, TestClient } from "../testing.ts";
import type { SchemaNode } from "../schema/node.ts";
import { kindResources } from "./resources.ts";

/** The smallest value that fits a schema: required fields, and none with a default. */
function smallest(node: SchemaNode): unknown {
  const { limits, types, required, properties, items } = node;
  const { enum: words, minItems = 0 } = limits;
  if (words) return words.values[0];
  if (types.includes("object"))
    return Object.fromEntries(required.map((name) => [name, smallest(properties.get(name) as SchemaNode)]));
  if (types.includes("array")) return Array.from({ length: minItems }, () => smallest(items as SchemaNode));
  return types.includes("boolean") ? true : smallestScalar(node);
}

function smallestScalar({ types, limits: { minimum, minLength = 1, format } }: SchemaNode): unknown {
  if (types.includes("integer") || types.includes("number")) return minimum?.value ?? 1;
  return format?.name === "date-time" ? "2026-01-01T00:00:00Z" : "a".repeat(minLength);
}

function sample(kind: CustomKind): object {
  const [resource] = kindResources(kind, 0);
  const spec = smallest(resource?.schema?.properties.get("spec") as SchemaNode) as object;
  const more = NEEDED_BY_RULES[kind.kind] ?? {};
  return {
    apiVersion: kind.apiVersion,
    kind: kind.kind,
    metadata: { name: "sample" },
    spec: { ...spec, ...more },
  };
}

// What the CEL rules of a kind, or objects that may not be empty, ask for beyond its required fields.
const NEEDED_BY_RULES: Readonly<Record<string, object>> = {
  Cluster: { paused: true },
  KubeadmConfigTemplate: { template: { spec: { format: "cloud-config" } } },
  ExtensionConfig: { clientConfig: { url: "https://updater.example.com" } },
};

function pathOf({ group, version, plural, namespaced }: CustomKind): string {
  return `/apis/${group}/${version}/${namespaced ? "namespaces/default/" : ""}${plural}`;
}

describe("our kinds", () => {
  test.each(customKinds.map((kind) => [kind.kind, kind] as const))(
    "%s: the smallest valid object is returned as it was sent, with strict validation, and the same from a CRD",
    async (_, kind) => {
      const fromStart = new TestClient({ kinds: [kind], admissions: [] });
      const fromDefinition = new TestClient({ kinds: [] });
      expect((await fromDefinition.create(paths.definitions, toCustomResourceDefinition(kind))).status).toBe(
        201,
      );
      const object = sample(kind);
      const { body, status } = await fromDefinition.create(`${pathOf(kind)}?fieldValidation=Strict`, object);
      expect([status, body.message]).toEqual([201, undefined]);
      expect((await fromDefinition.get(`${pathOf(kind)}/sample`)).body).toMatchObject(object);
      const other = await fromStart.create(`${pathOf(kind)}?fieldValidation=Strict`, {
        ...object,
        spec: "x",
      });
      const same = await fromDefinition.create(`${pathOf(kind)}?fieldValidation=Strict`, {
        ...object,
        spec: "x",
      });
      expect(other.body).toEqual(same.body);
      expect(other.body.code).toBe(422);
    },
  );

  test("compile once for any number of servers", () => {
    const [kind] = customKinds;
    const [first, second] = [0, 0].map((since) => kindResources(kind as CustomKind, since)[0]?.schema);
    expect(first).toBe(second);
  });

  test("with equal schemas in several versions share one", () => {
    const kind = customKinds.find(({ alsoServed }) => alsoServed.length > 0) as CustomKind;
    const resources = kindResources(kind, 0);
    expect(resources.length).toBeGreaterThan(1);
    expect(new Set(resources.map(({ schema }) => schema)).size).toBe(1);
  });
});
