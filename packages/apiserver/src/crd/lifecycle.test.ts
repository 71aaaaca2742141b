import { createRealEnv } from "@capstan/env";
import { describe, expect, test } from "vitest";
import { createApiServer } from "../api-server.ts";
import { createMemoryStorage } from "../storage/memory.ts";
import { paths, type Seen, takeLines, TestClient, testKinds, Widget } from "../testing.ts";
import { CLEANUP_FINALIZER } from "./definition.ts";

const CRDS = paths.definitions;
const GIZMOS = "/apis/example.com/v1/namespaces/default/gizmos";
const text = { type: "string" };

interface Version {
  name: string;
  served: boolean;
  storage: boolean;
  schema: { openAPIV3Schema: object };
  subresources?: object;
}

const version = (name: string, fields: object = { a: text }, rest: Partial<Version> = {}): Version => ({
  name,
  served: true,
  storage: name === "v1",
  schema: {
    openAPIV3Schema: { type: "object", properties: { spec: { type: "object", properties: fields } } },
  },
  ...rest,
});

const definition = (plural = "gizmos", names: object = {}, versions = [version("v1")]): object => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: `${plural}.example.com` },
  spec: { group: "example.com", scope: "Namespaced", names: { plural, kind: "Gizmo", ...names }, versions },
});

const gizmo = (name: string, rest: object = {}, apiVersion = "example.com/v1"): object => ({
  apiVersion,
  kind: "Gizmo",
  metadata: { name, ...rest },
  spec: { a: "x" },
});

const conditions = ({ status }: Seen): string[] =>
  (status["conditions"] as { type: string; status: string; reason: string }[]).map(
    ({ type, status: is, reason }) => `${type}=${is} ${reason}`,
  );

async function withGizmos(...names: string[]): Promise<TestClient> {
  const client = new TestClient();
  await client.create(CRDS, definition());
  for (const name of names) expect((await client.create(GIZMOS, gizmo(name))).status).toBe(201);
  return client;
}

/** Runs everything that waits only for its turn of the event loop. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await Promise.resolve();
}

describe("a definition that is created", () => {
  test("serves its kind at once, under the given names or those derived from them", async () => {
    const client = new TestClient();
    expect((await client.get(GIZMOS)).body.message).toBe("404 page not found\n");
    const { status, body } = await client.create(
      CRDS,
      definition("gizmos", { shortNames: ["gz"], categories: ["all"] }),
    );
    expect(status).toBe(201);
    expect(conditions(body)).toEqual([
      "NamesAccepted=True NoConflicts",
      "Established=True InitialNamesAccepted",
    ]);
    expect(body.status).toMatchObject({
      acceptedNames: {
        plural: "gizmos",
        singular: "gizmo",
        kind: "Gizmo",
        listKind: "GizmoList",
        shortNames: ["gz"],
        categories: ["all"],
      },
      storedVersions: ["v1"],
    });
    expect(body.spec["conversion"]).toEqual({ strategy: "None" });
    expect((await client.create(GIZMOS, gizmo("g"))).status).toBe(201);
    expect((await client.get(GIZMOS)).body).toMatchObject({
      kind: "GizmoList",
      items: [{ spec: { a: "x" } }],
    });
  });

  test("in a dry run serves nothing", async () => {
    const client = new TestClient();
    expect((await client.create(`${CRDS}?dryRun=All`, definition())).status).toBe(201);
    expect((await client.get(GIZMOS)).status).toBe(404);
  });

  test("has the subresources, versions and scope of its spec, and answers for others as kube-apiserver does", async () => {
    const client = new TestClient();
    await client.create(
      CRDS,
      definition("gizmos", {}, [
        version("v1", {}, { subresources: { status: {} } }),
        version("v2", {}, { served: false }),
      ]),
    );
    await client.create(GIZMOS, gizmo("g"));
    expect((await client.get(`${GIZMOS}/g/status`)).status).toBe(200);
    expect((await client.get(`${GIZMOS}/g/scale`)).body.message).toBe('gizmos.example.com "g" not found');
    for (const path of [GIZMOS.replace("v1", "v2"), "/apis/example.com/v1/gizmos/g"])
      expect((await client.get(path)).body.message).toBe("404 page not found\n");
    expect((await client.get("/apis/example.com/v1/gizmos")).body.items).toHaveLength(1);
  });

  test("waits while its names are taken, and gets them when they are free", async () => {
    const client = await withGizmos();
    const { body } = await client.create(CRDS, definition("gadgets", { shortNames: ["gizmo"] }));
    expect(conditions(body)).toEqual([
      "NamesAccepted=False ListKindConflict",
      "Established=False NotAccepted",
    ]);
    expect(body.status["acceptedNames"]).toEqual({ plural: "gadgets", kind: "" });
    const gadgets = GIZMOS.replace("gizmos", "gadgets");
    expect((await client.get(gadgets)).status).toBe(404);
    await client.delete(`${CRDS}/gizmos.example.com`);
    await settle();
    const later = await client.get(`${CRDS}/gadgets.example.com`);
    expect(conditions(later.body)).toEqual([
      "NamesAccepted=True NoConflicts",
      "Established=True InitialNamesAccepted",
    ]);
    expect((await client.get(gadgets)).status).toBe(200);
  });

  test("cannot take the names of a kind that the server has from its start", async () => {
    const client = new TestClient();
    const other = {
      ...(definition() as Seen),
      metadata: {
        name: "gadgets.test.x-k8s.io",
        annotations: { "api-approved.kubernetes.io": "unapproved" },
      },
    };
    const { body } = await client.create(CRDS, {
      ...other,
      spec: { ...other.spec, group: "test.x-k8s.io", names: { plural: "gadgets", kind: "Widget" } },
    });
    expect(conditions(body)[0]).toBe("NamesAccepted=False ListKindConflict");
  });

  test("replaces a kind that the server has from its start, and restores it when deleted", async () => {
    const client = new TestClient();
    const { group, plural, kind } = Widget;
    const name = `${plural}.${group}`;
    const closed = {
      ...(definition() as Seen),
      metadata: { name, annotations: { "api-approved.kubernetes.io": "unapproved" } },
    };
    await client.create(CRDS, { ...closed, spec: { ...closed.spec, group, names: { plural, kind } } });
    const widget = {
      apiVersion: "test.x-k8s.io/v1",
      kind,
      metadata: { name: "w" },
      spec: { a: "x", unknown: 1 },
    };
    expect((await client.create(paths.widgets, widget)).body.spec).toEqual({ a: "x" });
    await client.delete(`${CRDS}/${name}`);
    await settle();
    expect((await client.get(paths.widgets)).body.items).toEqual([]);
    expect((await client.create(paths.widgets, widget)).body.spec).toEqual({ a: "x", unknown: 1 });
  });
});

describe("a definition that changes", () => {
  test("keeps its kind, scope and group", async () => {
    const client = await withGizmos();
    const { body } = await client.merge(`${CRDS}/gizmos.example.com`, {
      spec: { names: { kind: "Other" }, scope: "Cluster", group: "x.y" },
    });
    expect(body.details.causes.map(({ field, message }) => `${field}: ${message}`)).toEqual([
      'spec.scope: Invalid value: "Cluster": field is immutable',
      'spec.names.kind: Invalid value: "Other": field is immutable',
      'spec.group: Invalid value: "x.y": field is immutable',
    ]);
  });

  test("counts generations of its spec, and accepts new names", async () => {
    const client = await withGizmos();
    const { body } = await client.merge(`${CRDS}/gizmos.example.com`, {
      spec: { names: { shortNames: ["gz"] } },
    });
    expect(body.metadata.generation).toBe(2);
    expect(body.status).toMatchObject({ acceptedNames: { shortNames: ["gz"] } });
  });

  test("reads older objects by its new schema: with new defaults, without dropped fields", async () => {
    const client = await withGizmos("old");
    const { body: before } = await client.get(`${GIZMOS}/old`);
    await client.merge(`${CRDS}/gizmos.example.com`, {
      spec: { versions: [version("v1", { b: { ...text, default: "d" } })] },
    });
    const { body } = await client.get(`${GIZMOS}/old`);
    expect(body.spec).toEqual({ b: "d" });
    expect(body.metadata).toEqual(before.metadata);
    expect((await client.get(GIZMOS)).body.items[0]?.spec).toEqual({ b: "d" });
    const labelled = await client.merge(`${GIZMOS}/old`, { metadata: { labels: { l: "1" } } });
    expect(labelled.body.metadata.generation).toBe(1);
  });

  test("does not block objects that its new schema would refuse", async () => {
    const client = await withGizmos("old");
    await client.merge(`${CRDS}/gizmos.example.com`, {
      spec: { versions: [version("v1", { a: { ...text, pattern: "^y$" }, b: text })] },
    });
    expect((await client.merge(`${GIZMOS}/old`, { spec: { b: "1" } })).status).toBe(200);
    expect((await client.merge(`${GIZMOS}/old`, { spec: { a: "z" } })).status).toBe(422);
  });

  test("is still served when its later names are taken", async () => {
    const client = await withGizmos("one");
    await client.create(CRDS, definition("others", { kind: "Other", shortNames: ["oo"] }));
    const { body } = await client.merge(`${CRDS}/gizmos.example.com`, {
      spec: { names: { shortNames: ["gz", "oo"] } },
    });
    expect(conditions(body)).toEqual([
      "NamesAccepted=False ShortNamesConflict",
      "Established=True InitialNamesAccepted",
    ]);
    expect((await client.get(GIZMOS)).body.items).toHaveLength(1);
  });

  test("ends watches, so that clients reconnect under the new definition", async () => {
    const client = await withGizmos("one");
    const watch = await client.watch(GIZMOS);
    expect(await takeLines(watch, 1)).toEqual(["ADDED one"]);
    await client.merge(`${CRDS}/gizmos.example.com`, { metadata: { labels: { l: "1" } } });
    const next = takeLines(watch, 1);
    await settle();
    await client.create(GIZMOS, gizmo("two"));
    expect(await next).toEqual(["ADDED two"]);
    await client.merge(`${CRDS}/gizmos.example.com`, { spec: { versions: [version("v1", { b: text })] } });
    expect(await watch.next()).toEqual({ done: true, value: undefined });
  });
});

describe("several versions", () => {
  const V2 = GIZMOS.replace("v1", "v2");
  const both = [
    version("v1", { a: text }, { storage: false }),
    version("v2", { a: text, b: { ...text, default: "d" } }, { storage: true }),
  ];

  test("show the same objects, each with its own fields", async () => {
    const client = await withGizmos("old");
    const { body } = await client.merge(`${CRDS}/gizmos.example.com`, { spec: { versions: both } });
    expect(body.status["storedVersions"]).toEqual(["v1", "v2"]);
    expect((await client.get(`${V2}/old`)).body).toMatchObject({
      apiVersion: "example.com/v2",
      spec: { a: "x" },
    });
    await client.create(V2, gizmo("new", {}, "example.com/v2"));
    expect((await client.get(`${V2}/new`)).body.spec).toEqual({ a: "x", b: "d" });
    expect((await client.get(`${GIZMOS}/new`)).body).toMatchObject({
      apiVersion: "example.com/v1",
      spec: { a: "x" },
    });
    expect((await client.merge(`${GIZMOS}/new`, { spec: { a: "y" } })).body.spec).toEqual({ a: "y" });
    expect((await client.get(`${V2}/new`)).body.spec).toEqual({ a: "y", b: "d" });
  });

  test("that objects are stored in cannot be removed", async () => {
    const client = await withGizmos();
    await client.merge(`${CRDS}/gizmos.example.com`, { spec: { versions: both } });
    const { body } = await client.merge(`${CRDS}/gizmos.example.com`, { spec: { versions: both.slice(1) } });
    expect(body.details.causes[0]).toMatchObject({ field: "status.storedVersions[0]" });
  });
});

describe("a definition that is deleted", () => {
  test("deletes its objects, ends watches after their last events, and is no longer served", async () => {
    const client = await withGizmos("one", "two");
    const watch = await client.watch(GIZMOS);
    const { status, body } = await client.delete(`${CRDS}/gizmos.example.com`);
    expect(status).toBe(200);
    expect(body.metadata).toMatchObject({ finalizers: [CLEANUP_FINALIZER], generation: 1 });
    expect(conditions(body)).toContain("Terminating=True InstanceDeletionPending");
    expect(await takeLines(watch, 4)).toEqual(["ADDED one", "ADDED two", "DELETED one", "DELETED two"]);
    expect(await watch.next()).toEqual({ done: true, value: undefined });
    expect((await client.get(`${CRDS}/gizmos.example.com`)).status).toBe(404);
    expect((await client.get(GIZMOS)).body.message).toBe("404 page not found\n");
  });

  test("waits for objects with finalizers, and admits no new ones meanwhile", async () => {
    const client = await withGizmos("free");
    await client.create(GIZMOS, gizmo("held", { finalizers: ["example.com/hold"] }));
    await client.delete(`${CRDS}/gizmos.example.com`);
    await settle();
    expect(conditions((await client.get(`${CRDS}/gizmos.example.com`)).body)).toContain(
      "Terminating=True InstanceDeletionInProgress",
    );
    expect((await client.get(GIZMOS)).body.items.map(({ metadata }) => metadata.name)).toEqual(["held"]);
    expect((await client.create(GIZMOS, gizmo("late"))).body).toMatchObject({
      code: 403,
      message:
        'gizmos.example.com "late" is forbidden: create not allowed while custom resource definition is terminating',
    });
    await client.merge(`${GIZMOS}/held`, { metadata: { finalizers: null } });
    await settle();
    expect((await client.get(`${CRDS}/gizmos.example.com`)).status).toBe(404);
  });

  test("reports when objects cannot be deleted, and tries again when something changes", async () => {
    let isAllowed = false;
    const refuse = { type: "FieldValueForbidden" as const, field: "metadata", message: "Forbidden: not now" };
    const client = new TestClient({
      admissions: [
        {
          validate: ({ operation, kind }) =>
            operation === "DELETE" && kind.kind === "Gizmo" && !isAllowed ? { errors: [refuse] } : {},
        },
      ],
    });
    await client.create(CRDS, definition());
    await client.create(GIZMOS, gizmo("one"));
    await client.delete(`${CRDS}/gizmos.example.com`);
    await settle();
    expect(conditions((await client.get(`${CRDS}/gizmos.example.com`)).body)).toContain(
      "Terminating=True InstanceDeletionFailed",
    );
    isAllowed = true;
    await client.merge(`${GIZMOS}/one`, { metadata: { labels: { l: "1" } } });
    await settle();
    expect((await client.get(`${CRDS}/gizmos.example.com`)).status).toBe(404);
  });

  test("can be created again, without the former objects", async () => {
    const client = await withGizmos("one");
    await client.delete(`${CRDS}/gizmos.example.com`);
    await settle();
    await client.create(CRDS, definition());
    expect((await client.get(GIZMOS)).body.items).toEqual([]);
  });
});

describe("a server that starts again on the same store", () => {
  test("serves the existing definitions, and continues interrupted deletions", async () => {
    const storage = createMemoryStorage();
    const first = new TestClient({ storage });
    await first.create(CRDS, definition());
    await first.create(GIZMOS, gizmo("held", { finalizers: ["example.com/hold"] }));
    const second = new TestClient({ storage });
    expect((await second.get(`${GIZMOS}/held`)).body.spec).toEqual({ a: "x" });
    await second.delete(`${CRDS}/gizmos.example.com`);
    await settle();
    const third = new TestClient({ storage });
    expect((await third.create(GIZMOS, gizmo("late"))).status).toBe(403);
    await third.merge(`${GIZMOS}/held`, { metadata: { finalizers: null } });
    await settle();
    expect((await third.get(`${CRDS}/gizmos.example.com`)).status).toBe(404);
  });

  test("refuses to serve two kinds under one path", () => {
    expect(() => createApiServer({ env: createRealEnv(), kinds: [...testKinds, Widget] })).toThrow(
      /two kinds are served/,
    );
  });
});
