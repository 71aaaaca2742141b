import { ConfigMap } from "@capstan/api";
import { expect } from "vitest";
import { type Behaviour, behaviour } from "../behaviour.ts";
import { expectRefusal } from "../body.ts";
import type { Api } from "../kit.ts";

async function currentVersion(api: Api): Promise<string> {
  return (await api.get(api.inNamespace("configmaps"))).body.metadata.resourceVersion;
}

const TABLE = { accept: "application/json;as=Table;v=v1;g=meta.k8s.io,application/json" };

/** What a watch shows, and when it ends. */
export const watchBehaviours: readonly Behaviour[] = [
  behaviour("a watch shows what is created, changed and deleted, in this order", async (api) => {
    const path = api.inNamespace("configmaps");
    const watch = await api.watch(path, { resourceVersion: await currentVersion(api) });
    expect([watch.status, watch.headers["content-type"]]).toEqual([200, "application/json"]);
    await api.create(path, { metadata: { name: "a" } });
    await api.patch(`${path}/a`, "merge", { data: { a: "1" } });
    await api.delete(`${path}/a`);
    const changes = [await watch.next(), await watch.next(), await watch.next()];
    expect(changes.map(({ type }) => type)).toEqual(["ADDED", "MODIFIED", "DELETED"]);
    expect(changes[0]?.object).toMatchObject({
      kind: "ConfigMap",
      apiVersion: "v1",
      metadata: { name: "a" },
    });
    expect(changes[1]?.object.data).toEqual({ a: "1" });
    expect(changes[2]?.object.data).toEqual({ a: "1" });
  }),

  behaviour("a deletion has a resourceVersion of its own", async (api) => {
    const path = api.inNamespace("configmaps");
    const created = await api.create(path, { metadata: { name: "a" } });
    const watch = await api.watch(path, { resourceVersion: created.metadata.resourceVersion });
    await api.delete(`${path}/a`);
    const { type, object } = await watch.next();
    expect(type).toBe("DELETED");
    expect(Number(object.metadata.resourceVersion)).toBeGreaterThan(Number(created.metadata.resourceVersion));
  }),

  behaviour("a watch from a version repeats everything after it", async (api) => {
    const path = api.inNamespace("configmaps");
    const { metadata } = await api.create(path, { metadata: { name: "a" } });
    await api.create(path, { metadata: { name: "b" } });
    await api.delete(`${path}/a`);
    const watch = await api.watch(path, { resourceVersion: metadata.resourceVersion });
    expect([await watch.step(), await watch.step()]).toEqual(["ADDED b", "DELETED a"]);
  }),

  behaviour("a watch without a version begins with what is there", async (api) => {
    const path = api.inNamespace("configmaps");
    for (const name of ["b", "a"]) await api.create(path, { metadata: { name } });
    const watch = await api.watch(path);
    expect([await watch.step(), await watch.step()].toSorted()).toEqual(["ADDED a", "ADDED b"]);
    await api.delete(`${path}/b`);
    expect(await watch.step()).toBe("DELETED b");
  }),

  behaviour("a watch from version 0 begins with what is there", async (api) => {
    await api.create(api.inNamespace("configmaps"), { metadata: { name: "a" } });
    const watch = await api.watch(api.inNamespace("configmaps"), { resourceVersion: "0" });
    expect(await watch.step()).toBe("ADDED a");
  }),

  behaviour("an update that changes nothing is not shown", async (api) => {
    const path = api.inNamespace("configmaps");
    const created = await api.create(path, { metadata: { name: "a" } });
    const watch = await api.watch(path, { resourceVersion: created.metadata.resourceVersion });
    await api.put(`${path}/a`, created);
    await api.create(path, { metadata: { name: "b" } });
    expect(await watch.step()).toBe("ADDED b");
  }),

  behaviour(
    "an object that comes into a selection is shown as added, one that leaves it as deleted",
    async (api) => {
      const path = api.inNamespace("configmaps");
      await api.create(path, { metadata: { name: "a" } });
      const watch = await api.watch(path, {
        resourceVersion: await currentVersion(api),
        labelSelector: "deck=upper",
      });
      const label = (deck: string | null) =>
        api.patch(`${path}/a`, "merge", { metadata: { labels: { deck } } });
      await label("upper");
      await api.patch(`${path}/a`, "merge", { data: { a: "1" } });
      await label("lower");
      await label("upper");
      await label(null);
      expect([await watch.step(), await watch.step(), await watch.step()]).toEqual([
        "ADDED a",
        "MODIFIED a",
        "DELETED a",
      ]);
      expect([await watch.step(), await watch.step()]).toEqual(["ADDED a", "DELETED a"]);
    },
  ),

  behaviour("what leaves a selection is shown as it was in it, at its new version", async (api) => {
    const path = api.inNamespace("configmaps");
    const { metadata } = await api.create(path, { metadata: { name: "a", labels: { deck: "upper" } } });
    const watch = await api.watch(path, {
      resourceVersion: metadata.resourceVersion,
      labelSelector: "deck=upper",
    });
    const { body } = await api.patch(`${path}/a`, "merge", { metadata: { labels: { deck: "lower" } } });
    const { object } = await watch.next();
    expect(object.metadata.labels).toEqual({ deck: "upper" });
    expect(object.metadata.resourceVersion).toBe(body.metadata.resourceVersion);
  }),

  behaviour("a watch of one name sees only that object", async (api) => {
    const path = api.inNamespace("configmaps");
    const watch = await api.watch(path, {
      resourceVersion: await currentVersion(api),
      fieldSelector: "metadata.name=b",
    });
    for (const name of ["a", "b"]) await api.create(path, { metadata: { name } });
    expect(await watch.step()).toBe("ADDED b");
  }),

  behaviour("a get of one object is not a watch, with any query", async (api) => {
    const created = await api.create(api.inNamespace("configmaps"), { metadata: { name: "a" } });
    const answer = await api.get(api.inNamespace("configmaps/a"), { query: { watch: "true" } });
    expect(answer.body).toEqual(created);
  }),

  behaviour("a watch of a namespace sees nothing of another", async (api) => {
    const path = api.inNamespace("configmaps");
    const watch = await api.watch(path, { resourceVersion: await currentVersion(api) });
    await api.create("/api/v1/namespaces/default/configmaps", { metadata: { name: api.unique("a") } });
    await api.create(path, { metadata: { name: "b" } });
    expect(await watch.step()).toBe("ADDED b");
  }),

  behaviour("a watch over all namespaces sees each", async (api) => {
    const label = api.unique("watch");
    const watch = await api.watch("/api/v1/configmaps", {
      resourceVersion: await currentVersion(api),
      labelSelector: `label=${label}`,
    });
    const name = api.unique("a");
    for (const path of ["/api/v1/namespaces/default/configmaps", api.inNamespace("configmaps")])
      await api.create(path, { metadata: { name, labels: { label } } });
    const namespaces = [await watch.next(), await watch.next()].map(
      ({ object }) => object.metadata.namespace,
    );
    expect(namespaces).toEqual(["default", api.namespace]);
  }),

  behaviour("the old paths under /watch watch", async (api) => {
    const resourceVersion = await currentVersion(api);
    const many = await api.watch(`/api/v1/watch/namespaces/${api.namespace}/configmaps`, { resourceVersion });
    const one = await api.watch(`/api/v1/watch/namespaces/${api.namespace}/configmaps/b`, {
      resourceVersion,
    });
    for (const name of ["a", "b"]) await api.create(api.inNamespace("configmaps"), { metadata: { name } });
    expect([await many.step(), await many.step()]).toEqual(["ADDED a", "ADDED b"]);
    expect(await one.step()).toBe("ADDED b");
  }),

  behaviour("timeoutSeconds ends a watch in good order", async (api) => {
    const watch = await api.watch(api.inNamespace("configmaps"), {
      resourceVersion: await currentVersion(api),
      timeoutSeconds: "1",
    });
    expect(await watch.rest()).toEqual([]);
  }),

  behaviour("a watch from a version long gone is told so in its stream", async (api) => {
    const boats = await api.customKind();
    const watch = await api.watch(boats.path(), { resourceVersion: "1" });
    const { type, object } = await watch.next();
    expect([watch.status, type]).toEqual([200, "ERROR"]);
    expect(object).toEqual({
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      message: expect.stringMatching(/^too old resource version: 1 \(\d+\)$/) as unknown,
      reason: "Expired",
      code: 410,
    });
    expect(await watch.rest()).toEqual([]);
  }),

  behaviour("a watch from a version of the future is silent", async (api) => {
    const watch = await api.watch(api.inNamespace("configmaps"), {
      resourceVersion: "999999999",
      timeoutSeconds: "1",
    });
    await api.create(api.inNamespace("configmaps"), { metadata: { name: "a" } });
    expect([watch.status, await watch.rest()]).toEqual([200, []]);
  }),

  behaviour("a watch from a version that is no number is refused", async (api) => {
    const query = { watch: "true", resourceVersion: "yesterday" };
    expectRefusal(await api.get(api.inNamespace("configmaps"), { query }), {
      code: 500,
      message:
        'resourceVersion: Invalid value: "yesterday": strconv.ParseUint: parsing "yesterday": invalid syntax',
    });
  }),

  behaviour("sendInitialEvents shows what is there and marks its end", async (api) => {
    const path = api.inNamespace("configmaps");
    for (const name of ["a", "b"]) await api.create(path, { metadata: { name } });
    const watch = await api.watch(path, {
      sendInitialEvents: "true",
      allowWatchBookmarks: "true",
      resourceVersionMatch: "NotOlderThan",
    });
    expect([await watch.step(), await watch.step()].toSorted()).toEqual(["ADDED a", "ADDED b"]);
    const bookmark = await watch.next();
    expect([bookmark.type, bookmark.object.kind, bookmark.object.apiVersion]).toEqual([
      "BOOKMARK",
      "ConfigMap",
      "v1",
    ]);
    expect(bookmark.object.metadata.annotations).toEqual({ "k8s.io/initial-events-end": "true" });
    await api.create(path, { metadata: { name: "c" } });
    const change = await watch.next();
    expect([change.type, change.object.metadata.name]).toEqual(["ADDED", "c"]);
    expect(Number(change.object.metadata.resourceVersion)).toBeGreaterThan(
      Number(bookmark.object.metadata.resourceVersion),
    );
  }),

  behaviour("sendInitialEvents without resourceVersionMatch is refused", async (api) => {
    const answer = await api.get(api.inNamespace("configmaps"), {
      query: { watch: "true", sendInitialEvents: "true" },
    });
    expect([answer.status, answer.body.message]).toEqual([
      422,
      'ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan',
    ]);
  }),

  behaviour("sendInitialEvents without a watch is refused", async (api) => {
    const answer = await api.get(api.inNamespace("configmaps"), {
      query: { sendInitialEvents: "true", resourceVersionMatch: "NotOlderThan" },
    });
    expect([answer.status, answer.body.reason]).toEqual([422, "Invalid"]);
    expect(answer.body.message).toContain(
      "sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list",
    );
  }),

  behaviour("a bookmark comes before a watch ends, if bookmarks were asked for", async (api) => {
    const { metadata } = await api.create(api.inNamespace("configmaps"), { metadata: { name: "a" } });
    const watch = await api.watch(api.inNamespace("configmaps"), {
      resourceVersion: metadata.resourceVersion,
      allowWatchBookmarks: "true",
      timeoutSeconds: "6",
    });
    const changes = await watch.rest();
    const last = changes.at(-1);
    expect([last?.type, last?.object.kind]).toEqual(["BOOKMARK", "ConfigMap"]);
    expect(Object.keys(last?.object.metadata ?? {}).toSorted()).toEqual(["resourceVersion"]);
  }),

  behaviour("a watch for tables sends a table per change, with columns once", async (api) => {
    const path = api.inNamespace("configmaps");
    const watch = await api.watch(path, { resourceVersion: await currentVersion(api) }, TABLE);
    for (const name of ["a", "b"]) await api.create(path, { metadata: { name } });
    const [first, second] = [(await watch.next()).object, (await watch.next()).object];
    expect([first.kind, first.apiVersion]).toEqual(["Table", "meta.k8s.io/v1"]);
    expect(first.columnDefinitions.map(({ name }) => name)).toEqual(["Name", "Data", "Age"]);
    expect([first.rows[0]?.cells[0], first.rows[0]?.object.kind]).toEqual(["a", "PartialObjectMetadata"]);
    expect([second.columnDefinitions, second.rows[0]?.cells[0]]).toEqual([null, "b"]);
  }),

  behaviour("a watch for metadata sends only metadata", async (api) => {
    const path = api.inNamespace("configmaps");
    const watch = await api.watch(
      path,
      { resourceVersion: await currentVersion(api) },
      { accept: "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io" },
    );
    await api.create(path, { metadata: { name: "a" }, data: { a: "1" } });
    const { type, object } = await watch.next();
    expect([type, object.kind, object.apiVersion, object.metadata.name, object.data]).toEqual([
      "ADDED",
      "PartialObjectMetadata",
      "meta.k8s.io/v1",
      "a",
      undefined,
    ]);
  }),

  behaviour("a watch of a custom kind shows the version it was asked for", async (api) => {
    const boats = await api.customKind({ versions: ["v1", "v2"] });
    const watch = await api.watch(boats.path("v2"));
    await api.create(boats.path(), boats.object("a"));
    const { type, object } = await watch.next();
    expect([type, object.apiVersion, object.kind]).toEqual(["ADDED", `${boats.group}/v2`, "Boat"]);
  }),

  behaviour("many watches each see every change", async (api) => {
    const path = api.inNamespace("configmaps");
    const resourceVersion = await currentVersion(api);
    const watches = await Promise.all(Array.from({ length: 10 }, () => api.watch(path, { resourceVersion })));
    for (const name of ["a", "b", "c"]) await api.create(path, { metadata: { name } });
    for (const watch of watches)
      expect([await watch.step(), await watch.step(), await watch.step()]).toEqual([
        "ADDED a",
        "ADDED b",
        "ADDED c",
      ]);
  }),

  behaviour("our own client follows a list without losing a change", async (api) => {
    const client = api.client();
    const name = { namespace: api.namespace, name: "a" };
    const { resourceVersion } = await client.page(ConfigMap, { namespace: api.namespace });
    await client.create(ConfigMap, { metadata: name });
    await client.delete(ConfigMap, name);
    const abort = new AbortController();
    const watch = client.watch(ConfigMap, {
      namespace: api.namespace,
      resourceVersion,
      timeoutSeconds: 30,
      signal: abort.signal,
    });
    const types: string[] = [];
    for await (const { type } of watch) {
      types.push(type);
      if (type === "DELETED") break;
    }
    abort.abort();
    expect(types.filter((type) => type !== "BOOKMARK")).toEqual(["ADDED", "DELETED"]);
  }),
];
