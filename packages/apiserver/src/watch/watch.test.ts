import { getEventListeners } from "node:events";
import { AdjustableClock, Scheduler, VirtualProcess, withClock } from "@capstan/env";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createMemoryStorage } from "../storage/memory.ts";
import type { WatchLine } from "../storage/storage.ts";
import { paths, type Seen, takeLines, TestClient, widget } from "../testing.ts";

type Lines = AsyncIterator<WatchLine, undefined>;

function virtualClient(): { client: TestClient; scheduler: Scheduler } {
  const scheduler = new Scheduler({ seed: "1" });
  return { scheduler, client: new TestClient({ env: new VirtualProcess(scheduler, "server") }) };
}

/** Collects the lines of a watch in the background. */
function collect(watch: Lines): { lines: WatchLine[]; ended: () => boolean } {
  const lines: WatchLine[] = [];
  let ended = false;
  const read = async (): Promise<void> => {
    for (let line = await watch.next(); !line.done; line = await watch.next()) lines.push(line.value);
    ended = true;
  };
  void read();
  return { lines, ended: () => ended };
}

const typeOf = ({ type, object }: WatchLine): string =>
  `${type} ${(object as Seen).metadata.name ?? (object as Seen).reason ?? ""}`.trim();

describe("watch", () => {
  test("without a version it begins with the existing objects and continues with changes, in order", async () => {
    const client = new TestClient();
    await client.create(paths.widgets, widget("b"));
    await client.create(paths.widgets, widget("a"));
    for (const query of ["", "resourceVersion=0"]) {
      expect(await takeLines(await client.watch(paths.widgets, query), 2)).toEqual(["ADDED a", "ADDED b"]);
    }
    const watch = await client.watch(paths.widgets);
    await client.merge(`${paths.widgets}/a`, { spec: { x: 1 } });
    await client.delete(`${paths.widgets}/b`);
    await client.create(paths.widgets, widget("c"));
    expect(await takeLines(watch, 5)).toEqual(["ADDED a", "ADDED b", "MODIFIED a", "DELETED b", "ADDED c"]);
  });

  test("from a version it sends exactly the changes after it", async () => {
    const client = new TestClient();
    const { body } = await client.create(paths.widgets, widget("a"));
    await client.merge(`${paths.widgets}/a`, { spec: { x: 1 } });
    const watch = await client.watch(paths.widgets, `resourceVersion=${body.metadata.resourceVersion}`);
    expect(await takeLines(watch, 1)).toEqual(["MODIFIED a"]);
  });

  test("shows one namespace, or all", async () => {
    const client = new TestClient();
    await client.create(paths.namespaces, { metadata: { name: "team" } });
    const one = await client.watch(paths.widgets);
    const all = await client.watch(paths.allWidgets);
    await client.create(paths.widgets.replace("default", "team"), widget("t"));
    await client.create(paths.widgets, widget("d"));
    expect(await takeLines(one, 1)).toEqual(["ADDED d"]);
    expect(await takeLines(all, 2)).toEqual(["ADDED t", "ADDED d"]);
  });

  test("for a selector, an object that begins to match is an addition and one that ceases to match a deletion", async () => {
    const client = new TestClient();
    const watch = await client.watch(paths.widgets, "labelSelector=on%3D1");
    const label = (on: string): Promise<unknown> =>
      client.merge(`${paths.widgets}/a`, { metadata: { labels: { on } } });
    await client.create(paths.widgets, widget("a"));
    await label("1");
    await client.merge(`${paths.widgets}/a`, { spec: { x: 1 } });
    await label("0");
    await label("1");
    await client.delete(`${paths.widgets}/a`);
    const seen: WatchLine[] = [];
    while (seen.length < 5) seen.push((await watch.next()).value as WatchLine);
    expect(seen.map(typeOf)).toEqual(["ADDED a", "MODIFIED a", "DELETED a", "ADDED a", "DELETED a"]);
    const gone = seen[2]?.object as Seen;
    expect(gone.metadata).toMatchObject({ labels: { on: "1" }, resourceVersion: "8" });
  });

  test("events are shared with the storage and frozen", async () => {
    const client = new TestClient();
    const [first, second] = [await client.watch(paths.widgets), await client.watch(paths.widgets)];
    await client.create(paths.widgets, widget("a"));
    const [one, two] = [(await first.next()).value, (await second.next()).value];
    expect(one).toBe(two);
    expect(Object.isFrozen((one as { object: Seen }).object.spec)).toBe(true);
  });

  test("applying the changes after any version gives the state of a list", async () => {
    const write = fc.record({
      name: fc.constantFrom("a", "b", "c", "d"),
      action: fc.constantFrom("create", "label", "unlabel", "spec", "finalizer", "delete"),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(write, { maxLength: 25 }),
        fc.nat(),
        fc.boolean(),
        async (writes, start, select) => {
          const client = new TestClient();
          const query = select ? "labelSelector=l" : "";
          const states: Seen[] = [];
          const snapshot = async (): Promise<Seen> => (await client.get(`${paths.widgets}?${query}`)).body;
          states.push(await snapshot());
          for (const { name, action } of writes) {
            await apply(client, name, action);
            states.push(await snapshot());
          }
          const from = states[start % states.length] as Seen;
          const last = states.at(-1) as Seen;
          const folded = new Map(from.items.map((item) => [item.metadata.name, item]));
          const watch = await client.watch(
            paths.widgets,
            `${query}&resourceVersion=${from.metadata.resourceVersion}&timeoutSeconds=600`,
          );
          await client.create(paths.widgets, widget("end", { metadata: { labels: { l: "1" } } }));
          for (;;) {
            const { type, object } = (await watch.next()).value as { type: string; object: Seen };
            if (object.metadata.name === "end") break;
            const known = folded.has(object.metadata.name);
            expect(known).toBe(type !== "ADDED");
            if (type === "DELETED") folded.delete(object.metadata.name);
            else folded.set(object.metadata.name, object);
          }
          await watch.return?.();
          expect([...folded.values()].sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))).toEqual(
            last.items,
          );
        },
      ),
      { numRuns: 60 },
    );
  });
});

async function apply(client: TestClient, name: string, action: string): Promise<void> {
  const path = `${paths.widgets}/${name}`;
  if (action === "create") await client.create(paths.widgets, widget(name));
  else if (action === "delete") await client.delete(path);
  else if (action === "label") await client.merge(path, { metadata: { labels: { l: "1" } } });
  else if (action === "unlabel") await client.merge(path, { metadata: { labels: null, finalizers: null } });
  else if (action === "finalizer") await client.merge(path, { metadata: { finalizers: ["a.b/c"] } });
  else await client.merge(path, { spec: { version: client.server.storage.resourceVersion } });
}

describe("a watch over time", () => {
  test("bookmarks come about once a minute and have the newest version of the storage", async () => {
    const { client, scheduler } = virtualClient();
    const { lines } = collect(await client.watch(paths.widgets, "allowWatchBookmarks=true"));
    const silent = collect(await client.watch(paths.widgets));
    await client.create(paths.configMaps, { metadata: { name: "other" } });
    await scheduler.advance(150_000);
    expect(lines.map(({ type }) => type)).toEqual(["BOOKMARK", "BOOKMARK"]);
    expect(lines[0]?.object).toEqual({
      apiVersion: "test.x-k8s.io/v1",
      kind: "Widget",
      metadata: { resourceVersion: String(client.server.storage.resourceVersion) },
    });
    expect(silent.lines).toEqual([]);
  });

  test("sendInitialEvents marks the end of the existing objects", async () => {
    const { client } = virtualClient();
    await client.create(paths.widgets, widget("a"));
    const query = "sendInitialEvents=true&resourceVersionMatch=NotOlderThan";
    const watch = await client.watch(paths.widgets, `${query}&allowWatchBookmarks=true`);
    expect(await takeLines(watch, 1)).toEqual(["ADDED a"]);
    expect((await watch.next()).value).toMatchObject({
      type: "BOOKMARK",
      object: { metadata: { resourceVersion: "5", annotations: { "k8s.io/initial-events-end": "true" } } },
    });
    await client.create(paths.widgets, widget("b"));
    expect(await takeLines(watch, 1)).toEqual(["ADDED b"]);
    const without = await client.watch(paths.widgets, `${query.replace("true", "false")}&resourceVersion=0`);
    await client.create(paths.widgets, widget("c"));
    expect(await takeLines(without, 1)).toEqual(["ADDED c"]);
  });

  test("ends after timeoutSeconds, or by default after half an hour to an hour", async () => {
    const { client, scheduler } = virtualClient();
    const short = collect(await client.watch(paths.widgets, "timeoutSeconds=5"));
    const long = collect(await client.watch(paths.widgets));
    await scheduler.advance(4_999);
    expect(short.ended()).toBe(false);
    await scheduler.advance(1);
    expect(short.ended()).toBe(true);
    await scheduler.advance(29 * 60_000);
    expect(long.ended()).toBe(false);
    await scheduler.advance(31 * 60_000);
    expect(long.ended()).toBe(true);
  });

  test("releases everything when its reader stops", async () => {
    const { client, scheduler } = virtualClient();
    const abort = new AbortController();
    const aborted = collect(await client.watch(paths.widgets, "allowWatchBookmarks=true", abort.signal));
    const other = new AbortController();
    const returned = await client.watch(paths.widgets, "allowWatchBookmarks=true", other.signal);
    abort.abort();
    await returned.return?.();
    expect(getEventListeners(other.signal, "abort")).toEqual([]);
    await scheduler.run();
    expect(aborted.ended()).toBe(true);
    expect(scheduler.monotonicMs).toBe(0);
  });
});

describe("a watch that cannot be served", () => {
  async function overflowing(): Promise<TestClient> {
    const client = new TestClient({ storage: createMemoryStorage({ historyLimit: 3 }) });
    for (const name of ["a", "b", "c", "d", "e"]) await client.create(paths.widgets, widget(name));
    return client;
  }

  test("a version below the history is 410 in the stream", async () => {
    const client = await overflowing();
    const watch = await client.watch(paths.widgets, "resourceVersion=5");
    expect((await watch.next()).value).toEqual({
      type: "ERROR",
      object: {
        kind: "Status",
        apiVersion: "v1",
        metadata: {},
        status: "Failure",
        message: "too old resource version: 5 (6)",
        reason: "Expired",
        code: 410,
      },
    });
    expect((await watch.next()).done).toBe(true);
  });

  test("a reader that falls behind the history is dropped and must list again", async () => {
    const client = await overflowing();
    const slow = await client.watch(paths.widgets, "resourceVersion=9");
    const fast = collect(await client.watch(paths.widgets, "resourceVersion=9"));
    for (const name of ["f", "g", "h", "i"]) await client.create(paths.widgets, widget(name));
    expect(await takeLines(slow, 2)).toEqual(["ERROR"]);
    expect(fast.lines.map(typeOf)).toEqual(["ADDED f", "ADDED g", "ADDED h", "ADDED i"]);
  });

  test("compaction does not end a watch that is up to date", async () => {
    const client = await overflowing();
    const watch = collect(await client.watch(paths.widgets, "resourceVersion=9"));
    await client.create(paths.configMaps, { metadata: { name: "c" } });
    client.server.storage.compact(client.server.storage.resourceVersion);
    await client.create(paths.widgets, widget("z"));
    expect(watch.lines.map(typeOf)).toEqual(["ADDED z"]);
  });

  test("a version below the point of compaction is 410 for a new watch", async () => {
    const client = new TestClient();
    await client.create(paths.widgets, widget("a"));
    for (const name of ["c", "d"]) await client.create(paths.configMaps, { metadata: { name } });
    client.server.storage.compact(6);
    expect((await (await client.watch(paths.widgets, "resourceVersion=5")).next()).value).toMatchObject({
      type: "ERROR",
      object: { code: 410, message: "too old resource version: 5 (6)" },
    });
  });

  test("changes are kept for five minutes, and not much longer while there are new ones", async () => {
    const { client, scheduler } = virtualClient();
    const create = (name: string) => client.create(paths.widgets, widget(name));
    await create("a");
    const begin = client.server.storage.resourceVersion;
    await create("b");
    await scheduler.advance(4 * 60_000);
    await create("c");
    expect(await takeLines(await client.watch(paths.widgets, `resourceVersion=${begin}`), 2)).toEqual([
      "ADDED b",
      "ADDED c",
    ]);
    for (const name of ["d", "e"]) {
      await scheduler.advance(5 * 60_000);
      await create(name);
    }
    const late = await client.watch(paths.widgets, `resourceVersion=${begin}`);
    expect((await late.next()).value).toMatchObject({ type: "ERROR", object: { code: 410 } });
    const { resourceVersion } = client.server.storage;
    const inTime = await client.watch(paths.widgets, `resourceVersion=${resourceVersion - 1}`);
    expect(await takeLines(inTime, 1)).toEqual(["ADDED e"]);
  });

  test("a version from the future sees nothing until it is reached", async () => {
    const client = new TestClient();
    const watch = await client.watch(paths.widgets, "resourceVersion=5");
    await client.create(paths.widgets, widget("a"));
    await client.create(paths.widgets, widget("b"));
    expect(await takeLines(watch, 1)).toEqual(["ADDED b"]);
    const query = "sendInitialEvents=true&resourceVersionMatch=NotOlderThan&resourceVersion=99";
    expect((await (await client.watch(paths.widgets, query)).next()).value).toMatchObject({
      type: "ERROR",
      object: { code: 504, reason: "Timeout" },
    });
  });

  test.each([
    ["resourceVersion=abc", 500, 'resourceVersion: Invalid value: "abc"'],
    ["timeoutSeconds=abc", 400, 'strconv.ParseInt: parsing "abc"'],
    [
      "sendInitialEvents=true",
      422,
      "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan",
    ],
    [
      "sendInitialEvents=true&resourceVersionMatch=Exact",
      422,
      'Unsupported value: "Exact": supported values: "NotOlderThan"',
    ],
    [
      "resourceVersionMatch=NotOlderThan",
      422,
      "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided",
    ],
    ["fieldSelector=spec.x%3D1", 400, "field label not supported: spec.x"],
  ])("refuses %s", async (query, code, message) => {
    const { body } = await new TestClient().get(`${paths.widgets}?watch=1&${query}`);
    expect(body.code).toBe(code);
    expect(body.message).toContain(message);
  });
});

describe("a watch of a server whose clock is faster than its clients'", () => {
  test("lasts by the clock of the clients", async () => {
    const scheduler = new Scheduler({ seed: "1" });
    const outside = new VirtualProcess(scheduler, "outside");
    const fast = new AdjustableClock(outside.clock, { anchor: { wallMs: 0, simMs: 0, speed: 60 } });
    const client = new TestClient({ env: withClock(outside, fast), callerClock: outside.clock });
    const watch = collect(await client.watch(paths.widgets));
    await scheduler.advance(29 * 60_000);
    expect(watch.ended()).toBe(false);
    await scheduler.advance(32 * 60_000);
    expect(watch.ended()).toBe(true);
  });
});
