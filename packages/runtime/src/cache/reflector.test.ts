import { type Handler, type HttpResponse, type Link, TransportError } from "@capstan/env";
import { describe, expect, test } from "vitest";
import {
  Feed,
  isWatch,
  json,
  listAndWatch,
  page,
  plain,
  queryOf,
  status,
  stream,
} from "../answers.fixture.ts";
import { TestObject, testObject, TestServer, keepingLogger, type Line } from "../test-server.fixture.ts";
import { type Change, Informer } from "./informer.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

const at = (version: string, name = "a", uid = name): TestObject =>
  testObject(name, { metadata: { uid, resourceVersion: version } });
const bookmark = (version: string): object => ({
  type: "BOOKMARK",
  object: {
    apiVersion: TestObject.apiVersion,
    kind: TestObject.kind,
    metadata: { resourceVersion: version },
  },
});
const reported = (change: Change<TestObject>): string => {
  const suffix = change.type === "deleted" && change.stale ? " (stale)" : "";
  return `${change.type} ${change.object.metadata.name}@${change.object.metadata.resourceVersion}${suffix}`;
};

/** An informer that watches a server, with its requests and changes recorded. */
function follow(handler: Handler | undefined, { seed = "1", ...link }: Link & { seed?: string } = {}) {
  const testServer = new TestServer({ seed });
  const { process, client, requests } = testServer.connect("manager", {
    ...(handler && { handler }),
    ...link,
  });
  const lines: Line[] = [];
  const bugs: unknown[] = [];
  const changes: string[] = [];
  const informer = new Informer<TestObject>({
    client,
    env: process,
    kind: TestObject,
    scope: {},
    log: keepingLogger(lines),
    onBug: (error) => void bugs.push(error),
  });
  informer.addHandler((change) => void changes.push(reported(change)));
  const stop = new AbortController();
  const running = informer.run(stop.signal);
  const watches = () => requests.filter(isWatch);
  const lists = () => requests.filter((request) => !isWatch(request));
  return { testServer, informer, lines, bugs, changes, requests, watches, lists, stop, running };
}

const healthy = listAndWatch(
  () => page([at("5")], "7"),
  () => stream([]),
);

describe("watching a kind, where the official client stops or fails", () => {
  const troubles: [string, () => HttpResponse][] = [
    ["401, an expired token", () => status(401, { reason: "Unauthorized", message: "Unauthorized" })],
    ["403, a missing role", () => status(403, { reason: "Forbidden", message: "boats is forbidden" })],
    ["404, a missing CustomResourceDefinition", () => plain(404, "404 page not found\n")],
    ["429, too many requests", () => status(429, { reason: "TooManyRequests" }, { "retry-after": "1" })],
    ["500, an internal error", () => status(500, { reason: "InternalError" })],
    ["503, no leader in etcd", () => plain(503, "etcdserver: no leader")],
    [
      "504, a server that lags behind what we have seen",
      () => status(504, { reason: "Timeout", message: "Too large resource version: 7, current: 3" }),
    ],
    ["an HTML page of a proxy", () => plain(502, "<html>Bad Gateway</html>")],
    ["an HTML page with status 200", () => plain(200, "<html>Please log in</html>")],
    ["an empty object instead of a list", () => json(200, {})],
    [
      "a broken connection",
      () => {
        throw new TransportError("reset", "the connection broke");
      },
    ],
    [
      "a server that does not listen",
      () => {
        throw new TransportError("refused", "no server answers");
      },
    ],
  ];

  test.each(troubles)("continues after a list that ends with %s", async (_, trouble) => {
    const { testServer, changes, informer } = follow(
      listAndWatch(
        (nth) => (nth <= 3 ? trouble() : page([at("5")], "8")),
        () => stream([]),
      ),
    );
    await testServer.scheduler.advance(MINUTE);
    expect(changes).toEqual(["added a@5"]);
    expect(informer.store.size).toBe(1);
  });

  test.each(troubles)("continues after a watch that ends with %s", async (_, trouble) => {
    const { testServer, changes, lists } = follow(
      listAndWatch(
        () => page([at("5")], "7"),
        (nth) => (nth <= 3 ? trouble() : stream([{ type: "MODIFIED", object: at("8") }])),
      ),
    );
    await testServer.scheduler.advance(MINUTE);
    expect(changes).toEqual(["added a@5", "updated a@8"]);
    expect(lists(), "a new watch needs no list").toHaveLength(1);
  });

  test.each([
    ["an ERROR event", { type: "ERROR", object: { kind: "Status", code: 500, message: "etcd is away" } }],
    ["a line that is not an event", { hello: "world" }],
    ["an event without an object", { type: "ADDED" }],
  ])("continues after a stream that breaks with %s", async (_, line) => {
    const { testServer, changes } = follow(
      listAndWatch(
        () => page([at("5")], "7"),
        (nth) => stream(nth === 1 ? [line] : [{ type: "MODIFIED", object: at("8") }]),
      ),
    );
    await testServer.scheduler.advance(MINUTE);
    expect(changes).toEqual(["added a@5", "updated a@8"]);
  });

  test("reports an exception of a handler, and still calls the other handlers", async () => {
    const feed = new Feed();
    const { testServer, informer, changes, bugs, watches } = follow(
      listAndWatch(
        () => page([at("5")], "7"),
        () => feed.response,
      ),
    );
    informer.addHandler(() => {
      throw new RangeError("the handler is wrong");
    });
    const after: string[] = [];
    informer.addHandler((change) => void after.push(reported(change)));
    await testServer.scheduler.advance(SECOND);
    feed.send("MODIFIED", at("8"));
    feed.send("DELETED", at("9"));
    await testServer.scheduler.advance(SECOND);
    expect(changes).toEqual(["added a@5", "updated a@8", "deleted a@9"]);
    expect(after).toEqual(changes);
    expect(bugs.map(String)).toEqual(Array(3).fill("RangeError: the handler is wrong"));
    expect(watches()).toHaveLength(1);
  });

  test("reports an exception of an index, and still stores and reports the object", async () => {
    const feed = new Feed();
    const { testServer, informer, changes, bugs, watches, lists } = follow(
      listAndWatch(
        () => page([at("5"), at("6", "b")], "7"),
        () => feed.response,
      ),
    );
    informer.store.addIndex("length", ({ spec = {} }) => [(spec["length"] as number).toFixed()]);
    await testServer.scheduler.advance(SECOND);
    feed.send("MODIFIED", at("8"));
    feed.send("MODIFIED", { ...at("9"), spec: { length: 12 } });
    await testServer.scheduler.advance(SECOND);
    expect(changes).toEqual(["added a@5", "added b@6", "updated a@8", "updated a@9"]);
    expect(informer.store.byIndex("length", "12")).toHaveLength(1);
    expect(bugs.length).toBeGreaterThanOrEqual(3);
    expect([lists().length, watches().length]).toEqual([1, 1]);
  });

  test("asks for bookmarks, and resumes from the last one", async () => {
    const { testServer, watches, informer } = follow(
      listAndWatch(
        () => page([at("5")], "7"),
        (nth) => (nth === 1 ? stream([bookmark("1234")], "ends") : stream([])),
      ),
    );
    await testServer.scheduler.advance(10 * SECOND);
    expect(watches().map((request) => queryOf(request).get("allowWatchBookmarks"))).toEqual(["true", "true"]);
    expect(watches().map((request) => queryOf(request).get("resourceVersion"))).toEqual(["7", "1234"]);
    expect(informer.version).toBe("1234");
  });

  test("does not cut a quiet watch after 30 seconds", async () => {
    const { testServer, watches } = follow(healthy);
    await testServer.scheduler.advance(2 * MINUTE);
    expect(watches()).toHaveLength(1);
  });

  test("keeps a watch that sends nothing but bookmarks until the server ends it", async () => {
    const { testServer, watches, lists } = follow(undefined);
    await testServer.scheduler.advance(HOUR);
    // Watches request a timeout of 5 to 10 minutes.
    expect(watches().length).toBeGreaterThanOrEqual(6);
    expect(watches().length).toBeLessThanOrEqual(13);
    expect(lists()).toHaveLength(1);
  });

  test("replaces a watch that has sent nothing, not even a bookmark, for three minutes", async () => {
    const { testServer, watches, changes } = follow(healthy);
    await testServer.scheduler.advance(3 * MINUTE + SECOND);
    expect(watches()).toHaveLength(2);
    expect(watches()[0]?.signal?.aborted, "the dead connection is closed").toBe(true);
    expect(changes).toEqual(["added a@5"]);
  });

  test("lists after three minutes without any event, over any number of watches", async () => {
    const { testServer, lists, changes } = follow(
      listAndWatch(
        (nth) => page([at(String(4 + nth))], String(6 + nth)),
        () => status(403, { reason: "Forbidden" }),
      ),
    );
    await testServer.scheduler.advance(3 * MINUTE - SECOND);
    expect(lists()).toHaveLength(1);
    await testServer.scheduler.advance(31 * SECOND);
    expect(changes).toEqual(["added a@5", "updated a@6"]);
    await testServer.scheduler.advance(HOUR);
    expect(lists().length).toBeLessThanOrEqual(22);
  });

  test("replaces a watch that is not even answered", async () => {
    const { testServer, watches } = follow((request) =>
      isWatch(request) ? new Promise(() => undefined) : Promise.resolve(page([], "7")),
    );
    await testServer.scheduler.advance(3 * MINUTE + SECOND);
    expect(watches()).toHaveLength(2);
  });

  test("reports a missed deletion as stale, with the last known state", async () => {
    const { testServer, changes } = follow(
      listAndWatch(
        (nth) => (nth === 1 ? page([at("5"), at("6", "b")], "7") : page([at("6", "b")], "20")),
        (nth) => (nth === 1 ? status(410, { reason: "Expired" }) : stream([])),
      ),
    );
    await testServer.scheduler.advance(10 * SECOND);
    expect(changes).toEqual(["added a@5", "added b@6", "deleted a@5 (stale)"]);
  });

  test("lists 30,000 objects, on pages of any size", async () => {
    const all = Array.from({ length: 30_000 }, (_, index) => at(String(index + 1), `boat-${index}`));
    for (const size of [500, 30_000]) {
      const { testServer, informer, lists } = follow(
        listAndWatch(
          (_, request) => {
            const from = Number(queryOf(request).get("continue") ?? "0");
            const more = from + size < all.length ? String(from + size) : undefined;
            return page(all.slice(from, from + size), "40000", more);
          },
          () => stream([]),
        ),
      );
      await testServer.scheduler.advance(10 * SECOND);
      expect(informer.store.size).toBe(30_000);
      expect(informer.store.all()).toHaveLength(30_000);
      expect(lists()).toHaveLength(all.length / size);
    }
  });
});

describe("an expired version", () => {
  test.each([
    ["as HTTP status", () => status(410, { reason: "Expired", message: "too old resource version" })],
    ["as HTTP status with the older reason Gone", () => status(410, { reason: "Gone" })],
    ["as HTTP status without a body", () => plain(410, "")],
    ["in the stream", () => stream([{ type: "ERROR", object: { code: 410, reason: "Expired" } }])],
    [
      "in the stream with the older reason Gone",
      () => stream([{ type: "ERROR", object: { code: 410, reason: "Gone" } }]),
    ],
  ])("leads to a new list, when reported %s", async (_, gone) => {
    const { testServer, changes, lists, watches } = follow(
      listAndWatch(
        (nth) => (nth === 1 ? page([at("5"), at("6", "b")], "7") : page([at("9"), at("8", "c")], "10")),
        (nth) => (nth === 1 ? gone() : stream([])),
      ),
    );
    await testServer.scheduler.advance(20 * SECOND);
    expect(changes).toEqual(["added a@5", "added b@6", "updated a@9", "added c@8", "deleted b@6 (stale)"]);
    expect(lists()).toHaveLength(2);
    expect(watches().map((request) => queryOf(request).get("resourceVersion"))).toEqual(["7", "10"]);
  });

  test("does not flood the server with lists when it repeats", async () => {
    const { testServer, lists } = follow(
      listAndWatch(
        () => page([at("5")], "7"),
        () => status(410, { reason: "Expired" }),
      ),
    );
    await testServer.scheduler.advance(10 * MINUTE);
    expect(lists().length).toBeGreaterThan(5);
    expect(lists().length).toBeLessThan(50);
  });

  test("in the middle of a list restarts the list", async () => {
    const { testServer, changes, lists } = follow(
      listAndWatch(
        (nth) => {
          if (nth === 1) return page([at("5")], "7", "more");
          if (nth === 2)
            return status(410, { reason: "Expired", message: "The provided continue is too old" });
          return page([at("6", "b")], "12");
        },
        () => stream([]),
      ),
    );
    await testServer.scheduler.advance(20 * SECOND);
    expect(changes, "half a list is not reported").toEqual(["added b@6"]);
    expect(lists().map((request) => queryOf(request).get("continue"))).toEqual([null, "more", null]);
  });
});

describe("a server in trouble", () => {
  test("gets requests at growing intervals while lists fail, and is found again within half a minute", async () => {
    let isUp = false;
    const { testServer, lists, changes, lines } = follow(async (request) => {
      if (!isUp) throw new TransportError("refused", "no server answers at https://harbour:6443");
      return healthy(request);
    });
    await testServer.scheduler.advance(HOUR);
    // With at most 30 s between attempts, an hour has 120 to 240.
    expect(lists().length).toBeGreaterThan(110);
    expect(lists().length).toBeLessThan(260);
    expect(String(lines[0]?.fields["error"])).toContain("no server answers at https://harbour:6443");
    isUp = true;
    await testServer.scheduler.advance(31 * SECOND);
    expect(changes).toEqual(["added a@5"]);
  });

  test("whose watches fail every second gets requests at growing intervals, and no event is lost", async () => {
    let version = 7;
    const { testServer, watches, informer, lists } = follow(
      listAndWatch(
        () => page([at("5")], "7"),
        () => {
          version++;
          return stream([{ type: "MODIFIED", object: at(String(version)) }], "ends");
        },
      ),
      { lineLatencyMs: () => 500 },
    );
    await testServer.scheduler.advance(HOUR);
    expect(watches().length).toBeGreaterThan(100);
    expect(watches().length).toBeLessThan(260);
    expect(lists()).toHaveLength(1);
    expect(informer.version).toBe(String(version));
  });

  test("gets no further backoff once a watch has lived for a while", async () => {
    const { testServer, watches } = follow(
      listAndWatch(
        () => page([at("5")], "7"),
        (nth) => {
          if (nth === 10)
            return stream(
              Array.from({ length: 15 }, (_, line) => bookmark(String(100 + line))),
              "ends",
            );
          return nth < 10 ? stream([], "ends") : stream([]);
        },
      ),
      { lineLatencyMs: () => SECOND },
    );
    const untilWatch = (count: number): Promise<void> =>
      testServer.scheduler.run({ until: () => watches().length >= count });
    await untilWatch(10);
    const healthyMs = testServer.scheduler.monotonicMs;
    await untilWatch(11);
    // Fifteen lines at a second each, the end, and no pause.
    expect(testServer.scheduler.monotonicMs - healthyMs).toBeLessThan(17 * SECOND);
  });

  test("that fails on a page in the middle leaves the cache unchanged and is listed again", async () => {
    const { testServer, changes, informer } = follow(
      listAndWatch(
        (nth) => {
          if (nth === 1) return page([at("5"), at("6", "b")], "7");
          if (nth === 2) return page([at("6", "b")], "20", "more");
          if (nth === 3) throw new TransportError("reset", "the connection broke");
          return page([at("5"), at("6", "b")], "21");
        },
        (nth) => (nth === 1 ? status(410, { reason: "Expired" }) : stream([])),
      ),
    );
    await testServer.scheduler.advance(20 * SECOND);
    expect(changes, "no deletion is concluded from half a list").toEqual(["added a@5", "added b@6"]);
    expect(informer.version).toBe("21");
  });
});

describe("a server that was restored from a backup", () => {
  test("sends nothing for a version in its future; its list is refused three times, and then accepted", async () => {
    const { testServer, changes, watches, informer } = follow(
      listAndWatch(
        (nth) => (nth === 1 ? page([at("90"), at("95", "b")], "100") : page([at("40")], "50")),
        (_, request) =>
          stream(
            queryOf(request).get("resourceVersion") === "50"
              ? [{ type: "ADDED", object: at("51", "c") }]
              : [],
          ),
      ),
    );
    await testServer.scheduler.advance(2 * MINUTE);
    expect(changes).toEqual(["added a@90", "added b@95"]);
    await testServer.scheduler.advance(2 * MINUTE);
    expect(changes.slice(2)).toEqual(["updated a@40", "deleted b@95 (stale)", "added c@51"]);
    expect(watches().map((request) => queryOf(request).get("resourceVersion"))).toEqual(["100", "50"]);
    expect(informer.version).toBe("51");
  });
});

describe("the end", () => {
  test("happens at the signal, during a list, a pause and a watch", async () => {
    const handlers: Handler[] = [
      healthy,
      async () => {
        throw new TransportError("refused", "no server answers");
      },
    ];
    for (const handler of handlers) {
      const { testServer, stop, running, requests } = follow(handler);
      await testServer.scheduler.advance(10 * SECOND);
      stop.abort(new Error("stopping"));
      await testServer.run(running);
      const before = requests.length;
      await testServer.scheduler.advance(HOUR);
      expect(requests.length).toBe(before);
    }
  });
});
