import { Scheduler, VirtualProcess } from "@capstan/env";
import { describe, expect, test } from "vitest";
import { paths, takeLines, TestClient, widget } from "../testing.ts";

const A = `${paths.widgets}/a`;

async function withWidget(metadata: object = {}): Promise<TestClient> {
  const env = new VirtualProcess(new Scheduler({ seed: "1" }), "server");
  const client = new TestClient({ env });
  await client.create(paths.widgets, widget("a", { metadata }));
  return client;
}

describe("delete", () => {
  test("deletes an object without finalizers and answers with a Status", async () => {
    const client = await withWidget();
    const { uid } = (await client.get(A)).body.metadata;
    const { status, body } = await client.delete(A);
    expect(status).toBe(200);
    expect(body).toEqual({
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Success",
      details: { name: "a", group: "test.x-k8s.io", kind: "widgets", uid },
    });
    expect((await client.delete(A)).body).toMatchObject({ code: 404, reason: "NotFound" });
  });

  test("marks an object with finalizers, once", async () => {
    const client = await withWidget({ finalizers: ["a.b/c"] });
    const { body } = await client.delete(A);
    expect(body.metadata).toMatchObject({
      deletionTimestamp: "2026-01-01T00:00:00Z",
      deletionGracePeriodSeconds: 0,
      generation: 2,
      finalizers: ["a.b/c"],
    });
    expect((await client.delete(A)).body).toEqual(body);
  });

  test("deletes the object with its last finalizer, and no client sees it without finalizers", async () => {
    const client = await withWidget({ finalizers: ["a.b/c", "d.e/f"] });
    const watch = await client.watch(paths.widgets);
    await client.delete(A);
    expect((await client.merge(A, { metadata: { finalizers: ["a.b/c"] } })).status).toBe(200);
    const last = await client.merge(A, { metadata: { finalizers: null } });
    expect(last.body.metadata.finalizers).toBeUndefined();
    expect((await client.get(A)).status).toBe(404);
    expect(await takeLines(watch, 3)).toEqual(["ADDED a", "MODIFIED a", "MODIFIED a"]);
    const { value } = await watch.next();
    expect(value).toMatchObject({
      type: "DELETED",
      object: {
        metadata: { finalizers: ["a.b/c"], resourceVersion: String(client.server.storage.resourceVersion) },
      },
    });
  });

  test("accepts no new finalizers and no restoration after the deletion has begun", async () => {
    const client = await withWidget({ finalizers: ["a.b/c"] });
    await client.delete(A);
    const added = await client.merge(A, { metadata: { finalizers: ["a.b/c", "d.e/f"] } });
    expect(added.body).toMatchObject({
      code: 422,
      message:
        'Widget.test.x-k8s.io "a" is invalid: metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"d.e/f"}',
    });
    const undone = await client.merge(A, { metadata: { deletionTimestamp: null, labels: { l: "1" } } });
    expect(undone.body.metadata.deletionTimestamp).toBeDefined();
    expect((await client.merge(A, { spec: { x: 1 } })).body.metadata.generation).toBe(3);
  });

  test.each([
    ["Orphan", ["a.b/c", "orphan"]],
    ["Foreground", ["a.b/c", "foregroundDeletion"]],
    ["Background", ["a.b/c"]],
  ])(
    "propagationPolicy %s leaves the finalizers %j for the garbage collector",
    async (policy, finalizers) => {
      const client = await withWidget({ finalizers: ["orphan", "a.b/c"] });
      expect((await client.delete(A, { propagationPolicy: policy })).body.metadata.finalizers).toEqual(
        finalizers,
      );
    },
  );

  test("accepts the policy in the query or as orphanDependents", async () => {
    const client = await withWidget();
    const foreground = await client.delete(`${A}?propagationPolicy=Foreground`);
    expect(foreground.body.metadata.finalizers).toEqual(["foregroundDeletion"]);
    const orphan = await client.delete(A, { orphanDependents: true });
    expect(orphan.body.metadata.finalizers).toEqual(["orphan"]);
    expect((await client.delete(A, { orphanDependents: false })).body).toMatchObject({ status: "Success" });
  });

  test.each([
    [
      { propagationPolicy: "Sideways" },
      422,
      'propagationPolicy: Unsupported value: "Sideways": supported values: "Foreground", "Background", "Orphan", "nil"',
    ],
    [
      { propagationPolicy: "Orphan", orphanDependents: true },
      422,
      "orphanDependents and deletionPropagation cannot be both set",
    ],
    [
      { gracePeriodSeconds: "soon" },
      400,
      "cannot unmarshal string into Go struct field DeleteOptions.gracePeriodSeconds",
    ],
    [
      { preconditions: { uid: "x" } },
      409,
      "the UID in the precondition (x) does not match the UID in record",
    ],
    [
      { preconditions: { resourceVersion: "1" } },
      409,
      "the ResourceVersion in the precondition (1) does not match",
    ],
    [{ dryRun: ["Some"] }, 422, "dryRun: Unsupported value"],
    [{ kind: "Widget" }, 400, "must be of kind DeleteOptions"],
    [[], 400, "must be a DeleteOptions object"],
  ])("refuses %j", async (options, code, message) => {
    const client = await withWidget();
    const { body } = await client.delete(A, options);
    expect(body.code).toBe(code);
    expect(body.message).toContain(message);
    expect((await client.get(A)).status).toBe(200);
  });

  test("succeeds if the preconditions hold", async () => {
    const client = await withWidget();
    const { uid, resourceVersion } = (await client.get(A)).body.metadata;
    expect((await client.delete(A, { preconditions: { uid, resourceVersion } })).status).toBe(200);
  });

  test("deletes nothing in a dry run", async () => {
    const client = await withWidget();
    expect((await client.delete(`${A}?dryRun=All`)).body).toMatchObject({ status: "Success" });
    expect((await client.delete(A, { dryRun: ["All"] })).body).toMatchObject({ status: "Success" });
    expect((await client.get(A)).status).toBe(200);
  });

  test("deletes a collection by selector, within a namespace only", async () => {
    const client = await withWidget({ labels: { l: "1" } });
    await client.create(
      paths.widgets,
      widget("b", { metadata: { labels: { l: "1" }, finalizers: ["a.b/c"] } }),
    );
    await client.create(paths.widgets, widget("c"));
    const { body } = await client.delete(`${paths.widgets}?labelSelector=l%3D1`);
    expect(body.kind).toBe("WidgetList");
    expect(body.items.map(({ metadata }) => metadata.name)).toEqual(["a", "b"]);
    const left = (await client.get(paths.widgets)).body.items.map(({ metadata }) => metadata);
    expect(left.map(({ name, deletionTimestamp }) => [name, deletionTimestamp !== undefined])).toEqual([
      ["b", true],
      ["c", false],
    ]);
    expect((await client.delete("/api/v1/configmaps")).status).toBe(405);
    expect((await client.delete(paths.namespaces)).status).toBe(405);
  });
});

describe("graceful deletion of pods", () => {
  const P = `${paths.pods}/p`;

  async function withPod(spec: object): Promise<TestClient> {
    const env = new VirtualProcess(new Scheduler({ seed: "1" }), "server");
    const client = new TestClient({ env });
    const containers = [{ name: "c", image: "i" }];
    await client.create(paths.pods, { metadata: { name: "p" }, spec: { containers, ...spec } });
    return client;
  }

  test("a pod on a node is marked and waits for its kubelet", async () => {
    const client = await withPod({ nodeName: "n" });
    const { body } = await client.delete(P);
    expect(body.metadata).toMatchObject({
      deletionGracePeriodSeconds: 30,
      deletionTimestamp: "2026-01-01T00:00:30Z",
    });
    expect((await client.merge(P, { metadata: { labels: { l: "1" } } })).status).toBe(200);
    expect((await client.delete(P, { gracePeriodSeconds: 0 })).body.kind).toBe("Pod");
    expect((await client.get(P)).status).toBe(404);
  });

  test("a second delete can shorten the wait, never extend it", async () => {
    const client = await withPod({ nodeName: "n", terminationGracePeriodSeconds: 60 });
    const waits: (number | undefined)[] = [];
    for (const options of [{}, { gracePeriodSeconds: 5 }, { gracePeriodSeconds: 50 }])
      waits.push((await client.delete(P, options)).body.metadata.deletionGracePeriodSeconds);
    expect(waits).toEqual([60, 5, 5]);
  });

  test("a pod without a node is deleted at once, after watchers have seen it marked", async () => {
    const client = await withPod({});
    const watch = await client.watch(paths.pods);
    await client.delete(P);
    expect(await takeLines(watch, 3)).toEqual(["ADDED p", "MODIFIED p", "DELETED p"]);
  });
});

describe("deletion of namespaces", () => {
  test("a namespace stays Terminating until it is finalized", async () => {
    const client = new TestClient();
    const path = `${paths.namespaces}/team`;
    await client.create(paths.namespaces, { metadata: { name: "team" } });
    const { body } = await client.delete(path);
    expect(body).toMatchObject({ status: { phase: "Terminating" }, spec: { finalizers: ["kubernetes"] } });
    expect(body.metadata.deletionGracePeriodSeconds).toBeUndefined();
    expect((await client.delete(path)).body).toEqual(body);
    await client.update(`${path}/finalize`, { metadata: { name: "team" }, spec: { finalizers: [] } });
    expect((await client.get(path)).status).toBe(404);
  });

  test("the namespaces that every cluster needs cannot be deleted", async () => {
    const { body } = await new TestClient().delete(`${paths.namespaces}/kube-system`);
    expect(body).toMatchObject({
      code: 403,
      message: 'namespaces "kube-system" is forbidden: this namespace may not be deleted',
    });
  });
});
