import { createRealEnv, type Env, Scheduler, VirtualProcess } from "@capstan/env";
import { describe, expect, test, vi } from "vitest";
import { paths, TestClient, widget } from "../testing.ts";

describe("create", () => {
  test("sets the fields that only the server decides, and ignores the client's values", async () => {
    const env = new VirtualProcess(new Scheduler({ seed: "1" }), "server");
    const client = new TestClient({ env, fieldOwnership: "applied" });
    const { status, body } = await client.create(paths.widgets, {
      ...widget("a", { spec: { x: 1 }, status: { phase: "Fine" } }),
      metadata: {
        name: "a",
        uid: "mine",
        generation: 7,
        creationTimestamp: "2020-01-01T00:00:00Z",
        deletionTimestamp: "2020-01-01T00:00:00Z",
        selfLink: "/x",
        labels: {},
      },
    });
    expect(status).toBe(201);
    expect(body).toEqual({
      apiVersion: "test.x-k8s.io/v1",
      kind: "Widget",
      metadata: {
        name: "a",
        namespace: "default",
        uid: expect.stringMatching(/^[0-9a-f]{8}-/) as string,
        generation: 1,
        creationTimestamp: "2026-01-01T00:00:00Z",
        resourceVersion: "5",
      },
      spec: { x: 1 },
    });
  });

  test("stores a copy: later changes of the caller's object have no effect", async () => {
    const client = new TestClient();
    const spec = { list: [1] };
    await client.create(paths.widgets, widget("a", { spec }));
    spec.list.push(2);
    const { body } = await client.get(`${paths.widgets}/a`);
    expect(body.spec).toEqual({ list: [1] });
    expect(() => Object.assign(body.spec, { x: 1 })).toThrow(TypeError);
  });

  test("reports that the name is taken", async () => {
    const client = new TestClient();
    await client.create(paths.widgets, widget("a"));
    const { body } = await client.create(paths.widgets, widget("a"));
    expect(body).toEqual({
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      message: 'widgets.test.x-k8s.io "a" already exists',
      reason: "AlreadyExists",
      details: { name: "a", group: "test.x-k8s.io", kind: "widgets" },
      code: 409,
    });
  });

  test("tries another generated name when one is taken", async () => {
    const real = createRealEnv();
    const draws = [0, 0, 1];
    let drawn = 0;
    const below = (): number => draws[Math.floor(drawn++ / 5)] ?? 2;
    const env: Env = { ...real, rng: (stream) => ({ ...real.rng(stream), below }) };
    const client = new TestClient({ env });
    const names: string[] = [];
    for (let count = 0; count < 2; count++) {
      const { body } = await client.create(paths.widgets, widget("", { metadata: { generateName: "w-" } }));
      names.push(body.metadata.name);
    }
    expect(names).toEqual(["w-bbbbb", "w-ccccc"]);
  });

  test("generates names from Kubernetes' alphabet", async () => {
    const client = new TestClient();
    const names = new Set<string>();
    for (let count = 0; count < 20; count++) {
      const { body } = await client.create(paths.widgets, widget("", { metadata: { generateName: "w-" } }));
      names.add(body.metadata.name);
    }
    expect(names.size).toBe(20);
    for (const name of names) expect(name).toMatch(/^w-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
  });

  test("cuts a long prefix so that the generated name stays a DNS label", async () => {
    const client = new TestClient();
    const { body } = await client.create(
      paths.widgets,
      widget("", { metadata: { generateName: "x".repeat(100) } }),
    );
    expect(body.metadata.name).toHaveLength(63);
  });

  test("needs a namespace that exists and is not being deleted", async () => {
    const client = new TestClient();
    const elsewhere = paths.widgets.replace("default", "team");
    const missing = await client.create(elsewhere, widget("a"));
    expect(missing.body).toMatchObject({
      code: 404,
      message: 'namespaces "team" not found',
      details: { name: "team", kind: "namespaces" },
    });
    await client.create(paths.namespaces, { metadata: { name: "team" } });
    expect((await client.create(elsewhere, widget("a"))).status).toBe(201);
    await client.delete(`${paths.namespaces}/team`);
    const terminating = await client.create(elsewhere, widget("b"));
    expect(terminating.body).toMatchObject({
      code: 403,
      reason: "Forbidden",
      message:
        'widgets.test.x-k8s.io "b" is forbidden: unable to create new content in namespace team because it is being terminated',
      details: { causes: [{ reason: "NamespaceTerminating", field: "metadata.namespace" }] },
    });
    expect((await client.merge(`${elsewhere}/a`, { spec: { x: 1 } })).status).toBe(200);
  });

  test.each([
    [
      "a name that is not a DNS name",
      { name: "Bad_Name" },
      422,
      /Invalid value: "Bad_Name": a lowercase RFC 1123 subdomain/,
    ],
    ["no name at all", {}, 422, /metadata.name: Required value: name or generateName is required/],
    [
      "a name of the wrong type",
      { name: 5 },
      400,
      /cannot unmarshal number into Go struct field ObjectMeta.name of type string/,
    ],
    [
      "a namespace that differs from the path",
      { name: "a", namespace: "b" },
      400,
      /does not match the namespace sent/,
    ],
    [
      "a label value with a space",
      { name: "a", labels: { l: "c d" } },
      422,
      /metadata.labels: Invalid value: "c d"/,
    ],
    [
      "labels as a list",
      { name: "a", labels: [] },
      400,
      /cannot unmarshal array .* ObjectMeta.labels of type map/,
    ],
    [
      "an annotation key with a space",
      { name: "a", annotations: { "k k": "v" } },
      422,
      /metadata.annotations: Invalid value: "k k"/,
    ],
    [
      "a finalizer with a space",
      { name: "a", finalizers: ["f f"] },
      422,
      /metadata.finalizers: Invalid value: "f f"/,
    ],
    [
      "an owner without a name",
      { name: "a", ownerReferences: [{ apiVersion: "v1", kind: "K", uid: "u" }] },
      422,
      /ownerReferences.name: Invalid value: "": must not be empty/,
    ],
    [
      "too many annotations",
      { name: "a", annotations: { k: "x".repeat(262_144) } },
      422,
      /Too long: may not be more than 262144 bytes/,
    ],
    [
      "a resourceVersion",
      { name: "a", resourceVersion: "5" },
      500,
      /resourceVersion should not be set on objects to be created/,
    ],
  ])("refuses %s", async (_, metadata, code, message) => {
    const client = new TestClient();
    const { body } = await client.create(paths.widgets, { ...widget("a"), metadata });
    expect(body).toMatchObject({ code, message: expect.stringMatching(message) as string });
  });

  test("refuses two controllers", async () => {
    const client = new TestClient();
    const owner = (name: string): object => ({
      apiVersion: "v1",
      kind: "K",
      name,
      uid: name,
      controller: true,
    });
    const { body } = await client.create(
      paths.widgets,
      widget("a", { metadata: { ownerReferences: [owner("x"), owner("y")] } }),
    );
    expect(body.message).toContain('Found "true" in references for K/x and K/y');
  });

  test.each([
    [
      { kind: "Gadget" },
      422,
      'Gadget.test.x-k8s.io "a" is invalid: kind: Invalid value: "Gadget": must be Widget',
    ],
    [{ kind: "" }, 400, "Object 'Kind' is missing"],
    [{ apiVersion: "test.x-k8s.io/v9" }, 400, "does not match the expected API version (test.x-k8s.io/v1)"],
  ])("refuses an object that says %j", async (claim, code, message) => {
    const client = new TestClient();
    const { body } = await client.create(paths.widgets, { ...widget("a"), ...claim });
    expect(body.code).toBe(code);
    expect(body.message).toContain(message);
  });

  test.each([["text"], [[]], [7], [null]])("refuses %j instead of an object", async (value) => {
    const client = new TestClient();
    expect((await client.create(paths.widgets, value)).body).toMatchObject({
      code: 400,
      reason: "BadRequest",
    });
  });

  test("warns about a finalizer without a domain and about unknown fields of the metadata", async () => {
    const client = new TestClient();
    const odd = widget("a", { metadata: { finalizers: ["abc"], colour: "red" } });
    const strict = await client.create(`${paths.widgets}?fieldValidation=Strict`, odd);
    expect(strict.body).toMatchObject({
      code: 400,
      message: expect.stringContaining('unknown field "metadata.colour"') as string,
    });
    const { status, headers } = await client.create(paths.widgets, odd);
    expect(status).toBe(201);
    expect(headers["warning"]).toBe(
      String.raw`299 - "unknown field \"metadata.colour\"", 299 - "metadata.finalizers: \"abc\": prefer a domain-qualified finalizer name including a path (/) to avoid accidental conflicts with other finalizer writers"`,
    );
  });

  test("stores nothing in a dry run", async () => {
    const client = new TestClient();
    const { status, body } = await client.create(`${paths.widgets}?dryRun=All`, widget("a"));
    expect(status).toBe(201);
    expect(body.metadata.uid).toBeDefined();
    expect(body.metadata.resourceVersion).toBeUndefined();
    expect((await client.get(`${paths.widgets}/a`)).status).toBe(404);
    await client.create(paths.widgets, widget("a"));
    expect((await client.create(`${paths.widgets}?dryRun=All`, widget("a"))).status).toBe(409);
    expect((await client.create(`${paths.widgets}?dryRun=Some`, widget("b"))).body.message).toContain(
      'dryRun: Unsupported value: ["Some"]: supported values: "All"',
    );
  });

  test("refuses an object that etcd could not store, and a body longer than 3 MiB", async () => {
    const client = new TestClient();
    const large = await client.create(paths.widgets, widget("a", { spec: { x: "x".repeat(1_600_000) } }));
    expect(large.body).toMatchObject({ code: 500, message: "etcdserver: request is too large" });
    const longer = await client.create(
      paths.widgets,
      JSON.stringify(widget("a", { spec: { x: "x".repeat(3_200_000) } })),
    );
    expect(longer.body).toMatchObject({ code: 413, reason: "RequestEntityTooLarge" });
  });

  test("refuses an apply that etcd could not store before it compares fields", async () => {
    const client = new TestClient();
    const data = Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`key-${index}`, ""]));
    const body = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" }, data };
    const spy = vi.spyOn(Map.prototype, "set");
    try {
      const path = "/api/v1/namespaces/default/configmaps/a?fieldManager=m";
      const refused = await client.send("PATCH", path, { body, type: "application/apply-patch+yaml" });
      expect(refused.body).toMatchObject({ code: 500, message: "etcdserver: request is too large" });
      // Sets of fields are made of maps.
      expect(spy.mock.calls.length).toBeLessThan(1_000);
    } finally {
      spy.mockRestore();
    }
  });

  test("decodes a body of JSON text, and no other text", async () => {
    const client = new TestClient();
    expect((await client.create(paths.widgets, JSON.stringify(widget("a")))).status).toBe(201);
    expect((await client.create(paths.widgets, "{bad")).body).toMatchObject({ code: 400 });
    const wrong = await client.send("POST", paths.widgets, { body: widget("b"), type: "text/plain" });
    expect(wrong.body).toMatchObject({ code: 415, reason: "UnsupportedMediaType" });
  });

  test("sets the defaults of Kubernetes' own kinds", async () => {
    const client = new TestClient();
    const configMap = await client.create(paths.configMaps, { metadata: { name: "c" }, data: { a: "b" } });
    expect(configMap.body).toMatchObject({ apiVersion: "v1", kind: "ConfigMap" });
    expect(configMap.body.metadata.generation).toBeUndefined();
    const pod = await client.create(paths.pods, {
      metadata: { name: "p" },
      spec: { containers: [{ name: "c", image: "i" }] },
      status: { phase: "Running" },
    });
    expect(pod.body).toMatchObject({ metadata: { generation: 1 }, status: { phase: "Pending" } });
    const node = await client.create(paths.nodes, {
      metadata: { name: "n", namespace: "x" },
      status: { phase: "Running" },
    });
    expect(node.body.status).toEqual({ phase: "Running" });
    expect(node.body.metadata.namespace).toBeUndefined();
    const secret = await client.create(paths.secrets, { metadata: { name: "s" }, stringData: { a: "b" } });
    expect(secret.body).toMatchObject({ data: { a: "Yg==" }, type: "Opaque" });
    expect(secret.body).not.toHaveProperty("stringData");
  });

  test("a new server has the namespaces of every cluster", async () => {
    const { body } = await new TestClient().get(paths.namespaces);
    expect(body.items.map(({ metadata }) => metadata.name)).toEqual([
      "default",
      "kube-node-lease",
      "kube-public",
      "kube-system",
    ]);
    expect(body.items[0]).toMatchObject({
      metadata: { labels: { "kubernetes.io/metadata.name": "default" } },
      spec: { finalizers: ["kubernetes"] },
      status: { phase: "Active" },
    });
  });
});
