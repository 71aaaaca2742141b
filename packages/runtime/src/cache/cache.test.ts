import { ConfigMap, Namespace } from "@capstan/api";
import { describe, expect, test } from "vitest";
import { isWatch, plain } from "../answers.fixture.ts";
import { TestObject, testObject, Crate, TestServer, Port } from "../test-server.fixture.ts";
import { silentLogger } from "../log/logger.ts";
import { Cache, type CacheOptions } from "./cache.ts";

const created = (testServer: TestServer, name: string, namespace: string): Promise<unknown> =>
  testServer.run(testServer.client.create(TestObject, testObject(name, { metadata: { namespace } })));

function cacheIn(testServer: TestServer, rest: Partial<CacheOptions> = {}) {
  const { process, client, requests } = testServer.connect("manager");
  const onBug = (error: unknown): void => testServer.scheduler.fail(error);
  const cache = new Cache({ client, env: process, log: silentLogger, onBug, ...rest });
  return { cache, requests };
}

describe("a cache", () => {
  test("watches each kind once for all controllers", async () => {
    const testServer = new TestServer();
    const { cache, requests } = cacheIn(testServer);
    expect(cache.informer(TestObject)).toBe(cache.informer(TestObject));
    expect([cache.follows(TestObject), cache.follows(Crate)]).toEqual([true, false]);
    await testServer.run(cache.start(new AbortController().signal));
    expect(requests.filter((request) => !isWatch(request))).toHaveLength(1);
  });

  test("is ready when each kind has its first list, and names the missing ones", async () => {
    const testServer = new TestServer();
    const { process, client } = testServer.connect("manager", {
      handler: async (request) =>
        request.path.includes("/crates") ? plain(404, "404 page not found\n") : testServer.server(request),
    });
    const onBug = (): void => undefined;
    const cache = new Cache({ client, env: process, log: silentLogger, onBug });
    cache.informer(TestObject);
    cache.informer(Crate);
    expect(cache.pending()).toEqual(["Boat", "Crate"]);
    let isReady = false;
    void cache.start(new AbortController().signal).then(() => {
      isReady = true;
    });
    await testServer.scheduler.advance(60_000);
    expect(cache.pending()).toEqual(["Crate"]);
    expect(isReady).toBe(false);
  });

  test("finds by name, by namespace and by index", async () => {
    const testServer = new TestServer();
    await testServer.run(testServer.client.create(Namespace, { metadata: { name: "north" } }));
    await created(testServer, "a", "default");
    await created(testServer, "b", "north");
    await testServer.run(testServer.client.create(Port, { metadata: { name: "rotterdam" } }));
    const { cache } = cacheIn(testServer);
    cache.informer(TestObject).store.addIndex("initial", ({ metadata }) => [metadata.name[0] ?? ""]);
    cache.informer(Port);
    await testServer.run(cache.start(new AbortController().signal));
    const names = (selection?: Parameters<Cache["list"]>[1]): string[] =>
      cache.list(TestObject, selection).map(({ metadata }) => metadata.name);
    expect(cache.get(TestObject, { name: "b", namespace: "north" })?.metadata.name).toBe("b");
    expect(cache.get(TestObject, { name: "b", namespace: "default" })).toBeUndefined();
    expect(cache.get(Port, { name: "rotterdam" })).toBeDefined();
    expect(names().sort()).toEqual(["a", "b"]);
    expect(names({ namespace: "north" })).toEqual(["b"]);
    expect(names({ index: "initial", value: "a" })).toEqual(["a"]);
  });

  test("watches one namespace if configured, and cluster-scoped kinds as a whole", async () => {
    const testServer = new TestServer();
    await created(testServer, "a", "default");
    await created(testServer, "b", "kube-system");
    await testServer.run(testServer.client.create(Port, { metadata: { name: "rotterdam" } }));
    const { cache, requests } = cacheIn(testServer, { namespace: "kube-system" });
    cache.informer(TestObject);
    cache.informer(Port);
    await testServer.run(cache.start(new AbortController().signal));
    await created(testServer, "c", "default");
    await created(testServer, "d", "kube-system");
    await testServer.scheduler.advance(1_000);
    const names = cache.list(TestObject).map(({ metadata }) => metadata.name);
    expect(names.sort()).toEqual(["b", "d"]);
    expect(cache.list(Port)).toHaveLength(1);
    const testObjects = requests.filter(({ path }) => path.includes("/boats"));
    expect(testObjects.every(({ path }) => path.includes("/namespaces/kube-system/boats"))).toBe(true);
  });

  test("names the fix for a kind that it does not watch", () => {
    const { cache } = cacheIn(new TestServer());
    expect(() => cache.list(ConfigMap)).toThrow(
      'ConfigMap is not cached; list it in "owns" or "watches" of the reconciler that reads it',
    );
  });

  test("watches a kind that is requested after the start", async () => {
    const testServer = new TestServer();
    await created(testServer, "a", "default");
    const { cache } = cacheIn(testServer);
    await testServer.run(cache.start(new AbortController().signal));
    const informer = cache.informer(TestObject);
    await testServer.run(informer.synced);
    expect(cache.list(TestObject)).toHaveLength(1);
  });

  test("ends with its signal, also one that was aborted before the start", async () => {
    const testServer = new TestServer();
    const { cache } = cacheIn(testServer);
    cache.informer(TestObject);
    const stop = new AbortController();
    await testServer.run(cache.start(stop.signal));
    stop.abort(new Error("stopping"));
    await testServer.run(cache.stopped());

    const { cache: second } = cacheIn(new TestServer());
    second.informer(TestObject);
    await testServer.run(second.start(stop.signal));
    await second.stopped();
  });
});
