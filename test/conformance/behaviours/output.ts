import { expect } from "vitest";
import { type Behaviour, behaviour } from "../behaviour.ts";
import type { Api } from "../kit.ts";

const TABLE = { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" };
const METADATA = { accept: "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io" };
const METADATA_LIST = { accept: "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io" };
const COLUMNS = [
  { name: "Sails", type: "integer", jsonPath: ".spec.sails" },
  { name: "Port", type: "string", jsonPath: ".spec.port", priority: 1, description: "Where it is at home." },
];

async function columns(api: Api, path: string): Promise<string[]> {
  const { body } = await api.get(path, { headers: TABLE });
  return body.columnDefinitions.map(({ name, priority }) => (priority === 0 ? name : `(${name})`));
}

const tableOf = (plural: string, path: (api: Api) => string, names: readonly string[]): Behaviour =>
  behaviour(`a table of ${plural} has the columns that kubectl users know`, async (api) => {
    expect(await columns(api, path(api))).toEqual(names);
  });

const inGroup = (group: string, plural: string) => (api: Api) =>
  `/apis/${group}/v1/namespaces/${api.namespace}/${plural}`;

/** How objects are shown other than as they are. */
export const outputBehaviours: readonly Behaviour[] = [
  behaviour("a list as a table has columns and a row with metadata for each object", async (api) => {
    await api.create(api.inNamespace("configmaps"), { metadata: { name: "a" }, data: { a: "1", b: "2" } });
    const { status, body } = await api.get(api.inNamespace("configmaps"), { headers: TABLE });
    expect([status, body.kind, body.apiVersion]).toEqual([200, "Table", "meta.k8s.io/v1"]);
    expect(body.columnDefinitions[0]).toMatchObject({
      name: "Name",
      type: "string",
      format: "name",
      priority: 0,
    });
    expect(body.columnDefinitions.map(({ name }) => name)).toEqual(["Name", "Data", "Age"]);
    expect(body.rows[0]?.cells.slice(0, 2)).toEqual(["a", 2]);
    expect(body.rows[0]?.object).toMatchObject({
      kind: "PartialObjectMetadata",
      apiVersion: "meta.k8s.io/v1",
      metadata: { name: "a", namespace: api.namespace },
    });
  }),

  behaviour("an object as a table is a table of one row", async (api) => {
    await api.create(api.inNamespace("configmaps"), { metadata: { name: "a" } });
    const { body } = await api.get(api.inNamespace("configmaps/a"), { headers: TABLE });
    expect([body.kind, body.rows.length, body.rows[0]?.cells[0]]).toEqual(["Table", 1, "a"]);
  }),

  behaviour("includeObject says what the rows carry", async (api) => {
    await api.create(api.inNamespace("configmaps"), { metadata: { name: "a" }, data: { a: "1" } });
    const object = async (includeObject: string) =>
      (await api.get(api.inNamespace("configmaps"), { headers: TABLE, query: { includeObject } })).body
        .rows[0]?.object;
    expect(await object("None")).toBeNull();
    expect((await object("Metadata"))?.kind).toBe("PartialObjectMetadata");
    expect(await object("Object")).toMatchObject({ kind: "ConfigMap", apiVersion: "v1", data: { a: "1" } });
  }),

  behaviour("an includeObject that does not exist is refused", async (api) => {
    await api.create(api.inNamespace("configmaps"), { metadata: { name: "a" } });
    const query = { includeObject: "Nonsense" };
    const answer = await api.get(api.inNamespace("configmaps/a"), { headers: TABLE, query });
    expect([answer.status, answer.body.message]).toEqual([
      400,
      "Unable to convert to Table as requested: includeObject: Invalid value: \"Nonsense\": must be 'Metadata', 'Object', 'None', or empty",
    ]);
  }),

  behaviour("an empty table has columns and no rows", async (api) => {
    const { body } = await api.get(api.inNamespace("configmaps"), { headers: TABLE });
    expect([body.columnDefinitions.length, body.rows]).toEqual([3, []]);
  }),

  behaviour("a table keeps the token of the next page", async (api) => {
    for (const name of ["a", "b"]) await api.create(api.inNamespace("configmaps"), { metadata: { name } });
    const { body } = await api.get(api.inNamespace("configmaps"), { headers: TABLE, query: { limit: "1" } });
    expect(body.metadata.continue).toMatch(/./);
    expect(body.metadata.remainingItemCount).toBe(1);
  }),

  tableOf("pods", (api) => api.inNamespace("pods"), [
    "Name",
    "Ready",
    "Status",
    "Restarts",
    "Age",
    "(IP)",
    "(Node)",
    "(Nominated Node)",
    "(Readiness Gates)",
  ]),
  tableOf("secrets", (api) => api.inNamespace("secrets"), ["Name", "Type", "Data", "Age"]),
  tableOf("namespaces", () => "/api/v1/namespaces", ["Name", "Status", "Age"]),
  tableOf("nodes", () => "/api/v1/nodes", [
    "Name",
    "Status",
    "Roles",
    "Age",
    "Version",
    "(Internal-IP)",
    "(External-IP)",
    "(OS-Image)",
    "(Kernel-Version)",
    "(Container-Runtime)",
  ]),
  tableOf("deployments", inGroup("apps", "deployments"), [
    "Name",
    "Ready",
    "Up-to-date",
    "Available",
    "Age",
    "(Containers)",
    "(Images)",
    "(Selector)",
  ]),
  tableOf("leases", inGroup("coordination.k8s.io", "leases"), ["Name", "Holder", "Age"]),
  tableOf("roles", inGroup("rbac.authorization.k8s.io", "roles"), ["Name", "Created At"]),
  tableOf("custom resource definitions", () => "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", [
    "Name",
    "Created At",
  ]),

  behaviour("a custom kind without columns shows its name and age", async (api) => {
    const boats = await api.customKind();
    expect(await columns(api, boats.path())).toEqual(["Name", "Age"]);
  }),

  behaviour("a custom kind shows the columns of its definition", async (api) => {
    const boats = await api.customKind({ version: { additionalPrinterColumns: COLUMNS } });
    await api.create(boats.path(), boats.object("a", { spec: { sails: 3, port: "Kiel" } }));
    await api.create(boats.path(), boats.object("b"));
    expect(await columns(api, boats.path())).toEqual(["Name", "Sails", "(Port)"]);
    const { body } = await api.get(boats.path(), { headers: TABLE });
    expect(body.rows.map(({ cells }) => cells)).toEqual([
      ["a", 3, "Kiel"],
      ["b", null, null],
    ]);
  }),

  behaviour("columns show ages, lists and what has another type than they say", async (api) => {
    const column = (name: string, type: string, jsonPath: string) => ({ name, type, jsonPath });
    const boats = await api.customKind({
      version: {
        additionalPrinterColumns: [
          column("Age", "date", ".metadata.creationTimestamp"),
          column("Sunk", "date", ".spec.sunk"),
          column("Crew", "string", ".spec.crew[*].name"),
          column("Sails", "integer", ".spec.sails"),
          column("Afloat", "boolean", ".spec.afloat"),
        ],
      },
    });
    const spec = { sunk: "long ago", crew: [{ name: "a" }, { name: "b" }], sails: "three", afloat: true };
    await api.create(boats.path(), boats.object("a", { spec }));
    const { body } = await api.get(boats.path(), { headers: TABLE });
    expect(body.rows[0]?.cells).toEqual([
      "a",
      expect.stringMatching(/^\d+s$/) as unknown,
      "<invalid>",
      "a",
      null,
      true,
    ]);
  }),

  behaviour("an object may be had as its metadata alone", async (api) => {
    const created = await api.create(api.inNamespace("configmaps"), {
      metadata: { name: "a" },
      data: { a: "1" },
    });
    const { body } = await api.get(api.inNamespace("configmaps/a"), { headers: METADATA });
    expect(body).toEqual({
      kind: "PartialObjectMetadata",
      apiVersion: "meta.k8s.io/v1",
      metadata: created.metadata,
    });
  }),

  behaviour("a list may be had as metadata alone", async (api) => {
    const created = await api.create(api.inNamespace("configmaps"), {
      metadata: { name: "a" },
      data: { a: "1" },
    });
    const { body } = await api.get(api.inNamespace("configmaps"), { headers: METADATA_LIST });
    expect([body.kind, body.apiVersion]).toEqual(["PartialObjectMetadataList", "meta.k8s.io/v1"]);
    expect(body.items).toEqual([
      { kind: "PartialObjectMetadata", apiVersion: "meta.k8s.io/v1", metadata: created.metadata },
    ]);
  }),

  behaviour("a form that an object does not have is refused", async (api) => {
    await api.create(api.inNamespace("configmaps"), { metadata: { name: "a" } });
    const accept = "application/json;as=Boat;v=v1;g=meta.k8s.io";
    const answer = await api.get(api.inNamespace("configmaps/a"), { headers: { accept } });
    expect([answer.status, answer.body.reason]).toEqual([406, "NotAcceptable"]);
    expect(answer.body.message).toMatch(/^only the following media types are accepted: application\/json/);
  }),

  behaviour("the first form that can be had is chosen", async (api) => {
    await api.create(api.inNamespace("configmaps"), { metadata: { name: "a" } });
    const accept =
      "application/json;as=Boat;v=v1;g=meta.k8s.io, application/json;as=Table;v=v1;g=meta.k8s.io";
    const { body } = await api.get(api.inNamespace("configmaps/a"), { headers: { accept } });
    expect(body.kind).toBe("Table");
  }),

  behaviour("an unknown media type is refused", async (api) => {
    await api.create(api.inNamespace("configmaps"), { metadata: { name: "a" } });
    const answer = await api.get(api.inNamespace("configmaps/a"), { headers: { accept: "text/html" } });
    expect([answer.status, answer.body.reason]).toEqual([406, "NotAcceptable"]);
    expect(answer.body.message).toMatch(
      /^406: Not Acceptable\n\nAvailable representations: application\/json/,
    );
  }),

  behaviour("any media type means JSON", async (api) => {
    await api.create(api.inNamespace("configmaps"), { metadata: { name: "a" } });
    for (const accept of ["*/*", "text/html, */*"]) {
      const answer = await api.get(api.inNamespace("configmaps/a"), { headers: { accept } });
      expect([accept, answer.status, answer.headers["content-type"]]).toEqual([
        accept,
        200,
        "application/json",
      ]);
    }
  }),

  behaviour("an object may be had as YAML", async (api) => {
    await api.create(api.inNamespace("configmaps"), { metadata: { name: "a" }, data: { a: "1" } });
    const headers = { accept: "application/yaml" };
    const answer = await api.get(api.inNamespace("configmaps/a"), { headers });
    expect([answer.status, answer.headers["content-type"]]).toEqual([200, "application/yaml"]);
    expect(answer.text).toMatch(/^apiVersion: v1\ndata:\n  a: "1"\nkind: ConfigMap\n/);
  }),

  behaviour("pretty prints with two spaces", async (api) => {
    const { text } = await api.get(api.inNamespace("configmaps"), { query: { pretty: "true" } });
    expect(text.startsWith('{\n  "kind": "ConfigMapList",\n  "apiVersion": "v1",\n')).toBe(true);
  }),
];
