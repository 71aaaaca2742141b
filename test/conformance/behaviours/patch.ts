import { expect } from "vitest";
import { type Behaviour, behaviour } from "../behaviour.ts";
import { expectRefusal } from "../body.ts";
import type { Answer, Api } from "../kit.ts";

const WRONG_REQUEST = "the server rejected our request due to an error in our request";

async function patched(api: Api, operations: readonly object[], data: object = { a: "1" }): Promise<Answer> {
  await api.create(api.inNamespace("configmaps"), { metadata: { name: "a" }, data });
  return api.patch(api.inNamespace("configmaps/a"), "json", operations);
}

/** A deployment with two containers and a tolerant pod. */
function deployment(name: string): object {
  const labels = { app: name };
  const containers = [
    { name: "one", image: "one:1", env: [{ name: "A", value: "1" }], ports: [{ containerPort: 80 }] },
    { name: "two", image: "two:1" },
  ];
  return {
    metadata: { name, labels: { deck: "upper" } },
    spec: {
      replicas: 2,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers } },
    },
  };
}

interface PodSpec {
  readonly containers: readonly { name: string; image: string; env?: object[] }[];
}

function podSpec({ body }: Answer): PodSpec {
  return (body.spec["template"] as { spec: PodSpec }).spec;
}

/** What a PATCH does. */
export const patchBehaviours: readonly Behaviour[] = [
  behaviour("a merge patch sets, replaces and, with null, removes", async (api) => {
    await api.create(api.inNamespace("configmaps"), {
      metadata: { name: "a" },
      data: { keep: "1", replace: "1", remove: "1" },
    });
    const answer = await api.patch(api.inNamespace("configmaps/a"), "merge", {
      data: { replace: "2", remove: null, add: "2" },
    });
    expect([answer.status, answer.body.data]).toEqual([200, { keep: "1", replace: "2", add: "2" }]);
  }),

  behaviour("a merge patch replaces lists as a whole", async (api) => {
    const boats = await api.customKind();
    await api.create(boats.path(), boats.object("a", { spec: { crew: [{ name: "a" }, { name: "b" }] } }));
    const { body } = await api.patch(`${boats.path()}/a`, "merge", { spec: { crew: [{ name: "c" }] } });
    expect(body.spec).toEqual({ crew: [{ name: "c" }] });
  }),

  behaviour("a patch that changes nothing keeps the resourceVersion", async (api) => {
    const { metadata } = await api.create(api.inNamespace("configmaps"), {
      metadata: { name: "a" },
      data: { a: "1" },
    });
    const { body } = await api.patch(api.inNamespace("configmaps/a"), "merge", { data: { a: "1" } });
    expect(body.metadata.resourceVersion).toBe(metadata.resourceVersion);
  }),

  behaviour("a patch with an old resourceVersion is refused as a conflict", async (api) => {
    const { metadata } = await api.create(api.inNamespace("configmaps"), { metadata: { name: "a" } });
    const path = api.inNamespace("configmaps/a");
    await api.patch(path, "merge", { data: { a: "1" } });
    const { resourceVersion } = metadata;
    const answer = await api.patch(path, "merge", { metadata: { resourceVersion }, data: { a: "2" } });
    expect([answer.status, answer.body.reason]).toEqual([409, "Conflict"]);
  }),

  behaviour("a patch may not rename an object", async (api) => {
    await api.create(api.inNamespace("configmaps"), { metadata: { name: "a" } });
    const answer = await api.patch(api.inNamespace("configmaps/a"), "merge", { metadata: { name: "b" } });
    expectRefusal(answer, {
      code: 400,
      reason: "BadRequest",
      message: "the name of the object (b) does not match the name on the URL (a)",
    });
  }),

  behaviour("a patch of what is not there is refused", async (api) => {
    const answer = await api.patch(api.inNamespace("configmaps/a"), "merge", { data: {} });
    expectRefusal(answer, {
      code: 404,
      reason: "NotFound",
      message: 'configmaps "a" not found',
      details: { name: "a", kind: "configmaps" },
    });
  }),

  behaviour("a merge patch that is no object is refused", async (api) => {
    await api.create(api.inNamespace("configmaps"), { metadata: { name: "a" } });
    const answer = await api.patch(api.inNamespace("configmaps/a"), "merge", "[1]");
    expect([answer.status, answer.body.reason]).toEqual([400, "BadRequest"]);
  }),

  behaviour("a JSON patch adds, replaces and removes", async (api) => {
    const answer = await patched(
      api,
      [
        { op: "add", path: "/data/c", value: "3" },
        { op: "replace", path: "/data/a", value: "2" },
        { op: "remove", path: "/data/b" },
      ],
      { a: "1", b: "1" },
    );
    expect([answer.status, answer.body.data]).toEqual([200, { a: "2", c: "3" }]);
  }),

  behaviour("a JSON patch copies and moves", async (api) => {
    const answer = await patched(api, [
      { op: "copy", from: "/data/a", path: "/data/b" },
      { op: "move", from: "/data/a", path: "/data/c" },
    ]);
    expect(answer.body.data).toEqual({ b: "1", c: "1" });
  }),

  behaviour("a JSON patch whose test holds is applied", async (api) => {
    const answer = await patched(api, [
      { op: "test", path: "/data/a", value: "1" },
      { op: "add", path: "/data/b", value: "2" },
    ]);
    expect([answer.status, answer.body.data]).toEqual([200, { a: "1", b: "2" }]);
  }),

  behaviour("a JSON patch whose test fails is refused whole", async (api) => {
    const answer = await patched(api, [
      { op: "add", path: "/data/b", value: "2" },
      { op: "test", path: "/data/a", value: "2" },
    ]);
    expect([answer.status, answer.body.reason, answer.body.message]).toEqual([422, "Invalid", WRONG_REQUEST]);
    expect((await api.get(api.inNamespace("configmaps/a"))).body.data).toEqual({ a: "1" });
  }),

  behaviour("a JSON patch that removes what is not there is refused", async (api) => {
    const answer = await patched(api, [{ op: "remove", path: "/data/missing" }]);
    expect([answer.status, answer.body.reason, answer.body.message]).toEqual([422, "Invalid", WRONG_REQUEST]);
  }),

  behaviour("a JSON patch that adds below what is not there is refused", async (api) => {
    const answer = await patched(api, [{ op: "add", path: "/binaryData/a", value: "" }]);
    expect([answer.status, answer.body.reason, answer.body.message]).toEqual([422, "Invalid", WRONG_REQUEST]);
  }),

  behaviour("a JSON patch reads ~1 as a slash and ~0 as a tilde", async (api) => {
    const answer = await patched(api, [
      { op: "add", path: "/metadata/annotations", value: {} },
      { op: "add", path: "/metadata/annotations/example.com~1role", value: "deck" },
    ]);
    expect(answer.body.metadata.annotations).toEqual({ "example.com/role": "deck" });
    const boats = await api.customKind();
    await api.create(boats.path(), boats.object("a", { spec: { "a~b": 1, "~1": 2 } }));
    const { body } = await api.patch(`${boats.path()}/a`, "json", [
      { op: "replace", path: "/spec/a~0b", value: 3 },
      { op: "replace", path: "/spec/~01", value: 4 },
    ]);
    expect(body.spec).toEqual({ "a~b": 3, "~1": 4 });
  }),

  behaviour("a JSON patch inserts into lists, and - means after the last", async (api) => {
    const boats = await api.customKind();
    await api.create(boats.path(), boats.object("a", { spec: { crew: ["b", "c"] } }));
    const { body } = await api.patch(`${boats.path()}/a`, "json", [
      { op: "add", path: "/spec/crew/0", value: "a" },
      { op: "add", path: "/spec/crew/-", value: "d" },
      { op: "remove", path: "/spec/crew/1" },
    ]);
    expect(body.spec).toEqual({ crew: ["a", "c", "d"] });
  }),

  behaviour("a JSON patch beyond the end of a list is refused", async (api) => {
    const boats = await api.customKind();
    await api.create(boats.path(), boats.object("a", { spec: { crew: ["a"] } }));
    for (const path of ["/spec/crew/7", "/spec/crew/x", "/spec/crew/00"]) {
      const answer = await api.patch(`${boats.path()}/a`, "json", [{ op: "replace", path, value: "b" }]);
      expect([path, answer.status]).toEqual([path, path === "/spec/crew/00" ? 200 : 422]);
    }
  }),

  behaviour("a JSON patch with an unknown operation is refused", async (api) => {
    const answer = await patched(api, [{ op: "burn", path: "/data/a" }]);
    expect([answer.status, answer.body.reason]).toEqual([422, "Invalid"]);
  }),

  behaviour("a JSON patch that is no list is refused", async (api) => {
    await api.create(api.inNamespace("configmaps"), { metadata: { name: "a" } });
    const answer = await api.patch(api.inNamespace("configmaps/a"), "json", { data: {} });
    expect([answer.status, answer.body.reason]).toEqual([400, "BadRequest"]);
    expect(answer.body.message).toMatch(/^error decoding patch: /);
  }),

  behaviour("a JSON patch through __proto__ finds nothing there and does no harm", async (api) => {
    for (const path of [
      "/__proto__/polluted",
      "/data/__proto__/polluted",
      "/constructor/prototype/polluted",
    ]) {
      const name = api.unique("a");
      await api.create(api.inNamespace("configmaps"), { metadata: { name }, data: { a: "1" } });
      const answer = await api.patch(api.inNamespace(`configmaps/${name}`), "json", [
        { op: "add", path, value: "yes" },
      ]);
      expect([path, answer.status]).toEqual([path, 422]);
    }
    const next = await api.create(api.inNamespace("configmaps"), { metadata: { name: "next" } });
    expect(JSON.stringify(next)).not.toContain("polluted");
  }),

  behaviour("a patch of an unknown type is refused", async (api) => {
    await api.create(api.inNamespace("configmaps"), { metadata: { name: "a" } });
    const headers = { "content-type": "application/json" };
    expectRefusal(await api.patch(api.inNamespace("configmaps/a"), "merge", {}, { headers }), {
      code: 415,
      reason: "UnsupportedMediaType",
      message: "415: Unsupported Media Type",
      details: {},
    });
  }),

  behaviour("a strategic merge patch of a custom object is refused", async (api) => {
    const boats = await api.customKind();
    await api.create(boats.path(), boats.object("a"));
    const answer = await api.patch(`${boats.path()}/a`, "strategic", { spec: {} });
    expect([answer.status, answer.body.reason]).toEqual([415, "UnsupportedMediaType"]);
    expect(answer.body.message).toMatch(
      /^the body of the request was in an unknown format - accepted media types include: application\/json-patch\+json, application\/merge-patch\+json/,
    );
  }),

  behaviour("a strategic merge patch merges lists by their key", async (api) => {
    const path = `/apis/apps/v1/namespaces/${api.namespace}/deployments`;
    await api.create(path, deployment("a"));
    const containers = [{ name: "two", image: "two:2" }];
    const answer = await api.patch(`${path}/a`, "strategic", {
      spec: { template: { spec: { containers } } },
    });
    expect(answer.status).toBe(200);
    expect(podSpec(answer).containers.map(({ name, image }) => [name, image])).toEqual([
      ["one", "one:1"],
      ["two", "two:2"],
    ]);
  }),

  behaviour("a strategic merge patch removes an item by its directive", async (api) => {
    const path = `/apis/apps/v1/namespaces/${api.namespace}/deployments`;
    await api.create(path, deployment("a"));
    const containers = [{ $patch: "delete", name: "one" }];
    const answer = await api.patch(`${path}/a`, "strategic", {
      spec: { template: { spec: { containers } } },
    });
    expect(podSpec(answer).containers.map(({ name }) => name)).toEqual(["two"]);
  }),

  behaviour("a strategic merge patch adds to nested lists and deletes keys with null", async (api) => {
    const path = `/apis/apps/v1/namespaces/${api.namespace}/deployments`;
    await api.create(path, deployment("a"));
    const containers = [{ name: "one", env: [{ name: "B", value: "2" }] }];
    const answer = await api.patch(`${path}/a`, "strategic", {
      metadata: { labels: { deck: null } },
      spec: { template: { spec: { containers } } },
    });
    expect(answer.body.metadata.labels).toBeUndefined();
    const one = podSpec(answer).containers.find(({ name }) => name === "one");
    expect(one?.env).toEqual([
      { name: "B", value: "2" },
      { name: "A", value: "1" },
    ]);
  }),

  behaviour("a strategic merge patch puts a list into the order it is told", async (api) => {
    const path = `/apis/apps/v1/namespaces/${api.namespace}/deployments`;
    await api.create(path, deployment("a"));
    const spec = {
      "$setElementOrder/containers": [{ name: "two" }, { name: "one" }],
      containers: [{ name: "one", image: "one:2" }],
    };
    const answer = await api.patch(`${path}/a`, "strategic", { spec: { template: { spec } } });
    expect(podSpec(answer).containers.map(({ name, image }) => [name, image])).toEqual([
      ["two", "two:1"],
      ["one", "one:2"],
    ]);
  }),

  behaviour("a strategic merge patch with $retainKeys removes the keys it does not name", async (api) => {
    const path = `/apis/apps/v1/namespaces/${api.namespace}/deployments`;
    await api.create(path, deployment("a"));
    const { body } = await api.patch(`${path}/a`, "strategic", {
      spec: { strategy: { $retainKeys: ["type"], type: "Recreate" } },
    });
    expect(body.spec["strategy"]).toEqual({ type: "Recreate" });
  }),

  behaviour("a strategic merge patch replaces lists without a key as a whole", async (api) => {
    const path = `/apis/apps/v1/namespaces/${api.namespace}/deployments`;
    await api.create(path, deployment("a"));
    const patch = (tolerations: object[]) => ({ spec: { template: { spec: { tolerations } } } });
    await api.patch(`${path}/a`, "strategic", patch([{ key: "a", operator: "Exists" }]));
    const answer = await api.patch(`${path}/a`, "strategic", patch([{ key: "b", operator: "Exists" }]));
    expect(podSpec(answer)).toMatchObject({ tolerations: [{ key: "b", operator: "Exists" }] });
  }),

  behaviour("a strategic merge patch of a list item without its key is refused", async (api) => {
    const path = `/apis/apps/v1/namespaces/${api.namespace}/deployments`;
    await api.create(path, deployment("a"));
    const containers = [{ image: "x" }];
    const answer = await api.patch(`${path}/a`, "strategic", {
      spec: { template: { spec: { containers } } },
    });
    expect(answer.status).toBe(500);
    expect(answer.body.message).toContain("does not contain declared merge key: name");
  }),

  behaviour("a strategic merge patch with an unknown directive is refused", async (api) => {
    await api.create(api.inNamespace("configmaps"), { metadata: { name: "a" }, data: { a: "1" } });
    const answer = await api.patch(api.inNamespace("configmaps/a"), "strategic", {
      data: { $patch: "burn" },
    });
    expect(answer.status).toBe(500);
    expect(answer.body.message).toMatch(/^unknown patch type: burn/);
  }),

  behaviour("a strategic merge patch with $patch replace replaces", async (api) => {
    await api.create(api.inNamespace("configmaps"), { metadata: { name: "a" }, data: { a: "1", b: "2" } });
    const { body } = await api.patch(api.inNamespace("configmaps/a"), "strategic", {
      data: { $patch: "replace", c: "3" },
    });
    expect(body.data).toEqual({ c: "3" });
  }),

  behaviour("a strategic merge patch merges finalizers as a set", async (api) => {
    await api.create(api.inNamespace("configmaps"), {
      metadata: { name: "a", finalizers: ["example.com/a", "example.com/b"] },
    });
    const path = api.inNamespace("configmaps/a");
    const merged = await api.patch(path, "strategic", { metadata: { finalizers: ["example.com/c"] } });
    expect(merged.body.metadata.finalizers.toSorted()).toEqual([
      "example.com/a",
      "example.com/b",
      "example.com/c",
    ]);
    const removed = await api.patch(path, "strategic", {
      metadata: { "$deleteFromPrimitiveList/finalizers": ["example.com/b"] },
    });
    expect(removed.body.metadata.finalizers.toSorted()).toEqual(["example.com/a", "example.com/c"]);
    await api.patch(path, "merge", { metadata: { finalizers: null } });
  }),

  behaviour("a finalizer without a domain is warned of when it comes, and not again", async (api) => {
    const boats = await api.customKind();
    await api.create(boats.path(), boats.object("a"));
    const path = `${boats.path()}/a`;
    const added = await api.patch(path, "merge", { metadata: { finalizers: ["boats.example.com"] } });
    expect(added.headers["warning"]).toBe(
      String.raw`299 - "metadata.finalizers: \"boats.example.com\": prefer a domain-qualified finalizer name including a path (/) to avoid accidental conflicts with other finalizer writers"`,
    );
    const changed = await api.patch(path, "merge", { metadata: { labels: { deck: "upper" } } });
    expect([changed.status, changed.headers["warning"]]).toEqual([200, undefined]);
    await api.patch(path, "merge", { metadata: { finalizers: null } });
  }),

  behaviour("a patch is validated as the object it makes", async (api) => {
    await api.create(api.inNamespace("configmaps"), { metadata: { name: "a" } });
    const answer = await api.patch(api.inNamespace("configmaps/a"), "merge", { data: { "no key": "1" } });
    expect([answer.status, answer.body.reason]).toEqual([422, "Invalid"]);
    expect(answer.body.message).toContain('ConfigMap "a" is invalid: data[no key]: Invalid value: "no key"');
  }),

  behaviour("a dry run of a patch changes nothing", async (api) => {
    const created = await api.create(api.inNamespace("configmaps"), { metadata: { name: "a" } });
    const path = api.inNamespace("configmaps/a");
    const answer = await api.patch(path, "merge", { data: { a: "1" } }, { query: { dryRun: "All" } });
    expect([answer.status, answer.body.data]).toEqual([200, { a: "1" }]);
    expect((await api.get(path)).body).toEqual(created);
  }),
];
