import { toConvertedDefinition } from "@capstan/api";
import { describe, expect, test } from "vitest";
import { paths, type Seen, TestClient, testKinds } from "../testing.ts";
import { Crate } from "./converted-kind.fixture.ts";

const V1 = "/apis/test.x-k8s.io/v1/namespaces/default/crates";
const V2 = "/apis/test.x-k8s.io/v2/namespaces/default/crates";
const newClient = (): TestClient => new TestClient({ kinds: [...testKinds, Crate] });

const crate = (version: "v1" | "v2", spec: object, name = "a"): object => ({
  apiVersion: `test.x-k8s.io/${version}`,
  kind: "Crate",
  metadata: { name },
  spec,
});

async function apply(client: TestClient, path: string, manager: string, object: object, force = false) {
  return await client.send("PATCH", `${path}?fieldManager=${manager}${force ? "&force=true" : ""}`, {
    body: object,
    type: "application/apply-patch+yaml",
  });
}

/** Which fields each manager owns, by its name, operation and version. */
function owners({ metadata }: Seen): Record<string, unknown> {
  const entries = metadata.managedFields as {
    manager: string;
    operation: string;
    apiVersion: string;
    subresource?: string;
    fieldsV1: object;
  }[];
  return Object.fromEntries(
    entries.map(({ manager, operation, apiVersion, subresource = "", fieldsV1 }) => [
      [manager, operation, apiVersion.split("/")[1], subresource].filter(Boolean).join(" "),
      fieldsV1,
    ]),
  );
}

describe("a kind with two versions", () => {
  test("is read in each of them, alone, in lists and in watches", async () => {
    const client = newClient();
    await client.create(V1, crate("v1", { size: 4, paint: "red", secret: "x" }));
    const shown = { dimensions: { size: 4 }, color: "red" };
    const one = (await client.get(`${V2}/a`)).body;
    expect([one.apiVersion, one.spec]).toEqual(["test.x-k8s.io/v2", shown]);
    const list = (await client.get(V2)).body;
    expect([list.apiVersion, list.items.map(({ spec }) => spec)]).toEqual(["test.x-k8s.io/v2", [shown]]);
    const watch = await client.watch(V2);
    expect((await watch.next()).value).toMatchObject({ type: "ADDED", object: { spec: shown } });
    await client.merge(`${V1}/a`, { spec: { size: 5 } });
    const { value } = await watch.next();
    expect(value).toMatchObject({
      type: "MODIFIED",
      object: { apiVersion: "test.x-k8s.io/v2", spec: { dimensions: { size: 5 } } },
    });
    await client.delete(`${V2}/a`);
    expect((await watch.next()).value).toMatchObject({
      type: "DELETED",
      object: { apiVersion: "test.x-k8s.io/v2", spec: { color: "red" } },
    });
  });

  test("is created in the version that is not stored, with the defaults of the stored one", async () => {
    const client = newClient();
    const { status, body } = await client.create(V2, crate("v2", { color: "red" }));
    expect([status, body.apiVersion, body.spec]).toEqual([
      201,
      "test.x-k8s.io/v2",
      { color: "red", dimensions: { size: 3 } },
    ]);
    expect((await client.get(`${V1}/a`)).body).toMatchObject({
      apiVersion: "test.x-k8s.io/v1",
      spec: { size: 3, paint: "red" },
      metadata: { generation: 1 },
    });
  });

  test("is validated by the schema of the request, then by the rules of the stored version", async () => {
    const client = newClient();
    const missing = await client.create(V2, crate("v2", { dimensions: { size: 0 }, color: "x" }));
    expect(missing.body.details.causes).toMatchObject([{ field: "spec.dimensions.size" }]);
    const pink = await client.create(V2, crate("v2", { color: "pink" }));
    expect([pink.status, pink.body.details.causes[0]?.field]).toEqual([422, "spec.paint"]);
    expect((await client.get(`${V1}/a`)).status).toBe(404);
  });

  test("keeps what the other version cannot express, in every sort of write", async () => {
    const client = newClient();
    await client.create(V1, crate("v1", { size: 4, paint: "red", secret: "x", replicas: 1 }));
    const stored = async (): Promise<unknown> => (await client.get(`${V1}/a`)).body.spec;
    await client.merge(`${V2}/a`, { spec: { color: "blue" } });
    expect(await stored()).toEqual({ size: 4, paint: "blue", secret: "x", replicas: 1 });
    await client.jsonPatch(`${V2}/a`, [{ op: "replace", path: "/spec/dimensions/size", value: 6 }]);
    expect(await stored()).toEqual({ size: 6, paint: "blue", secret: "x", replicas: 1 });
    const read = (await client.get(`${V2}/a`)).body;
    await client.update(`${V2}/a`, { ...read, spec: { ...read.spec, color: "green" } });
    expect(await stored()).toEqual({ size: 6, paint: "green", secret: "x", replicas: 1 });
    await client.merge(`${V2}/a/scale`, { spec: { replicas: 7 } });
    expect(await stored()).toEqual({ size: 6, paint: "green", secret: "x", replicas: 7 });
    await client.merge(`${V2}/a/status`, { status: { isReady: true } });
    expect((await client.get(`${V1}/a`)).body).toMatchObject({
      spec: { size: 6, secret: "x" },
      status: { ready: true },
      metadata: { generation: 5 },
    });
    expect((await client.get(`${V2}/a/scale`)).body).toMatchObject({ kind: "Scale", spec: { replicas: 7 } });
  });

  test("is not written by an update in the other version that changes nothing", async () => {
    const client = newClient();
    const { body } = await client.create(V1, crate("v1", { size: 4, paint: "red", secret: "x" }));
    const read = (await client.get(`${V2}/a`)).body;
    for (const answer of [await client.update(`${V2}/a`, read), await client.merge(`${V2}/a`, {})])
      expect([answer.status, answer.body.metadata.resourceVersion]).toEqual([
        200,
        body.metadata.resourceVersion,
      ]);
  });

  test("is not changed by a text of the other version that says the same in the stored one", async () => {
    const client = newClient();
    const { body } = await client.create(V2, crate("v2", { color: "red", weight: "1kg" }));
    // As kubectl apply sends it again and again: the server shows it as "1000g".
    expect(body.spec).toMatchObject({ weight: "1000g" });
    const answer = await client.merge(`${V2}/a`, { spec: { weight: "1kg" } });
    expect(answer.body.metadata).toMatchObject({
      generation: 1,
      resourceVersion: body.metadata.resourceVersion,
    });
    const heavier = await client.merge(`${V2}/a`, { spec: { weight: "2kg" } });
    expect(heavier.body.metadata).toMatchObject({ generation: 2 });
  });

  test("a dry run answers in the version of the request and stores nothing", async () => {
    const client = newClient();
    const { body } = await client.create(`${V2}?dryRun=All`, crate("v2", { color: "red" }));
    expect([body.apiVersion, body.spec]).toEqual([
      "test.x-k8s.io/v2",
      { color: "red", dimensions: { size: 3 } },
    ]);
    expect((await client.get(`${V2}/a`)).status).toBe(404);
  });

  test("is served in the same way from its CRD", async () => {
    const client = new TestClient({ rules: [Crate] });
    expect((await client.create(paths.definitions, toConvertedDefinition(Crate))).status).toBe(201);
    await client.create(V2, crate("v2", { color: "red" }));
    expect((await client.get(`${V1}/a`)).body.spec).toEqual({ size: 3, paint: "red" });
  });

  test("has a discovery entry, columns and a schema for each version", async () => {
    const client = newClient();
    const group = (await client.get("/apis/test.x-k8s.io")).body as unknown as Record<string, object>;
    expect(group["preferredVersion"]).toEqual({ groupVersion: "test.x-k8s.io/v2", version: "v2" });
    const older = new TestClient({ kinds: [Crate], preferredVersions: { "test.x-k8s.io": "v1" } });
    const same = (await older.get("/apis/test.x-k8s.io")).body as unknown as Record<string, object>;
    expect([same["preferredVersion"], same["versions"]]).toMatchObject([
      { version: "v1" },
      [{ version: "v1" }, { version: "v2" }],
    ]);
    await client.create(V1, crate("v1", { size: 4 }));
    const table = async (path: string): Promise<unknown> => {
      const accept = "application/json;as=Table;v=v1;g=meta.k8s.io";
      const response = await client.server.handle({ method: "GET", path, headers: { accept } });
      const { columnDefinitions, rows } = (await response.json()) as {
        columnDefinitions: { name: string }[];
        rows: { cells: unknown[] }[];
      };
      return [columnDefinitions.map(({ name }) => name), rows[0]?.cells];
    };
    expect(await table(V1)).toEqual([
      ["Name", "Size"],
      ["a", 4],
    ]);
    expect(await table(V2)).toEqual([
      ["Name", "Dimension"],
      ["a", 4],
    ]);
    const open = (await client.get("/openapi/v3/apis/test.x-k8s.io/v2")).body;
    expect(JSON.stringify(open)).toContain("dimensions");
  });
});

describe("server-side apply in two versions", () => {
  test("names the fields of each manager in the version that it used", async () => {
    const client = newClient();
    await apply(client, `${V1}/a`, "one", crate("v1", { size: 4 }));
    await apply(client, `${V2}/a`, "two", crate("v2", { color: "red" }), true);
    const { body } = await client.get(`${V1}/a`);
    expect(body.spec).toEqual({ size: 4, paint: "red" });
    expect(owners(body)).toEqual({
      "one Apply v1": { "f:spec": { "f:size": {} } },
      "two Apply v2": { "f:spec": { "f:color": {} } },
    });
  });

  test("finds conflicts across versions", async () => {
    const client = newClient();
    await apply(client, `${V1}/a`, "one", crate("v1", { size: 4, paint: "red" }));
    const { status, body } = await apply(
      client,
      `${V2}/a`,
      "two",
      crate("v2", { dimensions: { size: 5 }, color: "red" }),
    );
    expect([status, body.message]).toEqual([
      409,
      'Apply failed with 1 conflict: conflict with "one": .spec.size',
    ]);
    const forced = await apply(
      client,
      `${V2}/a`,
      "two",
      crate("v2", { dimensions: { size: 5 }, color: "red" }),
      true,
    );
    expect(owners(forced.body)).toEqual({
      "one Apply v1": { "f:spec": { "f:paint": {} } },
      "two Apply v2": { "f:spec": { "f:color": {}, "f:dimensions": { "f:size": {} } } },
    });
  });

  test("prunes what a manager applied last in the other version", async () => {
    const client = newClient();
    await apply(
      client,
      `${V1}/a`,
      "one",
      crate("v1", { size: 4, paint: "red", boxes: [{ name: "x" }, { name: "y" }] }),
    );
    await apply(client, `${V1}/a`, "other", crate("v1", { boxes: [{ name: "y" }] }));
    const { body } = await apply(client, `${V2}/a`, "one", crate("v2", { color: "red" }));
    expect(body.spec).toEqual({ color: "red", boxes: [{ name: "y" }], dimensions: { size: 3 } });
    expect(owners(body)).toEqual({
      "one Apply v2": { "f:spec": { "f:color": {} } },
      "other Apply v1": { "f:spec": { "f:boxes": { 'k:{"name":"y"}': { ".": {}, "f:name": {} } } } },
    });
  });

  test("takes fields from updaters of the other version", async () => {
    const client = newClient();
    await client.send("POST", `${V1}?fieldManager=maker`, { body: crate("v1", { size: 4, paint: "red" }) });
    const { body } = await client.send("PATCH", `${V2}/a?fieldManager=editor`, {
      body: { spec: { dimensions: { size: 9 } } },
      type: "application/merge-patch+json",
    });
    expect(owners(body)).toMatchObject({
      "editor Update v2": { "f:spec": { "f:dimensions": { "f:size": {} } } },
      "maker Update v1": { "f:spec": { ".": {}, "f:paint": {} } },
    });
  });

  test("writes nothing when the same configuration is applied again", async () => {
    const client = newClient();
    await client.create(V1, crate("v1", { size: 4, paint: "red", secret: "x" }));
    const first = await apply(client, `${V2}/a`, "two", crate("v2", { color: "red" }));
    const again = await apply(client, `${V2}/a`, "two", crate("v2", { color: "red" }));
    expect(again.body).toEqual(first.body);
  });
});
