import { describe, expect, test } from "vitest";
import { paths, type Seen, TestClient, widget } from "../testing.ts";
import type { Admission } from "./admission.ts";

const A = `${paths.widgets}/a`;

async function withWidget(
  rest: Parameters<typeof widget>[1] = {},
): Promise<{ client: TestClient; stored: Seen }> {
  const client = new TestClient();
  const { body } = await client.create(paths.widgets, widget("a", rest));
  return { client, stored: body };
}

describe("update", () => {
  test("replaces the object and keeps its identity", async () => {
    const { client, stored } = await withWidget({ spec: { x: 1 }, metadata: { labels: { l: "1" } } });
    const { status, body } = await client.update(
      A,
      widget("a", { spec: { y: 2 }, metadata: { resourceVersion: stored.metadata.resourceVersion } }),
    );
    expect(status).toBe(200);
    expect(body.spec).toEqual({ y: 2 });
    expect(body.metadata.labels).toBeUndefined();
    expect(body.metadata.uid).toBe(stored.metadata.uid);
    expect(body.metadata.generation).toBe(2);
    expect(Number(body.metadata.resourceVersion)).toBe(Number(stored.metadata.resourceVersion) + 1);
  });

  test("refuses a stale resourceVersion with kube-apiserver's message", async () => {
    const { client } = await withWidget();
    const { body } = await client.update(A, widget("a", { metadata: { resourceVersion: "1" } }));
    expect(body).toEqual({
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      message:
        'Operation cannot be fulfilled on widgets.test.x-k8s.io "a": the object has been modified; please apply your changes to the latest version and try again',
      reason: "Conflict",
      details: { name: "a", group: "test.x-k8s.io", kind: "widgets" },
      code: 409,
    });
  });

  test("requires a resourceVersion for custom kinds, and not for most others", async () => {
    const { client } = await withWidget();
    const custom = await client.update(A, widget("a"));
    expect(custom.body).toMatchObject({
      code: 422,
      message:
        'widgets.test.x-k8s.io "a" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update',
    });
    await client.create(paths.configMaps, { metadata: { name: "c" }, data: { a: "b" } });
    const builtIn = await client.update(`${paths.configMaps}/c`, {
      metadata: { name: "c" },
      data: { a: "c" },
    });
    expect(builtIn.body.data).toEqual({ a: "c" });
  });

  test.each([
    ["another name", { name: "b" }, 400, "the name of the object (b) does not match the name on the URL (a)"],
    ["no name", { name: "" }, 400, "the name of the object (a based on URL) was undeterminable"],
    ["another namespace", { namespace: "b" }, 400, "does not match the namespace sent on the request"],
    ["another uid", { uid: "b" }, 409, "Precondition failed: UID in precondition: b"],
    [
      "a version that is not a number",
      { resourceVersion: "b" },
      500,
      'strconv.ParseUint: parsing "b": invalid syntax',
    ],
  ])("refuses %s", async (_, metadata, code, message) => {
    const { client } = await withWidget();
    const { body } = await client.update(A, { ...widget("a"), metadata: { name: "a", ...metadata } });
    expect(body.code).toBe(code);
    expect(body.message).toContain(message);
  });

  test("an update that changes nothing writes nothing", async () => {
    const { client, stored } = await withWidget({ spec: { x: [1] }, metadata: { labels: { l: "1" } } });
    const { body } = await client.merge(A, { spec: { x: [1] }, metadata: { labels: { l: "1" } } });
    expect(body.metadata.resourceVersion).toBe(stored.metadata.resourceVersion);
    expect(client.server.storage.resourceVersion).toBe(Number(stored.metadata.resourceVersion));
  });

  test("the generation counts every change outside metadata and status", async () => {
    const { client } = await withWidget();
    const generations: (number | undefined)[] = [];
    for (const patch of [
      { metadata: { labels: { l: "1" } } },
      { spec: { x: 1 } },
      { spec: { y: 1 } },
      { metadata: { generation: 99 } },
    ]) {
      generations.push((await client.merge(A, patch)).body.metadata.generation);
    }
    generations.push((await client.merge(`${A}/status`, { status: { x: 1 } })).body.metadata.generation);
    expect(generations).toEqual([1, 2, 3, 3, 3]);
  });

  test("the main path does not write the status, the status path nothing else", async () => {
    const { client } = await withWidget({ spec: { x: 1 } });
    await client.merge(A, { status: { no: 1 } });
    expect((await client.get(A)).body.status).toBeUndefined();
    const { body } = await client.merge(`${A}/status`, {
      spec: { x: 2 },
      metadata: { labels: { l: "1" }, finalizers: ["a.b/c"] },
      status: { yes: 1 },
    });
    expect(body).toMatchObject({ spec: { x: 1 }, status: { yes: 1 } });
    expect(body.metadata.labels).toBeUndefined();
    expect(body.metadata.finalizers).toBeUndefined();
  });

  test("a status update ignores invalid metadata that it does not write", async () => {
    const { client } = await withWidget({ metadata: { finalizers: ["a.b/c"] } });
    await client.delete(A);
    const metadata = { uid: "other", finalizers: ["a.b/c", "d.e/f"] };
    const { status, body } = await client.merge(`${A}/status`, { metadata, status: { x: 1 } });
    expect(status).toBe(200);
    expect(body.metadata.finalizers).toEqual(["a.b/c"]);
  });

  test("a status update of Kubernetes' own kinds may change the metadata", async () => {
    const client = new TestClient();
    await client.create(paths.nodes, { metadata: { name: "n" }, spec: { podCIDR: "10.0.0.0/24" } });
    const { body } = await client.merge(`${paths.nodes}/n/status`, {
      spec: { podCIDR: "10.1.0.0/24" },
      metadata: { labels: { l: "1" } },
      status: { phase: "Running" },
    });
    expect(body).toMatchObject({
      metadata: { labels: { l: "1" } },
      spec: { podCIDR: "10.0.0.0/24" },
      status: { phase: "Running" },
    });
  });

  test.each([
    ["uid", { uid: "b" }],
    ["deletionTimestamp", { deletionTimestamp: "2020-01-01T00:00:00Z" }],
  ])("a patch cannot change metadata.%s", async (field, metadata) => {
    const { client } = await withWidget();
    const { body } = await client.merge(A, { metadata });
    expect(body).toMatchObject({ code: 422, reason: "Invalid" });
    expect(body.details.causes[0]).toMatchObject({
      field: `metadata.${field}`,
      message: expect.stringContaining("field is immutable") as string,
    });
  });

  test("the creation time stays what it is", async () => {
    const { client, stored } = await withWidget();
    const { body } = await client.merge(A, { metadata: { creationTimestamp: "2020-01-01T00:00:00Z" } });
    expect(body.metadata.creationTimestamp).toBe(stored.metadata.creationTimestamp);
  });

  test("a namespace keeps its finalizers and its label", async () => {
    const client = new TestClient();
    const { body } = await client.update(`${paths.namespaces}/default`, { metadata: { name: "default" } });
    expect(body).toMatchObject({
      metadata: { labels: { "kubernetes.io/metadata.name": "default" } },
      spec: { finalizers: ["kubernetes"] },
    });
  });

  test("an update of a missing lease creates it, one of a widget does not", async () => {
    const client = new TestClient();
    const lease = {
      apiVersion: "coordination.k8s.io/v1",
      kind: "Lease",
      metadata: { name: "l", resourceVersion: "5" },
    };
    expect((await client.update(`${paths.leases}/l`, lease)).status).toBe(201);
    expect((await client.update(A, widget("a"))).body.message).toBe('widgets.test.x-k8s.io "a" not found');
    expect((await client.merge(`${paths.leases}/m`, { spec: {} })).status).toBe(404);
  });

  test("stores nothing in a dry run", async () => {
    const { client, stored } = await withWidget();
    const { body } = await client.merge(`${A}?dryRun=All`, { spec: { x: 1 } });
    expect(body).toMatchObject({ spec: { x: 1 }, metadata: { generation: 2 } });
    expect((await client.get(A)).body).toEqual(stored);
  });
});

describe("patch", () => {
  // The examples of RFC 7386, appendix A, as far as the target is a field of an object.
  test.each([
    [{ a: "b" }, { a: "c" }, { a: "c" }],
    [{ a: "b" }, { b: "c" }, { a: "b", b: "c" }],
    [{ a: "b" }, { a: null }, {}],
    [{ a: "b", b: "c" }, { a: null }, { b: "c" }],
    [{ a: ["b"] }, { a: "c" }, { a: "c" }],
    [{ a: "c" }, { a: ["b"] }, { a: ["b"] }],
    [{ a: { b: "c" } }, { a: { b: "d", c: null } }, { a: { b: "d" } }],
    [{ a: [{ b: "c" }] }, { a: [1] }, { a: [1] }],
    [
      ["a", "b"],
      ["c", "d"],
      ["c", "d"],
    ],
    [{ a: "b" }, ["c"], ["c"]],
    [{ a: "foo" }, "bar", "bar"],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [[1, 2], { a: "b", c: null }, { a: "b" }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
  ])("merges %j with %j to %j", async (target, patch, expected) => {
    const { client } = await withWidget({ spec: { field: target } });
    expect((await client.merge(A, { spec: { field: patch } })).body.spec).toEqual({ field: expected });
  });

  test("applies a JSON patch, as a whole or not at all", async () => {
    const { client } = await withWidget({ spec: { list: [1] } });
    const good = await client.jsonPatch(A, [
      { op: "test", path: "/spec/list/0", value: 1 },
      { op: "add", path: "/spec/list/-", value: 2 },
    ]);
    expect(good.body.spec).toEqual({ list: [1, 2] });
    const bad = await client.jsonPatch(A, [
      { op: "add", path: "/spec/x", value: 1 },
      { op: "test", path: "/spec/list/0", value: 9 },
    ]);
    expect(bad.body).toMatchObject({
      code: 422,
      reason: "Invalid",
      message: "the server rejected our request due to an error in our request",
    });
    expect((await client.get(A)).body.spec).toEqual({ list: [1, 2] });
  });

  test("a patch with a resourceVersion is a conflict if that is not the newest", async () => {
    const { client, stored } = await withWidget();
    const metadata = { resourceVersion: stored.metadata.resourceVersion };
    expect((await client.merge(A, { metadata, spec: { x: 1 } })).status).toBe(200);
    expect((await client.merge(A, { metadata, spec: { x: 2 } })).body).toMatchObject({
      code: 409,
      reason: "Conflict",
    });
  });

  test("a patch that loses a race is retried on the new state, one with a version is not", async () => {
    const racer: { run: (() => Promise<unknown>) | undefined } = { run: undefined };
    const race: Admission = {
      mutate: async () => {
        const { run } = racer;
        racer.run = undefined;
        await run?.();
      },
    };
    const client = new TestClient({ admissions: [race] });
    const { body } = await client.create(paths.widgets, widget("a"));
    racer.run = () => client.merge(A, { spec: { theirs: 1 } });
    expect((await client.merge(A, { spec: { ours: 1 } })).body.spec).toEqual({ theirs: 1, ours: 1 });
    racer.run = () => client.merge(A, { spec: { theirs: 2 } });
    const { resourceVersion } = (await client.get(A)).body.metadata;
    const lost = await client.merge(A, { metadata: { resourceVersion }, spec: { ours: 2 } });
    expect(lost.body).toMatchObject({ code: 409, reason: "Conflict" });
    expect(body.metadata.generation).toBe(1);
  });

  test("forty patches without a version at the same time all succeed", async () => {
    const slow: Admission = { mutate: () => Promise.resolve() };
    const client = new TestClient({ admissions: [slow] });
    await client.create(paths.widgets, widget("a"));
    const names = Array.from({ length: 40 }, (_, number) => `k${number}`);
    const answers = await Promise.all(names.map((name) => client.merge(A, { spec: { [name]: 1 } })));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(Object.keys((await client.get(A)).body.spec).sort()).toEqual(names.sort());
  });

  test("merges lists of Kubernetes' own kinds by their keys, when it is strategic", async () => {
    const client = new TestClient();
    const containers = [
      { name: "a", image: "one" },
      { name: "b", image: "one" },
    ];
    await client.create(paths.pods, { metadata: { name: "p" }, spec: { containers } });
    const { body } = await client.send("PATCH", `${paths.pods}/p`, {
      body: { spec: { containers: [{ name: "b", image: "two" }] } },
      type: "application/strategic-merge-patch+json",
    });
    expect(body.spec["containers"]).toMatchObject([
      { name: "a", image: "one" },
      { name: "b", image: "two" },
    ]);
  });

  test.each([
    [
      paths.widgets,
      "application/strategic-merge-patch+json",
      "the body of the request was in an unknown format",
    ],
    [paths.widgets, "application/apply-patch+cbor", "the body of the request was in an unknown format"],
    [paths.widgets, "text/plain", "the body of the request was in an unknown format"],
  ])("answers 415 on %s to %s", async (path, type, message) => {
    const client = new TestClient();
    await client.create(path, path === paths.widgets ? widget("a") : { metadata: { name: "a" } });
    const { body } = await client.send("PATCH", `${path}/a`, { body: {}, type });
    expect(body).toMatchObject({ code: 415, reason: "UnsupportedMediaType" });
    expect(body.message).toContain(message);
  });

  test("keys such as __proto__ are data", async () => {
    const { client } = await withWidget();
    const patch = JSON.parse('{"spec":{"__proto__":{"polluted":true}}}') as object;
    const { body } = await client.merge(A, patch);
    expect(Object.keys(body.spec)).toEqual(["__proto__"]);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });
});

describe("scale", () => {
  const SCALE = `${A}/scale`;

  test("returns and sets the replicas of a kind that has them", async () => {
    const { client } = await withWidget({ spec: { replicas: 2 } });
    await client.merge(`${A}/status`, { status: { replicas: 1, selector: "a=b" } });
    const { body } = await client.get(SCALE);
    expect(body).toMatchObject({
      kind: "Scale",
      apiVersion: "autoscaling/v1",
      metadata: { name: "a", namespace: "default" },
      spec: { replicas: 2 },
      status: { replicas: 1, selector: "a=b" },
    });
    expect((await client.merge(SCALE, { spec: { replicas: 5 } })).body.spec).toEqual({ replicas: 5 });
    expect((await client.update(SCALE, { spec: { replicas: 6 } })).body.spec).toEqual({ replicas: 6 });
    expect((await client.get(A)).body).toMatchObject({ spec: { replicas: 6 }, metadata: { generation: 3 } });
  });

  test("refuses a stale version, a negative number and a DELETE", async () => {
    const { client } = await withWidget({ spec: { replicas: 2 } });
    const stale = await client.update(SCALE, { metadata: { resourceVersion: "1" }, spec: { replicas: 6 } });
    expect(stale.body).toMatchObject({ code: 409, reason: "Conflict" });
    const negative = await client.merge(SCALE, { spec: { replicas: -1 } });
    expect(negative.body.message).toContain(
      ".spec.replicas: Invalid value: -1: should be a non-negative integer",
    );
    expect((await client.delete(SCALE)).body.message).toBe(
      'delete is not supported on resources of kind "widgets.test.x-k8s.io"',
    );
  });
});
