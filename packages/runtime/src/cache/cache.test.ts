import { ConfigMap, Namespace } from "@capstan/api";
import { describe, expect, test } from "vitest";
import { isWatch, plain } from "../answers.fixture.ts";
import { Boat, boat, Crate, Harbour, Port } from "../harbour.fixture.ts";
import { silentLogger } from "../log/logger.ts";
import { Cache, type CacheOptions } from "./cache.ts";

const created = (harbour: Harbour, name: string, namespace: string): Promise<unknown> =>
  harbour.run(harbour.client.create(Boat, boat(name, { metadata: { namespace } })));

function cacheIn(harbour: Harbour, rest: Partial<CacheOptions> = {}) {
  const { process, client, requests } = harbour.connect("manager");
  const onBug = (error: unknown): void => harbour.scheduler.fail(error);
  const cache = new Cache({ client, env: process, log: silentLogger, onBug, ...rest });
  return { cache, requests };
}

describe("a cache", () => {
  test("follows each kind once, whoever asks for it", async () => {
    const harbour = new Harbour();
    const { cache, requests } = cacheIn(harbour);
    expect(cache.informer(Boat)).toBe(cache.informer(Boat));
    expect([cache.follows(Boat), cache.follows(Crate)]).toEqual([true, false]);
    await harbour.run(cache.start(new AbortController().signal));
    expect(requests.filter((request) => !isWatch(request))).toHaveLength(1);
  });

  test("is ready when each kind has its first list, and says which are missing", async () => {
    const harbour = new Harbour();
    const { process, client } = harbour.connect("manager", {
      handler: async (request) =>
        request.path.includes("/crates") ? plain(404, "404 page not found\n") : harbour.server(request),
    });
    const onBug = (): void => undefined;
    const cache = new Cache({ client, env: process, log: silentLogger, onBug });
    cache.informer(Boat);
    cache.informer(Crate);
    expect(cache.pending()).toEqual(["Boat", "Crate"]);
    let isReady = false;
    void cache.start(new AbortController().signal).then(() => {
      isReady = true;
    });
    await harbour.scheduler.advance(60_000);
    expect(cache.pending()).toEqual(["Crate"]);
    expect(isReady).toBe(false);
  });

  test("finds by name, by namespace and by index", async () => {
    const harbour = new Harbour();
    await harbour.run(harbour.client.create(Namespace, { metadata: { name: "north" } }));
    await created(harbour, "a", "default");
    await created(harbour, "b", "north");
    await harbour.run(harbour.client.create(Port, { metadata: { name: "rotterdam" } }));
    const { cache } = cacheIn(harbour);
    cache.informer(Boat).store.addIndex("initial", ({ metadata }) => [metadata.name[0] ?? ""]);
    cache.informer(Port);
    await harbour.run(cache.start(new AbortController().signal));
    const names = (selection?: Parameters<Cache["list"]>[1]): string[] =>
      cache.list(Boat, selection).map(({ metadata }) => metadata.name);
    expect(cache.get(Boat, { name: "b", namespace: "north" })?.metadata.name).toBe("b");
    expect(cache.get(Boat, { name: "b", namespace: "default" })).toBeUndefined();
    expect(cache.get(Port, { name: "rotterdam" })).toBeDefined();
    expect(names().sort()).toEqual(["a", "b"]);
    expect(names({ namespace: "north" })).toEqual(["b"]);
    expect(names({ index: "initial", value: "a" })).toEqual(["a"]);
  });

  test("follows one namespace when told so, and kinds of the cluster as a whole", async () => {
    const harbour = new Harbour();
    await created(harbour, "a", "default");
    await created(harbour, "b", "kube-system");
    await harbour.run(harbour.client.create(Port, { metadata: { name: "rotterdam" } }));
    const { cache, requests } = cacheIn(harbour, { namespace: "kube-system" });
    cache.informer(Boat);
    cache.informer(Port);
    await harbour.run(cache.start(new AbortController().signal));
    await created(harbour, "c", "default");
    await created(harbour, "d", "kube-system");
    await harbour.scheduler.advance(1_000);
    const names = cache.list(Boat).map(({ metadata }) => metadata.name);
    expect(names.sort()).toEqual(["b", "d"]);
    expect(cache.list(Port)).toHaveLength(1);
    const boats = requests.filter(({ path }) => path.includes("/boats"));
    expect(boats.every(({ path }) => path.includes("/namespaces/kube-system/boats"))).toBe(true);
  });

  test("says what to do about a kind that it does not follow", () => {
    const { cache } = cacheIn(new Harbour());
    expect(() => cache.list(ConfigMap)).toThrow(
      'ConfigMap is not cached; list it in "owns" or "watches" of the reconciler that reads it',
    );
  });

  test("follows a kind that is asked for after the start", async () => {
    const harbour = new Harbour();
    await created(harbour, "a", "default");
    const { cache } = cacheIn(harbour);
    await harbour.run(cache.start(new AbortController().signal));
    const informer = cache.informer(Boat);
    await harbour.run(informer.synced);
    expect(cache.list(Boat)).toHaveLength(1);
  });

  test("ends with its signal, also one that was aborted before the start", async () => {
    const harbour = new Harbour();
    const { cache } = cacheIn(harbour);
    cache.informer(Boat);
    const stop = new AbortController();
    await harbour.run(cache.start(stop.signal));
    stop.abort(new Error("stopping"));
    await harbour.run(cache.stopped());

    const { cache: second } = cacheIn(new Harbour());
    second.informer(Boat);
    await harbour.run(second.start(stop.signal));
    await second.stopped();
  });
});
