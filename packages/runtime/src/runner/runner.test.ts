import { Event, Lease } from "@capstan/api";
import { TransportError } from "@capstan/env";
import { describe, expect, test } from "vitest";
import { plain, status } from "../answers.fixture.ts";
import type { Failure } from "../failure.ts";
import { TestObject, testObject, Crate, TestServer } from "../test-server.fixture.ts";
import { again, next } from "../reconciler/outcome.ts";
import { type Context, defineReconciler, on, type Phase, type Reconciler } from "../reconciler/reconciler.ts";
import { type Manager, startManager } from "./manager.fixture.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const YEAR = 365 * 24 * 60 * MINUTE;
const a = { name: "a", namespace: "default" };
const lease = { name: "capstan", namespace: "kube-system" };

const testObjects = (...normal: Phase<Context<TestObject>>[]): Reconciler =>
  defineReconciler<TestObject, Context<TestObject>>({
    name: "boats",
    for: TestObject,
    scope: (context) => context,
    normal,
  });

/** Writes the status of its object every second, forever. */
const busy = (): Reconciler =>
  testObjects(({ object, env }) => {
    object.status = { ...object.status, writtenMs: env.clock.monotonic() };
    return again(SECOND, "Busy");
  });

const atMs = (write: string): number => Number(write.split(" ")[0]);

async function withObject(seed = "1"): Promise<TestServer> {
  const testServer = new TestServer({ seed });
  await testServer.run(testServer.client.create(TestObject, testObject("a")));
  return testServer;
}

/** The end of holding the Lease. */
function fate({ runner, started }: Manager): { ended?: string } {
  const result: { ended?: string } = {};
  void started
    .then(() => runner.held())
    .then(
      () => {
        result.ended = "stopped";
      },
      (error: unknown) => {
        result.ended = (error as Failure).reason;
      },
    );
  return result;
}

describe("two managers with one Lease", () => {
  async function pair(seed = "1") {
    const testServer = await withObject(seed);
    const first = startManager(testServer, [busy()], { name: "first", lease });
    await testServer.scheduler.advance(SECOND);
    const second = startManager(testServer, [busy()], { name: "second", lease });
    await testServer.scheduler.advance(20 * SECOND);
    return { testServer, first, second, fates: [fate(first), fate(second)] };
  }

  test("only the holder writes; the other keeps its cache warm and is ready", async () => {
    const { first, second } = await pair();
    expect(first.writes.length).toBeGreaterThan(10);
    expect(second.writes).toEqual([]);
    expect(second.runner.cache.list(TestObject)).toHaveLength(1);
    expect(second.runner.unready()).toEqual([]);
    const leading = ({ runner }: Manager): number =>
      runner.metrics.value("leader_election_master_status", { name: "capstan" });
    expect([leading(first), leading(second)]).toEqual([1, 0]);
  });

  test("the second takes over after a crash within the Lease's duration and two polls, and reads everything before it writes", async () => {
    for (const seed of ["1", "2", "3"]) {
      const { testServer, first, second } = await pair(seed);
      const lists = second.requests.length;
      first.process.crash();
      const crashedMs = testServer.scheduler.monotonicMs;
      await testServer.scheduler.run({ until: () => second.writes.length > 0 });
      expect(testServer.scheduler.monotonicMs - crashedMs).toBeLessThan(20 * SECOND);
      const since = second.requests
        .slice(lists)
        .filter(({ method, path }) => method === "GET" && !path.includes("leases"));
      expect(since.filter(({ path }) => path.includes("limit=")).length).toBeGreaterThan(0);
    }
  });

  test.each([
    ["between its writes", () => true],
    ["while an answer is on its way", ({ writes }: Manager, before: number) => writes.length > before],
  ])(
    "one that is stopped %s for longer than its Lease writes nothing when it continues",
    async (_, isDue) => {
      for (const seed of ["1", "2", "3", "4"]) {
        const { testServer, first, second, fates } = await pair(seed);
        const before = first.writes.length;
        await testServer.scheduler.run({ until: () => isDue(first, before) });
        first.stoppable.pause();
        await testServer.scheduler.advance(40 * SECOND);
        expect(second.writes.length, "the other one took over").toBeGreaterThan(5);
        const sent = first.writes.length;
        const leases = first.leaseWrites.length;
        first.stoppable.resume();
        await testServer.scheduler.advance(30 * SECOND);
        expect(first.writes.slice(sent)).toEqual([]);
        expect(fates[0]?.ended).toBe("LeaseLost");
        // A started renewal may still be sent; it has an old version and is refused.
        expect(first.leaseWrites.length - leases).toBeLessThanOrEqual(1);
        expect((await testServer.run(testServer.client.get(Lease, lease))).spec?.holderIdentity).toMatch(
          /^second_/,
        );
      }
    },
  );

  test("one that is stopped for less than its deadline continues without any effect", async () => {
    const { testServer, first, second, fates } = await pair();
    first.stoppable.pause();
    await testServer.scheduler.advance(6 * SECOND);
    first.stoppable.resume();
    const sent = first.writes.length;
    await testServer.scheduler.advance(30 * SECOND);
    expect(first.writes.length - sent).toBeGreaterThan(10);
    expect([second.writes.length, fates[0]?.ended]).toEqual([0, undefined]);
  });

  test("one that cannot renew stops writing before the other starts", async () => {
    const testServer = await withObject();
    let isCut = false;
    // Only Leases cannot be written, for example because an admission webhook fails for them.
    const first = startManager(testServer, [busy()], {
      name: "first",
      lease,
      fate: ({ path }) =>
        isCut && path.includes("/leases") ? new TransportError("reset", "the connection broke") : "deliver",
    });
    const ended = fate(first);
    await testServer.scheduler.advance(SECOND);
    const second = startManager(testServer, [busy()], { name: "second", lease });
    await testServer.scheduler.advance(20 * SECOND);
    isCut = true;
    const cutMs = testServer.scheduler.monotonicMs;
    await testServer.scheduler.advance(40 * SECOND);
    const last = Math.max(...first.writes.map(atMs));
    expect(last - cutMs).toBeLessThanOrEqual(10 * SECOND);
    expect(Math.min(...second.writes.map(atMs))).toBeGreaterThan(last);
    expect(ended.ended).toBe("LeaseLost");
    const refused = first.lines.filter(
      ({ fields }) => (fields["error"] as Failure | undefined)?.reason === "LeaseLost",
    );
    expect(refused.length).toBeGreaterThan(0);
  });

  test.each([YEAR, -YEAR])("a jump of the wall clock by %i ms changes nothing", async (jumpMs) => {
    const { testServer, first, second } = await pair();
    testServer.scheduler.jumpWallClock(jumpMs);
    const sent = first.writes.length;
    await testServer.scheduler.advance(5 * MINUTE);
    expect(first.writes.length - sent).toBeGreaterThan(100);
    expect(second.writes).toEqual([]);
  });
});

describe("stopping", () => {
  const slow = (ms: number): Reconciler =>
    testObjects(async ({ object, env }) => {
      await env.clock.sleep(ms);
      object.spec = { done: true };
      return next;
    });

  async function stopped(manager: Manager, testServer: TestServer): Promise<number> {
    const sinceMs = testServer.scheduler.monotonicMs;
    await testServer.run(manager.runner.stop());
    return testServer.scheduler.monotonicMs - sinceMs;
  }

  test("waits for the running passes, takes no new ones, and releases the Lease last", async () => {
    const testServer = await withObject();
    const manager = startManager(testServer, [slow(5 * SECOND)], { lease });
    const ended = fate(manager);
    await testServer.scheduler.advance(SECOND);
    const stopping = stopped(manager, testServer);
    await testServer.client.create(TestObject, testObject("b"));
    expect(await stopping).toBeLessThan(5 * SECOND);
    expect((await testServer.run(testServer.client.get(TestObject, a))).spec).toEqual({ done: true });
    await testServer.scheduler.advance(MINUTE);
    const lastLease = Math.max(...manager.leaseWrites.map(atMs));
    expect(Math.max(...manager.writes.map(atMs))).toBeLessThan(lastLease);
    expect((await testServer.run(testServer.client.get(Lease, lease))).spec?.holderIdentity).toBe("");
    expect(ended.ended).toBe("stopped");
    expect(manager.requests.filter(({ path }) => path.includes("/boats/b"))).toEqual([]);
  });

  test("waits at most 10 seconds, and a hanging pass writes nothing after the Lease is released", async () => {
    const testServer = await withObject();
    const manager = startManager(testServer, [slow(25 * SECOND)], { lease });
    fate(manager);
    await testServer.scheduler.advance(SECOND);
    const tookMs = await stopped(manager, testServer);
    expect(tookMs).toBeGreaterThanOrEqual(10 * SECOND);
    expect(tookMs).toBeLessThan(11 * SECOND);
    expect(manager.lines.some(({ message }) => message === "Stopping although passes are running")).toBe(
      true,
    );
    await testServer.scheduler.advance(MINUTE);
    expect(manager.writes).toEqual([]);
  });

  test("does not hang on a server that does not answer", async () => {
    const testServer = await withObject();
    let isUp = true;
    const manager = startManager(testServer, [slow(SECOND)], {
      lease,
      handler: async (request) => (isUp ? testServer.server(request) : new Promise(() => undefined)),
    });
    fate(manager);
    await testServer.scheduler.advance(5 * SECOND);
    isUp = false;
    await testServer.scheduler.advance(3 * SECOND);
    expect(await stopped(manager, testServer)).toBeLessThanOrEqual(20 * SECOND);
  });

  test("writes the events of the last passes before it releases the Lease", async () => {
    const testServer = await withObject();
    const manager = startManager(
      testServer,
      [
        testObjects(async (context) => {
          await context.env.clock.sleep(5 * SECOND);
          for (let chain = 0; chain < 20; chain++) {
            context.event({ type: "Normal", reason: "Anchored", message: `She lies at anchor ${chain}` });
          }
          return next;
        }),
      ],
      { lease },
    );
    fate(manager);
    await testServer.scheduler.advance(SECOND);
    await stopped(manager, testServer);
    expect(await testServer.run(testServer.client.list(Event))).toHaveLength(20);
  });

  test("ends a start that still waits for the Lease, without an error", async () => {
    const testServer = await withObject();
    const first = startManager(testServer, [busy()], { name: "first", lease });
    fate(first);
    await testServer.scheduler.advance(SECOND);
    const second = startManager(testServer, [busy()], { name: "second", lease });
    await testServer.scheduler.advance(5 * SECOND);
    await stopped(second, testServer);
    await testServer.run(second.started);
    await testServer.scheduler.advance(MINUTE);
    expect(second.writes).toEqual([]);
    expect((await testServer.run(testServer.client.get(Lease, lease))).spec?.holderIdentity).toMatch(
      /^first_/,
    );
  });

  test("at the moment of acquiring the Lease releases it", async () => {
    const testServer = await withObject();
    const manager = startManager(testServer, [busy()], { lease });
    await testServer.scheduler.run({ until: () => manager.leaseWrites.length > 0 });
    await stopped(manager, testServer);
    await testServer.scheduler.advance(10);
    expect((await testServer.run(testServer.client.get(Lease, lease))).spec?.holderIdentity).toBe("");
    expect(manager.writes).toEqual([]);
  });

  test("ends a start that still waits for its first list", async () => {
    const testServer = await withObject();
    const manager = startManager(testServer, [busy()], {
      handler: async () => plain(404, "404 page not found\n"),
    });
    await testServer.scheduler.advance(5 * SECOND);
    await stopped(manager, testServer);
    await testServer.run(manager.started);
    const before = manager.requests.length;
    await testServer.scheduler.advance(10 * MINUTE);
    expect(manager.requests.length).toBe(before);
  });

  test("without a Lease resolves held(), and not before", async () => {
    const testServer = await withObject();
    const manager = startManager(testServer, [busy()]);
    const ended = fate(manager);
    await testServer.scheduler.advance(5 * SECOND);
    expect(ended.ended).toBeUndefined();
    await stopped(manager, testServer);
    await testServer.scheduler.advance(1);
    expect(ended.ended).toBe("stopped");
  });
});

describe("readiness", () => {
  test("names the kinds whose first list is missing, and does not start passes before", async () => {
    const testServer = await withObject();
    let isInstalled = false;
    const reconciler = { ...busy(), owns: [Crate] };
    const manager = startManager(testServer, [reconciler], {
      handler: async (request) =>
        request.path.includes("/crates") && !isInstalled
          ? plain(404, "404 page not found\n")
          : testServer.server(request),
    });
    await testServer.scheduler.advance(MINUTE);
    expect(manager.runner.unready()).toEqual([
      "waiting for the first list of Crate",
      expect.stringMatching(
        /^Crate cannot be listed: .*crates.*is its CustomResourceDefinition installed\?$/,
      ),
    ]);
    expect(manager.writes).toEqual([]);
    const reported = manager.lines.find(({ level }) => level === "warn");
    expect(String(reported?.fields["error"])).toContain("crates");
    expect(String(reported?.fields["error"])).toContain("is its CustomResourceDefinition installed?");
    isInstalled = true;
    await testServer.scheduler.advance(MINUTE);
    expect(manager.runner.unready()).toEqual([]);
    expect(manager.writes.length).toBeGreaterThan(0);
  });
});

test("a manager without the right to list a kind says which right it lacks", async () => {
  const testServer = await withObject();
  const message = 'crates.example.com is forbidden: User "capstan" cannot list resource "crates"';
  const manager = startManager(testServer, [{ ...busy(), watches: [on(Crate, () => [])] }], {
    handler: async (request) =>
      request.path.includes("/crates")
        ? status(403, { reason: "Forbidden", message })
        : testServer.server(request),
  });
  await testServer.scheduler.advance(MINUTE);
  expect(manager.runner.unready()).toEqual([
    "waiting for the first list of Crate",
    expect.stringContaining(message),
  ]);
  expect(manager.writes).toEqual([]);
});

describe("a part of the cluster", () => {
  /** The boats that a manager reconciles in half an hour. */
  async function seenBy(
    testServer: TestServer,
    options: Parameters<typeof startManager>[2],
  ): Promise<{ seen: string[]; manager: Manager }> {
    const seen = new Set<string>();
    const note: Phase<Context<TestObject>> = ({ object }) => {
      seen.add(object.metadata.name);
      return next;
    };
    const manager = startManager(testServer, [testObjects(note)], options);
    await testServer.scheduler.advance(30 * MINUTE);
    return { seen: [...seen], manager };
  }

  test("is all that a manager reads and writes with one namespace", async () => {
    const testServer = await withObject();
    await testServer.run(
      testServer.client.create(TestObject, testObject("b", { metadata: { namespace: "kube-system" } })),
    );
    const { seen, manager } = await seenBy(testServer, { namespace: "kube-system" });
    expect(seen).toEqual(["b"]);
    expect(manager.requests.every(({ path }) => path.includes("/namespaces/kube-system/"))).toBe(true);
  });

  test("is all that a manager writes with a watch filter", async () => {
    const testServer = await withObject();
    const labels = (value: string) => ({ metadata: { labels: { "cluster.x-k8s.io/watch-filter": value } } });
    await testServer.run(testServer.client.create(TestObject, testObject("ours", labels("blue"))));
    await testServer.run(testServer.client.create(TestObject, testObject("theirs", labels("bluegreen"))));
    const { seen, manager } = await seenBy(testServer, { watchFilter: "blue" });
    expect(seen).toEqual(["ours"]);
    expect(manager.writes.filter((write) => !write.includes("/ours"))).toEqual([]);
  });
});
