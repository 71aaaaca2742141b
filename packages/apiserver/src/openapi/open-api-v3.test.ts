import { describe, expect, test } from "vitest";
import { groupVersionPath } from "./documented-kind.ts";
import type { Schema } from "./notation.ts";
import { openApiHash, openApiV3, openApiV3Index } from "./open-api-v3.ts";
import { allKinds, builtIn, builtInKinds } from "./testing.ts";

interface Document {
  paths: Record<string, Record<string, OperationObject>>;
  components: { schemas: Record<string, Schema> };
}

interface OperationObject {
  operationId: string;
  parameters: { name: string }[];
  requestBody: { content: object };
  "x-kubernetes-group-version-kind": object;
}

const paths = [...new Set(allKinds.map(groupVersionPath))];
const documentAt = (path: string): Document => openApiV3(allKinds, path) as Document;

function referencesIn(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, child]) =>
    key === "$ref" && typeof child === "string" ? [child] : referencesIn(child),
  );
}

describe.each(paths)("the document %s", (path) => {
  const document = documentAt(path);

  test("refers only to schemas that it has", () => {
    const known = new Set(
      Object.keys(document.components.schemas).map((name) => `#/components/schemas/${name}`),
    );
    expect(referencesIn(document).filter((reference) => !known.has(reference))).toEqual([]);
  });

  test("has a schema and a patch for each kind", () => {
    for (const { group, version, kind, plural, namespaced } of allKinds.filter(
      (one) => groupVersionPath(one) === path,
    )) {
      const marks = Object.values(document.components.schemas).flatMap(
        (schema) => schema["x-kubernetes-group-version-kind"] ?? [],
      );
      expect(marks).toContainEqual({ group, version, kind });
      const patch =
        document.paths[`/${path}/${namespaced ? "namespaces/{namespace}/" : ""}${plural}/{name}`]?.["patch"];
      expect(patch?.["x-kubernetes-group-version-kind"]).toEqual({ group, version, kind });
      expect(patch?.parameters.map(({ name }) => name)).toEqual([
        "dryRun",
        "fieldManager",
        "fieldValidation",
        "force",
      ]);
    }
  });

  test("gives every operation an id of its own", () => {
    const ids = Object.values(document.paths)
      .flatMap((item) => Object.values(item))
      .flatMap(({ operationId }) => operationId ?? []);
    expect(new Set(ids).size).toBe(ids.length);
  });
});

describe("OpenAPI v3", () => {
  test("has the schema of a custom kind unchanged, with the metadata of every object", () => {
    const pool = documentAt("apis/cluster.x-k8s.io/v1beta2").components.schemas[
      "io.x-k8s.cluster.v1beta2.MachinePool"
    ];
    const source = allKinds.find(({ kind }) => kind === "MachinePool")?.schema as {
      properties: Record<string, unknown>;
    };
    expect(pool?.["properties"]).toMatchObject({
      spec: source.properties["spec"],
      status: source.properties["status"],
      metadata: { allOf: [{ $ref: "#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta" }] },
    });
  });

  test("offers strategic merge for Kubernetes' own kinds only", () => {
    const types = (path: string, item: string): string[] =>
      Object.keys(documentAt(path).paths[item]?.["patch"]?.requestBody.content ?? {});
    const strategic = "application/strategic-merge-patch+json";
    expect(types("api/v1", "/api/v1/nodes/{name}")).toContain(strategic);
    const pools = "/apis/cluster.x-k8s.io/v1beta2/namespaces/{namespace}/machinepools/{name}";
    expect(types("apis/cluster.x-k8s.io/v1beta2", pools)).toEqual([
      "application/apply-patch+yaml",
      "application/json-patch+json",
      "application/merge-patch+json",
    ]);
  });

  test("describes how the containers of a pod are merged", () => {
    const spec = documentAt("api/v1").components.schemas["io.k8s.api.core.v1.PodSpec"] as {
      properties: object;
    };
    expect(spec.properties).toMatchObject({
      containers: { "x-kubernetes-patch-merge-key": "name", "x-kubernetes-patch-strategy": "merge" },
    });
  });

  test("has the fields of each of Kubernetes' own kinds, and accepts any fields for others", () => {
    const known = openApiV3(
      [...builtInKinds, builtIn("odd.example.com", "Oddity")],
      "apis/odd.example.com/v1",
    ) as Document;
    expect(known.components.schemas["com.example.odd.v1.Oddity"]).toMatchObject({
      "x-kubernetes-preserve-unknown-fields": true,
    });
    for (const path of new Set(builtInKinds.map(groupVersionPath)))
      for (const schema of Object.values(documentAt(path).components.schemas))
        if (schema["x-kubernetes-group-version-kind"])
          expect(schema["x-kubernetes-preserve-unknown-fields"]).toBeUndefined();
  });

  test("has no document where nothing is served", () => {
    expect(openApiV3(allKinds, "apis/missing/v1")).toBeUndefined();
  });

  test("lists its documents under URLs that change with them", () => {
    const index = openApiV3Index(allKinds) as { paths: Record<string, { serverRelativeURL: string }> };
    expect(Object.keys(index.paths).sort()).toEqual([...paths].sort());
    expect(index.paths["apis/apps/v1"]?.serverRelativeURL).toBe(
      `/openapi/v3/apis/apps/v1?hash=${openApiHash(documentAt("apis/apps/v1"))}`,
    );
    const fewer = openApiV3Index(allKinds.filter(({ kind }) => kind !== "DaemonSet")) as typeof index;
    expect(fewer.paths["apis/apps/v1"]).not.toEqual(index.paths["apis/apps/v1"]);
    expect(fewer.paths["api/v1"]).toEqual(index.paths["api/v1"]);
  });
});
