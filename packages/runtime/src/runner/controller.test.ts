import { controllerReferenceTo, Event, type Frozen } from "@capstan/api";
import { TransportError } from "@capstan/env";
import { describe, expect, test } from "vitest";
import { isWatch, json, status } from "../answers.fixture.ts";
import { transient } from "../failure.ts";
import { TestObject, testObject, Crate, TestServer, Port } from "../test-server.fixture.ts";
import { again, next, type Outcome } from "../reconciler/outcome.ts";
import {
  type Context,
  defineReconciler,
  on,
  type Reconciler,
  type ReconcilerDefinition,
} from "../reconciler/reconciler.ts";
import { type Manager, startManager } from "./manager.fixture.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const a = { name: "a", namespace: "default" };

/** A reconciler of Boats that records the reconciled keys with the time. */
function observed(
  testServer: TestServer,
  definition: Partial<ReconcilerDefinition<TestObject, Context<TestObject>>> = {},
) {
  const passes: { name: string; uid: string; atMs: number }[] = [];
  const reconciler: Reconciler = defineReconciler<TestObject, Context<TestObject>>({
    name: "boats",
    for: TestObject,
    normal: [],
    ...definition,
    scope: (context) => {
      const { name, uid = "" } = context.object.metadata;
      passes.push({ name, uid, atMs: testServer.scheduler.monotonicMs });
      return definition.scope?.(context) ?? context;
    },
  });
  const names = (): string[] => passes.map(({ name }) => name);
  return { reconciler, passes, names };
}

const created = (testServer: TestServer, ...names: string[]): Promise<readonly Frozen<TestObject>[]> =>
  testServer.run(Promise.all(names.map((name) => testServer.client.create(TestObject, testObject(name)))));
const patched = (testServer: TestServer, body: object): Promise<Frozen<TestObject>> =>
  testServer.run(testServer.client.patch(TestObject, a, { type: "merge", body }));
const count = ({ runner }: Manager, name: string, labels: Record<string, string> = {}): number =>
  runner.metrics.value(name, { controller: "boats", ...labels });

describe("an object is enqueued by", () => {
  // With half of these seeds, an echo overtakes the answer to its write.
  const seeds = Array.from({ length: 20 }, (_, index) => String(index));
  test.each(seeds)("its own changes, but not the echo of what a pass wrote (seed %s)", async (seed) => {
    const testServer = new TestServer({ seed });
    await created(testServer, "a");
    const { reconciler, names } = observed(testServer, { finalizer: "test/f" });
    const manager = startManager(testServer, [reconciler]);
    await testServer.scheduler.advance(5 * SECOND);
    expect(names(), "a finalizer and a status were written").toEqual(["a"]);
    expect(manager.writes).toHaveLength(2);
    await patched(testServer, { spec: { x: 1 } });
    await testServer.scheduler.advance(5 * SECOND);
    expect(names()).toEqual(["a", "a"]);
    await patched(testServer, { metadata: { labels: { x: "y" } } });
    await testServer.scheduler.advance(5 * SECOND);
    expect(names()).toEqual(["a", "a", "a"]);
  });

  test("a new spec that a pass has written itself, unless reconcileAfterOwnSpecChange is false", async () => {
    const passes = async (
      reconcileAfterOwnSpecChange?: () => boolean,
      seed = "1",
    ): Promise<readonly string[]> => {
      const testServer = new TestServer({ seed });
      await created(testServer, "a");
      const { reconciler, names } = observed(testServer, {
        ...(reconcileAfterOwnSpecChange && { reconcileAfterOwnSpecChange }),
        normal: [
          ({ object }) => {
            object.spec = { x: 1 };
            return next;
          },
        ],
      });
      startManager(testServer, [reconciler]);
      await testServer.scheduler.advance(5 * SECOND);
      const own = names().length;
      await patched(testServer, { spec: { y: 2 } });
      await testServer.scheduler.advance(5 * SECOND);
      expect(names().length, "another client's spec always does").toBeGreaterThan(own);
      return names().slice(0, own);
    };
    // The echo of the status may arrive while the second pass waits for the writes of the first.
    for (let seed = 1; seed <= 20; seed++) expect(await passes(undefined, `${seed}`)).toEqual(["a", "a"]);
    expect(await passes(() => true)).toEqual(["a", "a"]);
    expect(await passes(() => false)).toEqual(["a"]);
  });

  test("a change of another client that arrives together with the controller's own write", async () => {
    const testServer = new TestServer({ historyLimit: 1 });
    await created(testServer, "a");
    const labels: unknown[] = [];
    let isCut = false;
    const { reconciler } = observed(testServer, {
      normal: [
        async ({ object }) => {
          labels.push(object.metadata.labels);
          if (labels.length > 1) return next;
          // The watch is cut, another client writes, and the status is written on top: the cache will see one step.
          isCut = true;
          await testServer.client.patch(TestObject, a, {
            type: "merge",
            body: { metadata: { labels: { theirs: "yes" } } },
          });
          return next;
        },
      ],
    });
    startManager(testServer, [reconciler], {
      handler: async (request) => {
        if (!isWatch(request)) return testServer.server(request);
        if (isCut && labels.length === 1) {
          isCut = false;
          return json(410, { kind: "Status", code: 410, reason: "Expired" });
        }
        const response = await testServer.server(request);
        return {
          ...response,
          lines: async function* () {
            for await (const line of response.lines()) {
              if (isCut) throw new TransportError("reset", "the connection broke");
              yield line;
            }
          },
        };
      },
    });
    await testServer.scheduler.advance(30 * SECOND);
    expect(labels).toEqual([undefined, { theirs: "yes" }]);
  });

  test("a change of an owned object, by group and kind, in its namespace", async () => {
    const testServer = new TestServer();
    const [owner] = await created(testServer, "a", "b");
    const { reconciler, names } = observed(testServer, { owns: [Crate] });
    startManager(testServer, [reconciler]);
    await testServer.scheduler.advance(5 * SECOND);
    const before = names().length;
    const crate = async (name: string, reference: object, namespace = "default"): Promise<string[]> => {
      const seen = names().length;
      const metadata = {
        name,
        namespace,
        ownerReferences: [{ ...controllerReferenceTo(owner as Frozen<TestObject>), ...reference }],
      };
      await testServer.run(testServer.client.create(Crate, { metadata }));
      await testServer.scheduler.advance(SECOND);
      return names().slice(seen);
    };
    expect(await crate("ours", {})).toEqual(["a"]);
    expect(await crate("older-version", { apiVersion: "test.capstan.dev/v1alpha1" })).toEqual(["a"]);
    expect(await crate("other-group", { apiVersion: "other.capstan.dev/v1" })).toEqual([]);
    expect(await crate("other-kind", { kind: "Ship" })).toEqual([]);
    expect(await crate("not-controller", { controller: false })).toEqual([]);
    expect(await crate("elsewhere", {}, "kube-system"), "no Boat of that name exists there").toEqual([]);
    await testServer.run(testServer.client.delete(Crate, { name: "ours", namespace: "default" }));
    await testServer.scheduler.advance(SECOND);
    expect(names().slice(before)).toEqual(["a", "a", "a"]);
  });

  test("the loss of an owned object to another owner", async () => {
    const testServer = new TestServer();
    const [first, second] = await created(testServer, "a", "b");
    const { reconciler, names } = observed(testServer, { owns: [Crate] });
    startManager(testServer, [reconciler]);
    const own = (ownerName: Frozen<TestObject> | undefined) => ({
      ownerReferences: [controllerReferenceTo(ownerName as Frozen<TestObject>)],
    });
    const crate = { name: "crate", namespace: "default" };
    await testServer.run(testServer.client.create(Crate, { metadata: { ...crate, ...own(first) } }));
    await testServer.scheduler.advance(5 * SECOND);
    const before = names().length;
    await testServer.run(
      testServer.client.patch(Crate, crate, { type: "merge", body: { metadata: own(second) } }),
    );
    await testServer.scheduler.advance(SECOND);
    expect(names().slice(before).sort()).toEqual(["a", "b"]);
    await testServer.run(
      testServer.client.patch(Crate, crate, { type: "merge", body: { metadata: { ownerReferences: null } } }),
    );
    await testServer.scheduler.advance(SECOND);
    expect(names().slice(before + 2)).toEqual(["b"]);
  });

  test("a change of an object that maps to it, before or after the change", async () => {
    const testServer = new TestServer();
    await created(testServer, "a", "b", "c");
    const port = (object: Frozen<TestObject>) => {
      const berth = object.spec?.["berth"];
      return typeof berth === "string" ? [{ name: berth, namespace: "default" }] : [];
    };
    const { reconciler, names } = observed(testServer, { watches: [on(Port, port)] });
    startManager(testServer, [reconciler]);
    await testServer.scheduler.advance(5 * SECOND);
    const before = names().length;
    await testServer.run(testServer.client.create(Port, { metadata: { name: "p" }, spec: { berth: "a" } }));
    await testServer.scheduler.advance(SECOND);
    await testServer.run(
      testServer.client.patch(Port, { name: "p" }, { type: "merge", body: { spec: { berth: "b" } } }),
    );
    await testServer.scheduler.advance(SECOND);
    expect(names().slice(before, before + 1)).toEqual(["a"]);
    expect(
      names()
        .slice(before + 1)
        .sort(),
    ).toEqual(["a", "b"]);
  });

  test("no change of a kind that is only read, though a pass finds its objects in the cache", async () => {
    const testServer = new TestServer();
    await created(testServer, "a");
    await testServer.run(testServer.client.create(Port, { metadata: { name: "p" } }));
    const ports: number[] = [];
    const countPorts = ({ cache }: Context<TestObject>): Promise<typeof next> => {
      ports.push(cache.list(Port).length);
      return Promise.resolve(next);
    };
    const { reconciler } = observed(testServer, { reads: [Port], normal: [countPorts] });
    startManager(testServer, [reconciler]);
    await testServer.scheduler.advance(5 * SECOND);
    await testServer.run(testServer.client.create(Port, { metadata: { name: "q" } }));
    await testServer.scheduler.advance(SECOND);
    expect(ports).toEqual([1]);
  });

  test("an exception in the mapping is logged, and the other mappings continue", async () => {
    const testServer = new TestServer();
    await created(testServer, "a");
    const { reconciler, names } = observed(testServer, {
      watches: [
        on(Port, () => {
          throw new TypeError("the mapping is wrong");
        }),
        on(Port, () => [a]),
      ],
    });
    const manager = startManager(testServer, [reconciler]);
    await testServer.scheduler.advance(5 * SECOND);
    const before = names().length;
    await testServer.run(testServer.client.create(Port, { metadata: { name: "p" } }));
    await testServer.scheduler.advance(SECOND);
    expect(names().slice(before)).toEqual(["a"]);
    const bugs = manager.lines.filter(({ message }) => message === "Bug in a handler");
    expect(bugs.map(({ fields }) => String(fields["error"]))).toEqual(["TypeError: the mapping is wrong"]);
  });

  test("a resync about every ten minutes, after urgent keys", async () => {
    const testServer = new TestServer();
    await created(testServer, "a", "b");
    const { reconciler, passes } = observed(testServer);
    startManager(testServer, [reconciler]);
    await testServer.scheduler.advance(5 * SECOND);
    expect(passes).toHaveLength(2);
    await testServer.scheduler.advance(60 * MINUTE);
    const ofA = passes.filter(({ name }) => name === "a").map(({ atMs }) => atMs);
    expect(ofA.length).toBeGreaterThanOrEqual(6);
    expect(ofA.length).toBeLessThanOrEqual(8);
    const gaps = ofA.slice(2).map((atMs, index) => atMs - (ofA[index + 1] ?? 0));
    for (const gap of gaps) {
      expect(gap).toBeGreaterThanOrEqual(9 * MINUTE);
      expect(gap).toBeLessThanOrEqual(11 * MINUTE + SECOND);
    }
  });
});

test("a resync at the reconciler's interval", async () => {
  const testServer = new TestServer();
  await created(testServer, "a");
  const { reconciler, passes } = observed(testServer, { resyncMs: 60 * MINUTE });
  startManager(testServer, [reconciler]);
  await testServer.scheduler.advance(50 * MINUTE);
  expect(passes).toHaveLength(1);
  await testServer.scheduler.advance(20 * MINUTE);
  expect(passes).toHaveLength(2);
});

describe("a deleted object", () => {
  test("is dropped without an error while its key waits", async () => {
    const testServer = new TestServer();
    await created(testServer, "a");
    const { reconciler, names } = observed(testServer, { normal: [() => again(10 * SECOND, "Later")] });
    const manager = startManager(testServer, [reconciler]);
    await testServer.scheduler.advance(5 * SECOND);
    await testServer.run(testServer.client.delete(TestObject, a));
    await testServer.scheduler.advance(MINUTE);
    expect(names()).toEqual(["a"]);
    expect(manager.lines.filter(({ level }) => level !== "info" && level !== "debug")).toEqual([]);
  });

  test("is dropped without an error in the middle of a pass, as soon as the cache shows it", async () => {
    const testServer = new TestServer();
    await created(testServer, "a");
    const { reconciler, passes } = observed(testServer, {
      normal: [
        async () => {
          if (passes.length === 1) await testServer.client.delete(TestObject, a);
          return next;
        },
      ],
    });
    const manager = startManager(testServer, [reconciler], { lineLatencyMs: () => SECOND });
    await testServer.scheduler.advance(3 * SECOND);
    const seen = passes.length;
    await testServer.scheduler.advance(30 * MINUTE);
    expect(passes).toHaveLength(seen);
    expect(manager.lines.filter(({ level }) => level !== "info" && level !== "debug")).toEqual([]);
    expect(count(manager, "controller_runtime_reconcile_errors_total")).toBe(0);
  });

  test("that is recreated while its key waits gets a pass over the new object", async () => {
    const testServer = new TestServer();
    const [old] = await created(testServer, "a");
    const { reconciler, passes } = observed(testServer, { concurrency: 1, normal: [slow] });
    async function slow(context: Context<TestObject>): Promise<Outcome> {
      await context.env.clock.sleep(5 * SECOND);
      return next;
    }
    startManager(testServer, [reconciler]);
    await testServer.scheduler.advance(SECOND);
    await testServer.run(testServer.client.delete(TestObject, a));
    const [recreated] = await created(testServer, "a");
    await testServer.scheduler.advance(30 * SECOND);
    expect(passes.map(({ uid }) => uid)).toEqual([old?.metadata.uid, recreated?.metadata.uid]);
    const now = await testServer.run(testServer.client.get(TestObject, a));
    expect(now.status?.conditions?.map(({ reason }) => reason)).toEqual(["Reconciled"]);
  });
});

describe("a failed pass", () => {
  test("with a conflict is retried at once, on the new state, without an error", async () => {
    const testServer = new TestServer();
    await created(testServer, "a");
    const { reconciler, passes } = observed(testServer, {
      normal: [
        async ({ object }) => {
          if (passes.length === 1) await patchedInBetween();
          object.spec = { ...object.spec, ours: 1 };
          return next;
        },
      ],
    });
    const patchedInBetween = (): Promise<unknown> =>
      testServer.client.patch(TestObject, a, { type: "merge", body: { spec: { theirs: 1 } } });
    const manager = startManager(testServer, [reconciler]);
    await testServer.scheduler.advance(SECOND);
    expect((await testServer.run(testServer.client.get(TestObject, a))).spec).toEqual({ theirs: 1, ours: 1 });
    const [first, second] = passes;
    expect((second?.atMs ?? 0) - (first?.atMs ?? 0)).toBeLessThan(50);
    expect(count(manager, "controller_runtime_reconcile_errors_total")).toBe(0);
    expect(count(manager, "controller_runtime_reconcile_total", { result: "requeue" })).toBe(1);
  });

  test("because the server does not find its object is retried, as long as the cache has the object", async () => {
    const testServer = new TestServer();
    await created(testServer, "a");
    const { reconciler } = observed(testServer);
    let isDenied = false;
    const manager = startManager(testServer, [reconciler], {
      handler: async (request) => {
        if (request.method !== "PATCH" || isDenied) return testServer.server(request);
        isDenied = true;
        return status(404, { reason: "NotFound", details: { name: "a" } });
      },
    });
    await testServer.scheduler.advance(SECOND);
    const object = await testServer.run(testServer.client.get(TestObject, a));
    expect(object.status?.conditions?.map(({ reason }) => reason)).toEqual(["Reconciled"]);
    expect(count(manager, "controller_runtime_reconcile_errors_total")).toBe(0);
  });

  test("records one event after the third failure in a row", async () => {
    const testServer = new TestServer();
    await created(testServer, "a");
    let failures = 0;
    const { reconciler } = observed(testServer, {
      normal: [
        () => {
          failures++;
          throw transient("StormAhead", "A storm is ahead");
        },
      ],
    });
    startManager(testServer, [reconciler]);
    const events = async (): Promise<readonly Frozen<Event>[]> =>
      testServer.run(testServer.client.list(Event));
    await testServer.scheduler.run({ until: () => failures === 2 });
    await testServer.scheduler.advance(1);
    expect(await events()).toEqual([]);
    await testServer.scheduler.run({ until: () => failures === 12 });
    await testServer.scheduler.advance(SECOND);
    expect((await events()).map(({ type, reason, count: times }) => `${type} ${reason} ${times}`)).toEqual([
      "Warning StormAhead 1",
    ]);
  });

  test("is not retried before the Retry-After of the other side", async () => {
    const testServer = new TestServer();
    await created(testServer, "a");
    const { reconciler, passes } = observed(testServer, {
      normal: [
        () => {
          throw transient("TooManyRequests", "Slow down", { retryAfterMs: 20 * SECOND });
        },
      ],
    });
    startManager(testServer, [reconciler]);
    await testServer.scheduler.advance(30 * SECOND);
    const [first, second] = passes;
    expect((second?.atMs ?? 0) - (first?.atMs ?? 0)).toBeGreaterThanOrEqual(20 * SECOND);
  });

  test("with a bug affects only its object", async () => {
    const testServer = new TestServer();
    await created(testServer, "a", "b", "c");
    const { reconciler } = observed(testServer, {
      concurrency: 1,
      normal: [
        ({ object }) => {
          if (object.metadata.name === "a") throw new RangeError("the sextant is upside down");
          return next;
        },
      ],
    });
    const manager = startManager(testServer, [reconciler]);
    await testServer.scheduler.advance(10 * SECOND);
    for (const name of ["b", "c"]) {
      const object = await testServer.run(testServer.client.get(TestObject, { ...a, name }));
      expect(object.status?.conditions?.[0]?.status).toBe("True");
    }
    expect(count(manager, "controller_runtime_reconcile_panics_total")).toBeGreaterThan(2);
    const bug = manager.lines.find(({ message }) => message.startsWith("Bug in a reconciler"));
    expect(bug?.fields).toMatchObject({ object: "default/a", controller: "boats" });
    expect(bug?.fields["id"]).toMatch(/^[0-9a-f]{8}$/);
  });

  test("because the cache cannot be refreshed is retried, with any answer of the server", async () => {
    const testServer = new TestServer();
    await created(testServer, "a");
    let lists = 0;
    const { reconciler, passes } = observed(testServer, {
      owns: [Crate],
      normal: [
        async ({ client }) => {
          if (passes.length === 1) await client.create(Crate, testObject("crate"));
          return passes.length === 1 ? again(SECOND, "Again") : next;
        },
      ],
    });
    startManager(testServer, [reconciler], {
      lineLatencyMs: () => 5 * MINUTE,
      handler: async (request) => {
        const isList = request.method === "GET" && request.path.includes("/crates") && !isWatch(request);
        if (isList) lists++;
        return isList && lists >= 2 && lists <= 4 ? json(200, {}) : testServer.server(request);
      },
    });
    await testServer.scheduler.advance(2 * MINUTE);
    expect(lists).toBeGreaterThanOrEqual(5);
    expect(passes).toHaveLength(2);
  });
});

describe("creating objects with random names", () => {
  /** Keeps one Crate for each Boat, and reads only the cache. */
  function keepsOneCrate(testServer: TestServer) {
    return observed(testServer, {
      owns: [Crate],
      normal: [
        async ({ object, cache, client, env }) => {
          if (cache.list(Crate).length > 0) return next;
          const metadata = {
            name: `crate-${env.uuid()}`,
            namespace: "default",
            ownerReferences: [controllerReferenceTo(object)],
          };
          await client.create(Crate, { metadata });
          return next;
        },
      ],
    });
  }

  test.each([
    [
      "the connection breaks after the create",
      () => Promise.reject(new TransportError("reset", "the connection broke")),
    ],
    ["the server fails after the create", () => Promise.resolve(json(503, { kind: "Status", code: 503 }))],
  ])("creates no second one when %s and the watch lags", async (_, lose) => {
    const testServer = new TestServer();
    await created(testServer, "a");
    const { reconciler, passes } = keepsOneCrate(testServer);
    let lost = 0;
    startManager(testServer, [reconciler], {
      lineLatencyMs: () => 700,
      handler: async (request) => {
        const answer = await testServer.server(request);
        if (request.method !== "POST" || !request.path.includes("/crates") || lost > 0) return answer;
        lost++;
        return lose();
      },
    });
    await testServer.scheduler.advance(5 * MINUTE);
    expect(lost).toBe(1);
    expect(passes.length).toBeGreaterThan(1);
    expect(await testServer.run(testServer.client.list(Crate))).toHaveLength(1);
  });
});
