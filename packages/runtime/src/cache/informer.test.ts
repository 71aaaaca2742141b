import { deepFreeze, type Frozen } from "@capstan/api";
import { type Fate, type HttpRequest, type Rng, TransportError } from "@capstan/env";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isWatch, listAndWatch, page, stream } from "../answers.fixture.ts";
import { TestObject, testObject, TestServer } from "../test-server.fixture.ts";
import { silentLogger } from "../log/logger.ts";
import { type Change, Informer } from "./informer.ts";

const at = (
  version: string,
  name = "a",
  rest: { uid?: string; spec?: Record<string, unknown> } = {},
): TestObject =>
  testObject(name, {
    metadata: { uid: rest.uid ?? name, resourceVersion: version },
    ...(rest.spec && { spec: rest.spec }),
  });

const reported = (change: Change<TestObject>): string => {
  const { metadata } = change.object;
  const suffix = (change.type === "deleted" && change.stale) || (change.type === "added" && change.initial);
  return `${change.type} ${metadata.name}@${metadata.resourceVersion}${suffix ? "!" : ""}`;
};

/** An informer that the test feeds. */
function fed(...items: TestObject[]) {
  const testServer = new TestServer();
  const { process, client, requests } = testServer.connect("manager");
  const informer = new Informer<TestObject>({
    client,
    env: process,
    kind: TestObject,
    scope: {},
    log: silentLogger,
    onBug: (error) => {
      throw error;
    },
  });
  const changes: string[] = [];
  informer.addHandler((change) => void changes.push(reported(change)));
  informer.replace(items, "10");
  return { testServer, informer, changes, requests };
}

describe("an informer", () => {
  test("marks the objects of the first list as initial, and later ones not", () => {
    const { informer, changes } = fed(at("5"), at("6", "b"));
    informer.replace([at("5"), at("6", "b"), at("11", "c")], "12");
    expect(changes).toEqual(["added a@5!", "added b@6!", "added c@11"]);
  });

  test("reports existing objects to a handler that is added later", () => {
    const { informer } = fed(at("5"));
    const late: string[] = [];
    informer.addHandler((change) => void late.push(reported(change)));
    expect(late).toEqual(["added a@5!"]);
  });

  test("gives the state before and after an update", () => {
    const { informer } = fed(at("5"));
    const seen: unknown[] = [];
    informer.addHandler((change) => {
      if (change.type === "updated") seen.push([change.previous.spec, change.object.spec]);
    });
    informer.apply({ type: "MODIFIED", object: at("11", "a", { spec: { sails: 3 } }) });
    expect(seen).toEqual([[{}, { sails: 3 }]]);
  });

  test("ignores an event that it has seen, and old events that a lagging server replays", () => {
    const { informer, changes } = fed(at("5"));
    informer.apply({ type: "MODIFIED", object: at("11") });
    informer.apply({ type: "MODIFIED", object: at("11") });
    informer.apply({ type: "MODIFIED", object: at("9") });
    informer.apply({ type: "DELETED", object: at("8") });
    informer.apply({ type: "ADDED", object: at("7", "b") });
    expect(changes).toEqual(["added a@5!", "updated a@11"]);
    expect(informer.version).toBe("11");
  });

  test("ignores the deletion of an object it never had", () => {
    const { informer, changes } = fed();
    informer.apply({ type: "DELETED", object: at("11") });
    expect(changes).toEqual([]);
    expect(informer.version).toBe("11");
  });

  test("reports an object that was recreated with another UID as deleted and added", () => {
    const { informer, changes } = fed(at("5", "a", { uid: "old" }));
    informer.replace([at("20", "a", { uid: "new" })], "21");
    expect(changes).toEqual(["added a@5!", "deleted a@5!", "added a@20"]);
    informer.apply({ type: "MODIFIED", object: at("22", "a", { uid: "third" }) });
    expect(changes.slice(3)).toEqual(["deleted a@20!", "added a@22"]);
  });

  test("reports nothing when a list has no changes", () => {
    const { informer, changes } = fed(at("5"), at("6", "b"));
    informer.replace([at("6", "b"), at("5")], "30");
    expect(changes).toHaveLength(2);
    expect(informer.version).toBe("30");
  });

  test("refuses an older list three times, then accepts that the server was restored from a backup", () => {
    const { informer, changes } = fed(at("5"), at("8", "b"));
    for (let attempt = 0; attempt < 3; attempt++) {
      expect(() => informer.replace([at("4")], "7")).toThrow(
        "the server listed boats at version 7, older than 10 seen before",
      );
    }
    expect(changes).toHaveLength(2);
    informer.replace([at("4")], "7");
    expect(changes.slice(2)).toEqual(["updated a@4", "deleted b@8!"]);
    expect(informer.version).toBe("7");
  });

  test("restarts the count of older lists after a current one", () => {
    const { informer } = fed();
    const old = (): unknown => informer.replace([], "7");
    expect(old).toThrow();
    expect(old).toThrow();
    informer.replace([], "11");
    for (let attempt = 0; attempt < 3; attempt++) expect(old).toThrow();
  });

  test("returns frozen objects, whether or not the server froze them", () => {
    const { informer } = fed(at("5", "a", { spec: { sails: { main: 1 } } }));
    informer.apply({ type: "ADDED", object: deepFreeze(at("11", "b", { spec: { sails: { main: 1 } } })) });
    for (const object of informer.store.all() as TestObject[]) {
      expect(() => Object.assign(object, { spec: {} })).toThrow(TypeError);
      expect(() => Object.assign(object.metadata, { name: "x" })).toThrow(TypeError);
      expect(() => Object.assign(object.spec?.["sails"] as object, { main: 2 })).toThrow(TypeError);
    }
  });

  test("leaves managedFields out, and everything else in, also for objects that are frozen", () => {
    const managed = testObject("a", {
      metadata: {
        uid: "a",
        resourceVersion: "5",
        labels: { x: "y" },
        managedFields: [{ manager: "kubectl" }],
      },
      spec: { sails: { main: 1 } },
    });
    for (const object of [managed, deepFreeze(structuredClone(managed)) as TestObject]) {
      const { informer } = fed(object);
      const stored = informer.store.get("default/a");
      const { managedFields: _, ...metadata } = managed.metadata;
      expect(stored).toEqual({ ...managed, metadata });
      expect(() => Object.assign(stored?.metadata ?? {}, { labels: {} })).toThrow(TypeError);
      expect(() => Object.assign(stored?.spec?.["sails"] as object, { main: 2 })).toThrow(TypeError);
    }
  });

  test("knows when it last heard from the server: by a list, an event, or a bookmark", async () => {
    const { testServer, informer } = fed();
    const heardAfter = async (hear: () => void): Promise<number> => {
      await testServer.scheduler.advance(1_000);
      hear();
      return informer.heardAtMs;
    };
    expect(informer.heardAtMs).toBe(0);
    expect(await heardAfter(() => informer.apply({ type: "ADDED", object: at("12") }))).toBe(1_000);
    expect(await heardAfter(() => informer.apply({ type: "BOOKMARK", object: at("12") }))).toBe(2_000);
    expect(await heardAfter(() => informer.replace([at("12")], "12"))).toBe(3_000);
    expect(await heardAfter(() => expect(() => informer.replace([], "11")).toThrow("older"))).toBe(3_000);
  });

  test("has objects by their namespace", () => {
    const { informer } = fed(
      at("5"),
      testObject("b", { metadata: { namespace: "north", resourceVersion: "6" } }),
    );
    const names = informer.store.byIndex("namespace", "north").map(({ metadata }) => metadata.name);
    expect(names).toEqual(["b"]);
  });
});

describe("waiting for the cache", () => {
  test("ends as soon as the condition holds", async () => {
    const { testServer, informer } = fed();
    const waiting = informer.waitUntil(() => informer.hasSeen("12"), 10_000);
    informer.apply({ type: "ADDED", object: at("11") });
    informer.apply({ type: "ADDED", object: at("12", "b") });
    expect(await testServer.run(waiting)).toBe(true);
    expect(testServer.scheduler.monotonicMs).toBe(0);
    expect(await informer.waitUntil(() => informer.hasSeen("12"), 10_000)).toBe(true);
  });

  test("ends with false when it took too long", async () => {
    const { testServer, informer } = fed();
    expect(await testServer.run(informer.waitUntil(() => informer.hasSeen("12"), 10_000))).toBe(false);
    expect(testServer.scheduler.monotonicMs).toBe(10_000);
  });

  test("ends at a bookmark and at a list", async () => {
    const { testServer, informer } = fed();
    const first = informer.waitUntil(() => informer.hasSeen("12"), 10_000);
    informer.apply({
      type: "BOOKMARK",
      object: { metadata: { resourceVersion: "15" } } as Frozen<TestObject>,
    });
    expect(await testServer.run(first)).toBe(true);
    const second = informer.waitUntil(() => informer.hasSeen("30"), 10_000);
    informer.replace([], "30");
    expect(await testServer.run(second)).toBe(true);
  });

  test("reads from the server without waiting for the watch, once for several callers", async () => {
    const { testServer, informer, changes, requests } = fed();
    for (const name of ["a", "b", "c"]) {
      await testServer.run(testServer.client.create(TestObject, testObject(name)));
      await testServer.run(
        testServer.client.patch(
          TestObject,
          { name, namespace: "default" },
          { type: "merge", body: { spec: { x: 1 } } },
        ),
      );
    }
    await testServer.run(Promise.all([informer.refresh(), informer.refresh()]));
    expect(changes).toHaveLength(3);
    expect(requests).toHaveLength(1);
    await testServer.run(informer.refresh());
    expect(requests).toHaveLength(2);
  });

  test("reads again for a caller that arrives during a read, which may have started too early", async () => {
    const testServer = new TestServer();
    const { process, client, requests } = testServer.connect("manager", { latencyMs: () => 50 });
    const onBug = (): void => undefined;
    const informer = new Informer<TestObject>({
      client,
      env: process,
      kind: TestObject,
      scope: {},
      log: silentLogger,
      onBug,
    });
    const early = informer.refresh();
    await testServer.scheduler.advance(60);
    await testServer.run(testServer.client.create(TestObject, testObject("late")));
    await testServer.run(Promise.all([informer.refresh(), informer.refresh()]));
    await early;
    expect(informer.store.get("default/late")).toBeDefined();
    expect(requests).toHaveLength(2);
  });

  test("fails for every caller when the server cannot be read, and tries again for the next", async () => {
    const testServer = new TestServer();
    let isUp = false;
    const { process, client } = testServer.connect("manager", {
      fate: () => (isUp ? "deliver" : new TransportError("refused", "no server answers")),
    });
    const onBug = (): void => undefined;
    const informer = new Informer<TestObject>({
      client,
      env: process,
      kind: TestObject,
      scope: {},
      log: silentLogger,
      onBug,
    });
    const both = [informer.refresh(), informer.refresh()].map((promise) => testServer.failure(promise));
    for (const failure of both) expect((await failure).message).toContain("no server answers");
    isUp = true;
    await testServer.run(informer.refresh());
    expect(informer.version).toBeDefined();
  });

  test("does not go back when the watch is behind a read", async () => {
    const { testServer, informer, changes } = fed();
    await testServer.run(testServer.client.create(TestObject, testObject("a")));
    const created = await testServer.run(
      testServer.client.get(TestObject, { name: "a", namespace: "default" }),
    );
    await testServer.run(testServer.client.delete(TestObject, { name: "a", namespace: "default" }));
    await testServer.run(testServer.client.create(TestObject, testObject("b")));
    informer.replace([], "1000");
    informer.apply({ type: "ADDED", object: created });
    expect(changes).toEqual([]);
    expect(informer.store.size).toBe(0);
  });
});

describe("a list of a kind that Kubernetes itself serves", () => {
  test("has no kind and apiVersion on its items; the cache adds them", async () => {
    const { kind: _, apiVersion: __, ...bare } = at("5");
    const testServer = new TestServer();
    const { process, client } = testServer.connect("manager", {
      handler: listAndWatch(
        () => page([bare], "7"),
        () => stream([]),
      ),
    });
    const onBug = (): void => undefined;
    const informer = new Informer<TestObject>({
      client,
      env: process,
      kind: TestObject,
      scope: {},
      log: silentLogger,
      onBug,
    });
    await testServer.run(informer.refresh());
    expect(informer.store.get("default/a")).toMatchObject({
      kind: "Boat",
      apiVersion: "test.capstan.dev/v1",
    });
  });
});

const names = fc.constantFrom("a", "b", "c", "d");

/** One event in the property below. */
const happening = fc.oneof(
  { weight: 6, arbitrary: fc.record({ what: fc.constant("write" as const), name: names }) },
  { weight: 3, arbitrary: fc.record({ what: fc.constant("remove" as const), name: names }) },
  { weight: 2, arbitrary: fc.record({ what: fc.constant("wait" as const), ms: fc.nat(40_000) }) },
  {
    weight: 1,
    arbitrary: fc.record({ what: fc.constantFrom("compact", "cut", "break", "mend", "refresh") }),
  },
);

/** Creates, changes or removes the object of that name. */
async function write(testServer: TestServer, name: string, turn: number | undefined): Promise<void> {
  const { client } = testServer;
  const known = await testServer.run(client.find(TestObject, { name, namespace: "default" }));
  if (turn === undefined) {
    if (known) await testServer.run(client.delete(TestObject, known.metadata));
  } else if (known) {
    await testServer.run(
      client.patch(TestObject, known.metadata, { type: "merge", body: { spec: { turn } } }),
    );
  } else await testServer.run(client.create(TestObject, testObject(name, { spec: { turn } })));
}

/** An informer on a connection that lags, that can be cut, and that can be down for a while. */
function unreliable(testServer: TestServer) {
  let isBroken = false;
  let cut = new AbortController();
  const fate = (): Fate => (isBroken ? new TransportError("reset", "the connection broke") : "deliver");
  const handler = async (request: HttpRequest) => {
    const response = await testServer.server(request);
    if (!isWatch(request)) return response;
    const { signal } = cut;
    return {
      ...response,
      lines: async function* () {
        for await (const line of response.lines()) {
          if (signal.aborted) throw new TransportError("reset", "the connection broke");
          yield line;
        }
      },
    };
  };
  const lineLatencyMs = (rng: Rng): number => rng.below(3_000);
  const { process, client } = testServer.connect("manager", { handler, fate, lineLatencyMs });
  const bugs: unknown[] = [];
  const onBug = (error: unknown): void => void bugs.push(error);
  const informer = new Informer<TestObject>({
    client,
    env: process,
    kind: TestObject,
    scope: {},
    log: silentLogger,
    onBug,
  });
  informer.store.addIndex("odd", ({ spec }) => (isOdd(spec) ? ["yes"] : []));
  const happen = (what: string): void => {
    if (what === "compact") testServer.storage.compact(testServer.storage.resourceVersion);
    if (what === "refresh") informer.refresh().catch(() => undefined);
    if (what === "break" || what === "mend") isBroken = what === "break";
    if (what !== "cut") return;
    cut.abort();
    cut = new AbortController();
  };
  return { informer, bugs, happen };
}

const isOdd = (spec: Frozen<TestObject>["spec"]): boolean => Number(spec?.["turn"]) % 2 === 1;
const byName = (objects: readonly Frozen<TestObject>[]): unknown[] =>
  objects.toSorted((x, y) => (x.metadata.name < y.metadata.name ? -1 : 1));

test("after any writes, cut watches, lags, failures and expired versions the cache equals the server, and the reported changes add up to it", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(happening, { maxLength: 40 }), fc.nat(), async (story, seed) => {
      const testServer = new TestServer({ seed: String(seed), historyLimit: 8 });
      const { informer, bugs, happen } = unreliable(testServer);
      const summed = new Map<string, string>();
      informer.addHandler((change) => {
        const { name, uid = "" } = change.object.metadata;
        expect(summed.get(name), `${change.type} ${name}`).toBe(change.type === "added" ? undefined : uid);
        if (change.type === "deleted") summed.delete(name);
        else summed.set(name, uid);
      });
      void informer.run(new AbortController().signal);
      for (const [turn, step] of story.entries()) {
        if ("name" in step) await write(testServer, step.name, step.what === "write" ? turn : undefined);
        else if ("ms" in step) await testServer.scheduler.advance(step.ms);
        else happen(step.what);
      }
      happen("mend");
      await testServer.scheduler.advance(15 * 60_000);
      const listed = await testServer.run(testServer.client.list(TestObject));
      const desired = listed.map(({ metadata: { managedFields: _, ...metadata }, ...rest }) => {
        return { ...rest, metadata };
      });
      expect(byName(informer.store.all())).toEqual(byName(desired));
      expect(byName(informer.store.byIndex("odd", "yes"))).toEqual(
        byName(desired.filter(({ spec }) => isOdd(spec))),
      );
      expect(bugs).toEqual([]);
      expect([...summed.keys()].sort()).toEqual(desired.map(({ metadata }) => metadata.name).sort());
    }),
    { numRuns: 120 },
  );
});
