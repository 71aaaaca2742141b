import { Machine, MachineSet, Namespace, Node } from "@capstan/api";
import { createRealEnv } from "@capstan/env";
import { describe, expect, test } from "vitest";
import { createApiServer } from "../api-server.ts";

const { handle } = createApiServer({ env: createRealEnv(), kinds: [Namespace, Node, Machine, MachineSet] });
const get = async (path: string, accept = "application/json") =>
  handle({ method: "GET", path, headers: { accept } });
const body = async (path: string, accept?: string): Promise<Record<string, unknown>> =>
  (await (await get(path, accept)).json()) as Record<string, unknown>;

describe("documents of the server", () => {
  test.each([
    ["/api", "APIVersions"],
    ["/apis", "APIGroupList"],
    ["/apis/cluster.x-k8s.io", "APIGroup"],
    ["/apis/cluster.x-k8s.io/v1beta1", "APIResourceList"],
    ["/apis/cluster.x-k8s.io/v1beta1/", "APIResourceList"],
    ["/api/v1", "APIResourceList"],
  ])("at %s are of kind %s", async (path, kind) => {
    expect((await body(path))["kind"]).toBe(kind);
  });

  test("have everything at once for clients that request the aggregated form", async () => {
    const accept = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json";
    const answer = await get("/apis", accept);
    expect(answer.headers["content-type"]).toContain("as=APIGroupDiscoveryList");
    expect(await answer.json()).toMatchObject({ items: [{}, { metadata: { name: "cluster.x-k8s.io" } }] });
  });

  test.each([
    "/apis/nowhere",
    "/apis/cluster.x-k8s.io/v9",
    "/api/v9",
    "/openapi/v3/apis/nowhere/v1",
    "/nonsense",
  ])("do not exist at %s", async (path) => {
    expect((await get(path)).status).toBe(404);
  });

  test("describe our kinds in OpenAPI, with an ETag, and are linked from the index", async () => {
    const { paths } = (await body("/openapi/v3")) as { paths: Record<string, { serverRelativeURL: string }> };
    const answer = await get(paths["apis/cluster.x-k8s.io/v1beta1"]?.serverRelativeURL ?? "");
    expect(answer.headers["etag"]).toMatch(/^"\w+"$/);
    expect(await answer.text()).toContain("x-kubernetes-group-version-kind");
  });

  test("follow the kinds that CRDs define", async () => {
    const group = async (): Promise<number> => (await get("/apis/example.com")).status;
    expect(await group()).toBe(404);
    const schema = { openAPIV3Schema: { type: "object" } };
    const names = { kind: "Buoy", plural: "buoys", singular: "buoy", listKind: "BuoyList" };
    const versions = [{ name: "v1", served: true, storage: true, schema }];
    const crd = {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: "buoys.example.com" },
      spec: { group: "example.com", scope: "Namespaced", names, versions },
    };
    const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    const created = await handle({
      method: "POST",
      path,
      headers: { "content-type": "application/json" },
      body: crd,
    });
    expect(created.status).toBe(201);
    expect(await group()).toBe(200);
    expect((await body("/openapi/v3"))["paths"]).toHaveProperty(["apis/example.com/v1"]);
  });

  test("report that the server is live and ready, and its version", async () => {
    for (const path of ["/livez", "/readyz", "/healthz"]) expect(await (await get(path)).text()).toBe("ok");
    expect(await body("/version")).toMatchObject({ major: "1", minor: "35" });
  });

  test("are protobuf for a kubectl that predates OpenAPI v3", async () => {
    const answer = await get("/openapi/v2", "application/com.github.proto-openapi.spec.v2@v1.0+protobuf");
    expect(answer.headers["content-type"]).toContain("protobuf");
    expect((await answer.bytes?.())?.length).toBeGreaterThan(10_000);
    expect((await body("/openapi/v2"))["swagger"]).toBe("2.0");
  });
});

describe("a list", () => {
  test("is a Table for clients that request one", async () => {
    const table = await body(
      "/api/v1/namespaces",
      "application/json;as=Table;v=v1;g=meta.k8s.io,application/json",
    );
    expect(table).toMatchObject({
      kind: "Table",
      columnDefinitions: [{ name: "Name" }, { name: "Status" }, { name: "Age" }],
    });
    expect((table["rows"] as { cells: unknown[] }[]).map(({ cells }) => cells[0])).toContain("kube-system");
    expect((await body("/api/v1/namespaces"))["kind"]).toBe("NamespaceList");
  });

  test("is refused when the Table is to include something unknown", async () => {
    const answer = await get(
      "/api/v1/namespaces?includeObject=everything",
      "application/json;as=Table;v=v1;g=meta.k8s.io",
    );
    expect(answer.status).toBe(400);
  });
});
