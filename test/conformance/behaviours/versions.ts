import { expect } from "vitest";
import { type Behaviour, behaviour } from "../behaviour.ts";
import type { KubeBody } from "../body.ts";
import type { Answer, Api } from "../kit.ts";

const APPLY = { "content-type": "application/apply-patch+yaml" };

/** Applies an object as a manager. */
async function apply(
  api: Api,
  path: string,
  { manager, object, force = false }: { manager: string; object: object; force?: boolean },
): Promise<Answer> {
  const query = { fieldManager: manager, ...(force && { force: "true" }) };
  return await api.call({ method: "PATCH", path, body: object, query, headers: APPLY });
}

interface Entry {
  readonly manager: string;
  readonly operation: string;
  readonly apiVersion: string;
  readonly subresource?: string;
  readonly fieldsV1: object;
}

/** Which fields each manager owns, by its name, operation, version and subresource. */
function owners({ metadata }: KubeBody): Record<string, unknown> {
  const entries = (metadata as unknown as { managedFields: Entry[] }).managedFields;
  return Object.fromEntries(
    entries.map(({ manager, operation, apiVersion, subresource = "", fieldsV1 }) => [
      [manager, operation, apiVersion.split("/")[1], subresource].filter((word) => word !== "").join(" "),
      fieldsV1,
    ]),
  );
}

/** What kinds with several versions do when a conversion is needed between them. */
export const versionBehaviours: readonly Behaviour[] = [
  behaviour("a converted object is read in each version, alone and in lists", async (api) => {
    const crates = await api.crates();
    const created = await api.create(crates.path("v1"), crates.object("v1", { size: 4, paint: "red" }));
    const shown = { dimensions: { size: 4 }, color: "red" };
    const { body } = await api.get(`${crates.path("v2")}/a`);
    const { uid, resourceVersion } = created.metadata;
    expect(body).toMatchObject({
      apiVersion: `${crates.group}/v2`,
      kind: "Crate",
      metadata: { uid, resourceVersion },
      spec: shown,
    });
    const list = (await api.get(crates.path("v2"))).body;
    expect(list).toMatchObject({ apiVersion: `${crates.group}/v2`, kind: "CrateList" });
    expect(list.items.map(({ apiVersion, spec }) => [apiVersion, spec])).toEqual([
      [`${crates.group}/v2`, shown],
    ]);
  }),

  behaviour("a watch sends each event in its version", async (api) => {
    const crates = await api.crates();
    await api.create(crates.path("v1"), crates.object("v1", { size: 4, paint: "red" }));
    const watch = await api.watch(crates.path("v2"));
    expect(await watch.next()).toMatchObject({ type: "ADDED", object: { spec: { color: "red" } } });
    await api.patch(`${crates.path("v1")}/a`, "merge", { spec: { size: 5 } });
    expect(await watch.next()).toMatchObject({
      type: "MODIFIED",
      object: { apiVersion: `${crates.group}/v2`, spec: { dimensions: { size: 5 }, color: "red" } },
    });
    await api.delete(`${crates.path("v1")}/a`);
    expect(await watch.next()).toMatchObject({
      type: "DELETED",
      object: { apiVersion: `${crates.group}/v2`, spec: { color: "red" } },
    });
  }),

  behaviour("an object is created in a version that is not stored", async (api) => {
    const crates = await api.crates();
    const created = await api.create(
      crates.path("v2"),
      crates.object("v2", { color: "red", dimensions: { size: 2 } }),
    );
    expect(created).toMatchObject({
      apiVersion: `${crates.group}/v2`,
      spec: { color: "red", dimensions: { size: 2 } },
      metadata: { generation: 1 },
    });
    const { body } = await api.get(`${crates.path("v1")}/a`);
    expect([body.apiVersion, body.spec]).toEqual([`${crates.group}/v1`, { size: 2, paint: "red" }]);
  }),

  behaviour("updates and patches are made in the version of the request", async (api) => {
    const crates = await api.crates();
    await api.create(crates.path("v1"), crates.object("v1", { size: 4, paint: "red" }));
    const one = `${crates.path("v2")}/a`;
    const { body } = await api.get(one);
    const updated = await api.put(one, { ...body, spec: { ...body.spec, color: "blue" } });
    expect([updated.status, updated.body.spec, updated.body.metadata["generation"]]).toEqual([
      200,
      { dimensions: { size: 4 }, color: "blue" },
      2,
    ]);
    const merged = await api.patch(one, "merge", { spec: { dimensions: { size: 7 } } });
    expect(merged.body.spec).toEqual({ dimensions: { size: 7 }, color: "blue" });
    const patched = await api.patch(one, "json", [{ op: "replace", path: "/spec/color", value: "green" }]);
    expect(patched.body.spec).toEqual({ dimensions: { size: 7 }, color: "green" });
    expect((await api.get(`${crates.path("v1")}/a`)).body.spec).toEqual({ size: 7, paint: "green" });
  }),

  behaviour("an update in another version must name the newest resourceVersion", async (api) => {
    const crates = await api.crates();
    await api.create(crates.path("v1"), crates.object("v1", { size: 4, paint: "red" }));
    const { body } = await api.get(`${crates.path("v2")}/a`);
    await api.patch(`${crates.path("v1")}/a`, "merge", { spec: { size: 5 } });
    const answer = await api.put(`${crates.path("v2")}/a`, { ...body, spec: { color: "blue" } });
    expect([answer.status, answer.body.reason]).toEqual([409, "Conflict"]);
  }),

  behaviour("a write without change in another version is not stored", async (api) => {
    const crates = await api.crates();
    const created = await api.create(crates.path("v1"), crates.object("v1", { size: 4, paint: "red" }));
    const { body } = await api.patch(`${crates.path("v2")}/a`, "merge", { spec: { color: "red" } });
    expect(body.metadata["resourceVersion"]).toBe(created.metadata["resourceVersion"]);
  }),

  behaviour("an object is validated by the schema of its version", async (api) => {
    const crates = await api.crates();
    const low = await api.post(
      crates.path("v2"),
      crates.object("v2", { color: "red", dimensions: { size: 0 } }),
    );
    expect([low.status, low.body.message]).toEqual([
      422,
      `Crate.${crates.group} "a" is invalid: spec.dimensions.size: Invalid value: 0: spec.dimensions.size in body should be greater than or equal to 1`,
    ]);
    const missing = await api.post(crates.path("v2"), crates.object("v2", {}));
    expect([missing.status, missing.body.message]).toEqual([
      422,
      `Crate.${crates.group} "a" is invalid: spec.color: Required value`,
    ]);
    expect((await api.post(crates.path("v1"), crates.object("v1", { size: 0 }))).status).toBe(201);
  }),

  behaviour("fields of another version are unknown", async (api) => {
    const crates = await api.crates();
    const answer = await api.post(crates.path("v2"), crates.object("v2", { color: "red", paint: "x" }));
    expect([answer.status, answer.headers["warning"]]).toEqual([
      201,
      '299 - "unknown field \\"spec.paint\\""',
    ]);
    expect(answer.body.spec).toEqual({ color: "red" });
  }),

  behaviour("a body must have the version of the path", async (api) => {
    const crates = await api.crates();
    const answer = await api.post(crates.path("v2"), crates.object("v1", { size: 1 }));
    expect([answer.status, answer.body.message]).toEqual([
      400,
      `the API version in the data (${crates.group}/v1) does not match the expected API version (${crates.group}/v2)`,
    ]);
  }),

  behaviour("a status is written and read in each version", async (api) => {
    const crates = await api.crates();
    await api.create(crates.path("v1"), crates.object("v1", { size: 4, paint: "red" }));
    const answer = await api.patch(`${crates.path("v2")}/a/status`, "merge", {
      spec: { color: "blue" },
      status: { isReady: true },
    });
    expect([answer.body.spec, answer.body.status]).toEqual([
      { dimensions: { size: 4 }, color: "red" },
      { isReady: true },
    ]);
    const { body } = await api.get(`${crates.path("v1")}/a/status`);
    expect([body.status, body.metadata["generation"]]).toEqual([{ ready: true }, 1]);
  }),

  behaviour("replicas are read and written by the scale of each version", async (api) => {
    const crates = await api.crates();
    await api.create(crates.path("v1"), crates.object("v1", { paint: "red", replicas: 1 }));
    const answer = await api.patch(`${crates.path("v2")}/a/scale`, "merge", { spec: { replicas: 3 } });
    expect([answer.status, answer.body.kind, answer.body.spec]).toEqual([200, "Scale", { replicas: 3 }]);
    expect((await api.get(`${crates.path("v1")}/a`)).body.spec).toEqual({ paint: "red", replicas: 3 });
  }),

  behaviour("a dry run answers in the version of the request", async (api) => {
    const crates = await api.crates();
    const answer = await api.post(`${crates.path("v2")}?dryRun=All`, crates.object("v2", { color: "red" }));
    expect([answer.status, answer.body.apiVersion, answer.body.spec]).toEqual([
      201,
      `${crates.group}/v2`,
      { color: "red" },
    ]);
    expect((await api.get(`${crates.path("v2")}/a`)).status).toBe(404);
  }),

  behaviour("an object is deleted in any version", async (api) => {
    const crates = await api.crates();
    const object = crates.object("v1", { size: 4, paint: "red" }, { finalizers: ["example.com/hold"] });
    await api.create(crates.path("v1"), object);
    const { body } = await api.delete(`${crates.path("v2")}/a`);
    expect([body.apiVersion, body.spec]).toEqual([
      `${crates.group}/v2`,
      { dimensions: { size: 4 }, color: "red" },
    ]);
    await api.patch(`${crates.path("v2")}/a`, "merge", { metadata: { finalizers: null } });
    expect((await api.get(`${crates.path("v1")}/a`)).status).toBe(404);
  }),

  behaviour("discovery prefers the newer version and lists each with its subresources", async (api) => {
    const crates = await api.crates();
    const { body } = await api.get(`/apis/${crates.group}`);
    expect(body).toMatchObject({
      preferredVersion: { groupVersion: `${crates.group}/v2`, version: "v2" },
      versions: [{ version: "v2" }, { version: "v1" }],
    });
    for (const version of ["v1", "v2"]) {
      const resources = (await api.get(`/apis/${crates.group}/${version}`)).body as unknown as {
        resources: { name: string }[];
      };
      expect(resources.resources.map(({ name }) => name).sort()).toEqual([
        "crates",
        "crates/scale",
        "crates/status",
      ]);
    }
  }),

  behaviour("a table has the columns of the version", async (api) => {
    const crates = await api.crates();
    await api.create(crates.path("v1"), crates.object("v1", { size: 4, paint: "red" }));
    for (const [version, column] of [
      ["v1", "Size"],
      ["v2", "Dimension"],
    ] as const) {
      const headers = { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" };
      const { body } = await api.get(crates.path(version), { headers });
      const table = body as unknown as {
        columnDefinitions: { name: string }[];
        rows: { cells: unknown[] }[];
      };
      expect(table.columnDefinitions.map(({ name }) => name)).toEqual(["Name", column]);
      expect(table.rows.map(({ cells }) => cells)).toEqual([["a", 4]]);
    }
  }),

  behaviour("an owner reference keeps the version that it was written with", async (api) => {
    const crates = await api.crates();
    const owner = await api.create(crates.path("v1"), crates.object("v1", { paint: "red" }));
    const reference = {
      apiVersion: `${crates.group}/v2`,
      kind: "Crate",
      name: "a",
      uid: owner.metadata["uid"],
    };
    await api.create(
      crates.path("v1"),
      crates.object("v1", { paint: "red" }, { name: "b", ownerReferences: [reference] }),
    );
    const { body } = await api.get(`${crates.path("v2")}/b`);
    expect(body.metadata["ownerReferences"]).toEqual([reference]);
    await api.delete(`${crates.path("v1")}/a`, { propagationPolicy: "Background" });
    await api.eventually(async () => expect((await api.get(`${crates.path("v1")}/b`)).status).toBe(404));
  }),

  behaviour("an updater owns fields in the version that it wrote", async (api) => {
    const crates = await api.crates();
    await api.post(`${crates.path("v1")}?fieldManager=maker`, crates.object("v1", { size: 4, paint: "red" }));
    const { body } = await api.patch(`${crates.path("v2")}/a?fieldManager=editor`, "merge", {
      spec: { dimensions: { size: 9 } },
    });
    expect(owners(body)).toEqual({
      "editor Update v2": { "f:spec": { "f:dimensions": { "f:size": {} } } },
      "maker Update v1": { "f:spec": { ".": {}, "f:paint": {} } },
    });
  }),

  behaviour("a creator owns fields in the version that it wrote", async (api) => {
    const crates = await api.crates();
    const object = crates.object("v2", { color: "red", dimensions: { size: 1 }, boxes: [{ name: "x" }] });
    const { body } = await api.post(`${crates.path("v2")}?fieldManager=maker`, object);
    expect(owners(body)).toEqual({
      "maker Update v2": {
        "f:spec": {
          ".": {},
          "f:boxes": { ".": {}, 'k:{"name":"x"}': { ".": {}, "f:name": {} } },
          "f:color": {},
          "f:dimensions": { ".": {}, "f:size": {} },
        },
      },
    });
  }),

  behaviour("managers that apply in different versions share an object", async (api) => {
    const crates = await api.crates();
    const one = crates.object("v1", { size: 4 });
    const two = crates.object("v2", { color: "red" });
    const three = crates.object("v2", { color: "red", boxes: [{ name: "x", load: "tea" }] });
    await apply(api, `${crates.path("v1")}/a`, { manager: "one", object: one });
    await apply(api, `${crates.path("v2")}/a`, { manager: "two", object: two });
    await apply(api, `${crates.path("v2")}/a`, { manager: "three", object: three });
    const { body } = await api.get(`${crates.path("v1")}/a`);
    expect(body.spec).toEqual({ size: 4, paint: "red", boxes: [{ name: "x", load: "tea" }] });
    expect(owners(body)).toEqual({
      "one Apply v1": { "f:spec": { "f:size": {} } },
      "two Apply v2": { "f:spec": { "f:color": {} } },
      "three Apply v2": {
        "f:spec": { "f:boxes": { 'k:{"name":"x"}': { ".": {}, "f:load": {}, "f:name": {} } }, "f:color": {} },
      },
    });
  }),

  behaviour("an apply conflicts with managers of another version", async (api) => {
    const crates = await api.crates();
    const one = crates.object("v1", { size: 4, paint: "red" });
    const two = crates.object("v2", { dimensions: { size: 5 }, color: "red" });
    await apply(api, `${crates.path("v1")}/a`, { manager: "one", object: one });
    const refused = await apply(api, `${crates.path("v2")}/a`, { manager: "two", object: two });
    expect([refused.status, refused.body.message]).toEqual([
      409,
      'Apply failed with 1 conflict: conflict with "one": .spec.size',
    ]);
    const forced = await apply(api, `${crates.path("v2")}/a`, { manager: "two", object: two, force: true });
    expect(owners(forced.body)).toEqual({
      "one Apply v1": { "f:spec": { "f:paint": {} } },
      "two Apply v2": { "f:spec": { "f:color": {}, "f:dimensions": { "f:size": {} } } },
    });
  }),

  behaviour("a manager that applies in another version leaves out what it applied before", async (api) => {
    const crates = await api.crates();
    const v1 = crates.object("v1", { size: 4, paint: "red", boxes: [{ name: "x" }, { name: "y" }] });
    const other = crates.object("v1", { boxes: [{ name: "y" }] });
    await apply(api, `${crates.path("v1")}/a`, { manager: "one", object: v1 });
    await apply(api, `${crates.path("v1")}/a`, { manager: "other", object: other });
    const { body } = await apply(api, `${crates.path("v2")}/a`, {
      manager: "one",
      object: crates.object("v2", { color: "red" }),
    });
    expect(body.spec).toEqual({ color: "red", boxes: [{ name: "y" }] });
    expect(owners(body)).toEqual({
      "one Apply v2": { "f:spec": { "f:color": {} } },
      "other Apply v1": { "f:spec": { "f:boxes": { 'k:{"name":"y"}': { ".": {}, "f:name": {} } } } },
    });
  }),

  behaviour("an apply in another version that changes nothing moves only its manager", async (api) => {
    const crates = await api.crates();
    const first = await apply(api, `${crates.path("v1")}/a`, {
      manager: "one",
      object: crates.object("v1", { size: 4, paint: "red" }),
    });
    const object = crates.object("v2", { dimensions: { size: 4 }, color: "red" });
    const moved = await apply(api, `${crates.path("v2")}/a`, { manager: "one", object });
    expect(owners(moved.body)).toEqual({
      "one Apply v2": { "f:spec": { "f:color": {}, "f:dimensions": { "f:size": {} } } },
    });
    expect(moved.body.metadata["generation"]).toBe(first.body.metadata["generation"]);
    const again = await apply(api, `${crates.path("v2")}/a`, { manager: "one", object });
    expect(again.body.metadata["resourceVersion"]).toBe(moved.body.metadata["resourceVersion"]);
  }),

  behaviour(
    "the first apply in another version loses the fields that the version before lacks",
    async (api) => {
      const crates = await api.crates();
      const before = crates.object("v2", { color: "red" });
      await apply(api, `${crates.path("v2")}/a`, { manager: "one", object: before });
      const object = crates.object("v1", { paint: "red", secret: "x" });
      const once = await apply(api, `${crates.path("v1")}/a`, { manager: "one", object });
      expect(once.body.spec).toEqual({ paint: "red" });
      expect(owners(once.body)).toEqual({
        "one Apply v1": { "f:spec": { "f:paint": {}, "f:secret": {} } },
      });
      const twice = await apply(api, `${crates.path("v1")}/a`, { manager: "one", object });
      expect(twice.body.spec).toEqual({ paint: "red", secret: "x" });
    },
  ),

  behaviour("the status of another version has an owner of its own", async (api) => {
    const crates = await api.crates();
    await api.create(crates.path("v1"), crates.object("v1", { paint: "red" }));
    const path = `${crates.path("v2")}/a/status`;
    const object = { ...crates.object("v2", {}), status: { isReady: true } };
    const { body } = await apply(api, path, { manager: "keeper", object });
    expect(owners(body)).toMatchObject({ "keeper Apply v2 status": { "f:status": { "f:isReady": {} } } });
    const { status } = (await api.get(`${crates.path("v1")}/a`)).body;
    expect(status).toEqual({ ready: true });
  }),

  behaviour("the schema of each version is published", async (api) => {
    const crates = await api.crates();
    await api.eventually(async () => {
      const { text } = await api.get(`/openapi/v3/apis/${crates.group}/v2`);
      expect(text).toContain('"dimensions"');
      expect(text).not.toContain('"paint"');
    });
  }),
];
