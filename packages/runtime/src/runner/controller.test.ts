import { controllerReferenceTo, Event, type Frozen } from "@capstan/api";
import { TransportError } from "@capstan/env";
import { describe, expect, test } from "vitest";
import { isWatch, json, status } from "../answers.fixture.ts";
import { transient } from "../failure.ts";
import { Boat, boat, Crate, Harbour, Port } from "../harbour.fixture.ts";
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

/** A reconciler of Boats that keeps the keys it worked on, with the moment. */
function observed(harbour: Harbour, definition: Partial<ReconcilerDefinition<Boat, Context<Boat>>> = {}) {
  const passes: { name: string; uid: string; atMs: number }[] = [];
  const reconciler: Reconciler = defineReconciler<Boat, Context<Boat>>({
    name: "boats",
    for: Boat,
    normal: [],
    ...definition,
    scope: (context) => {
      const { name, uid = "" } = context.object.metadata;
      passes.push({ name, uid, atMs: harbour.scheduler.monotonicMs });
      return definition.scope?.(context) ?? context;
    },
  });
  const names = (): string[] => passes.map(({ name }) => name);
  return { reconciler, passes, names };
}

const created = (harbour: Harbour, ...names: string[]): Promise<readonly Frozen<Boat>[]> =>
  harbour.run(Promise.all(names.map((name) => harbour.client.create(Boat, boat(name)))));
const patched = (harbour: Harbour, body: object): Promise<Frozen<Boat>> =>
  harbour.run(harbour.client.patch(Boat, a, { type: "merge", body }));
const count = ({ runner }: Manager, name: string, labels: Record<string, string> = {}): number =>
  runner.metrics.value(name, { controller: "boats", ...labels });

describe("what wakes an object", () => {
  // Half of these seeds let an echo overtake the answer to its write.
  const seeds = Array.from({ length: 20 }, (_, index) => String(index));
  test.each(seeds)("its own changes, but not the echo of what a pass wrote (seed %s)", async (seed) => {
    const harbour = new Harbour({ seed });
    await created(harbour, "a");
    const { reconciler, names } = observed(harbour, { finalizer: "test/f" });
    const manager = startManager(harbour, [reconciler]);
    await harbour.scheduler.advance(5 * SECOND);
    expect(names(), "a finalizer and a status were written").toEqual(["a"]);
    expect(manager.writes).toHaveLength(2);
    await patched(harbour, { spec: { x: 1 } });
    await harbour.scheduler.advance(5 * SECOND);
    expect(names()).toEqual(["a", "a"]);
    await patched(harbour, { metadata: { labels: { x: "y" } } });
    await harbour.scheduler.advance(5 * SECOND);
    expect(names()).toEqual(["a", "a", "a"]);
  });

  test("a new spec that a pass has written itself, unless the reconciler says that it is worth no other pass", async () => {
    const passes = async (
      reconcileAfterOwnSpecChange?: () => boolean,
      seed = "1",
    ): Promise<readonly string[]> => {
      const harbour = new Harbour({ seed });
      await created(harbour, "a");
      const { reconciler, names } = observed(harbour, {
        ...(reconcileAfterOwnSpecChange && { reconcileAfterOwnSpecChange }),
        normal: [
          ({ object }) => {
            object.spec = { x: 1 };
            return next;
          },
        ],
      });
      startManager(harbour, [reconciler]);
      await harbour.scheduler.advance(5 * SECOND);
      const own = names().length;
      await patched(harbour, { spec: { y: 2 } });
      await harbour.scheduler.advance(5 * SECOND);
      expect(names().length, "somebody else's spec always is").toBeGreaterThan(own);
      return names().slice(0, own);
    };
    // The echo of the status may come while the second pass waits to see what the first has written.
    for (let seed = 1; seed <= 20; seed++) expect(await passes(undefined, `${seed}`)).toEqual(["a", "a"]);
    expect(await passes(() => true)).toEqual(["a", "a"]);
    expect(await passes(() => false)).toEqual(["a"]);
  });

  test("a change of somebody else that came together with our own write", async () => {
    const harbour = new Harbour({ historyLimit: 1 });
    await created(harbour, "a");
    const labels: unknown[] = [];
    let isCut = false;
    const { reconciler } = observed(harbour, {
      normal: [
        async ({ object }) => {
          labels.push(object.metadata.labels);
          if (labels.length > 1) return next;
          // The watch is cut, somebody else writes, our status goes on top of that: the cache will see one step.
          isCut = true;
          await harbour.client.patch(Boat, a, {
            type: "merge",
            body: { metadata: { labels: { theirs: "yes" } } },
          });
          return next;
        },
      ],
    });
    startManager(harbour, [reconciler], {
      handler: async (request) => {
        if (!isWatch(request)) return harbour.server(request);
        if (isCut && labels.length === 1) {
          isCut = false;
          return json(410, { kind: "Status", code: 410, reason: "Expired" });
        }
        const response = await harbour.server(request);
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
    await harbour.scheduler.advance(30 * SECOND);
    expect(labels).toEqual([undefined, { theirs: "yes" }]);
  });

  test("a change of what it owns, by group and kind, in its namespace", async () => {
    const harbour = new Harbour();
    const [owner] = await created(harbour, "a", "b");
    const { reconciler, names } = observed(harbour, { owns: [Crate] });
    startManager(harbour, [reconciler]);
    await harbour.scheduler.advance(5 * SECOND);
    const before = names().length;
    const crate = async (name: string, reference: object, namespace = "default"): Promise<string[]> => {
      const seen = names().length;
      const metadata = {
        name,
        namespace,
        ownerReferences: [{ ...controllerReferenceTo(owner as Frozen<Boat>), ...reference }],
      };
      await harbour.run(harbour.client.create(Crate, { metadata }));
      await harbour.scheduler.advance(SECOND);
      return names().slice(seen);
    };
    expect(await crate("ours", {})).toEqual(["a"]);
    expect(await crate("older-version", { apiVersion: "test.capstan.dev/v1alpha1" })).toEqual(["a"]);
    expect(await crate("other-group", { apiVersion: "other.capstan.dev/v1" })).toEqual([]);
    expect(await crate("other-kind", { kind: "Ship" })).toEqual([]);
    expect(await crate("not-controller", { controller: false })).toEqual([]);
    expect(await crate("elsewhere", {}, "kube-system"), "no Boat of that name is there").toEqual([]);
    await harbour.run(harbour.client.delete(Crate, { name: "ours", namespace: "default" }));
    await harbour.scheduler.advance(SECOND);
    expect(names().slice(before)).toEqual(["a", "a", "a"]);
  });

  test("the loss of what it owned to another owner", async () => {
    const harbour = new Harbour();
    const [first, second] = await created(harbour, "a", "b");
    const { reconciler, names } = observed(harbour, { owns: [Crate] });
    startManager(harbour, [reconciler]);
    const own = (boatOwner: Frozen<Boat> | undefined) => ({
      ownerReferences: [controllerReferenceTo(boatOwner as Frozen<Boat>)],
    });
    const crate = { name: "crate", namespace: "default" };
    await harbour.run(harbour.client.create(Crate, { metadata: { ...crate, ...own(first) } }));
    await harbour.scheduler.advance(5 * SECOND);
    const before = names().length;
    await harbour.run(harbour.client.patch(Crate, crate, { type: "merge", body: { metadata: own(second) } }));
    await harbour.scheduler.advance(SECOND);
    expect(names().slice(before).sort()).toEqual(["a", "b"]);
    await harbour.run(
      harbour.client.patch(Crate, crate, { type: "merge", body: { metadata: { ownerReferences: null } } }),
    );
    await harbour.scheduler.advance(SECOND);
    expect(names().slice(before + 2)).toEqual(["b"]);
  });

  test("a change of what concerns it, before and after", async () => {
    const harbour = new Harbour();
    await created(harbour, "a", "b", "c");
    const port = (object: Frozen<Boat>) => {
      const berth = object.spec?.["berth"];
      return typeof berth === "string" ? [{ name: berth, namespace: "default" }] : [];
    };
    const { reconciler, names } = observed(harbour, { watches: [on(Port, port)] });
    startManager(harbour, [reconciler]);
    await harbour.scheduler.advance(5 * SECOND);
    const before = names().length;
    await harbour.run(harbour.client.create(Port, { metadata: { name: "p" }, spec: { berth: "a" } }));
    await harbour.scheduler.advance(SECOND);
    await harbour.run(
      harbour.client.patch(Port, { name: "p" }, { type: "merge", body: { spec: { berth: "b" } } }),
    );
    await harbour.scheduler.advance(SECOND);
    expect(names().slice(before, before + 1)).toEqual(["a"]);
    expect(
      names()
        .slice(before + 1)
        .sort(),
    ).toEqual(["a", "b"]);
  });

  test("an exception in the mapping is logged, and the other mappings go on", async () => {
    const harbour = new Harbour();
    await created(harbour, "a");
    const { reconciler, names } = observed(harbour, {
      watches: [
        on(Port, () => {
          throw new TypeError("the mapping is wrong");
        }),
        on(Port, () => [a]),
      ],
    });
    const manager = startManager(harbour, [reconciler]);
    await harbour.scheduler.advance(5 * SECOND);
    const before = names().length;
    await harbour.run(harbour.client.create(Port, { metadata: { name: "p" } }));
    await harbour.scheduler.advance(SECOND);
    expect(names().slice(before)).toEqual(["a"]);
    const bugs = manager.lines.filter(({ message }) => message === "Bug in a handler");
    expect(bugs.map(({ fields }) => String(fields["error"]))).toEqual(["TypeError: the mapping is wrong"]);
  });

  test("a resync about every ten minutes, behind what is urgent", async () => {
    const harbour = new Harbour();
    await created(harbour, "a", "b");
    const { reconciler, passes } = observed(harbour);
    startManager(harbour, [reconciler]);
    await harbour.scheduler.advance(5 * SECOND);
    expect(passes).toHaveLength(2);
    await harbour.scheduler.advance(60 * MINUTE);
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

test("a resync is as rare as a reconciler wants it", async () => {
  const harbour = new Harbour();
  await created(harbour, "a");
  const { reconciler, passes } = observed(harbour, { resyncMs: 60 * MINUTE });
  startManager(harbour, [reconciler]);
  await harbour.scheduler.advance(50 * MINUTE);
  expect(passes).toHaveLength(1);
  await harbour.scheduler.advance(20 * MINUTE);
  expect(passes).toHaveLength(2);
});

describe("an object that goes", () => {
  test("is forgotten quietly when it goes while its key waits", async () => {
    const harbour = new Harbour();
    await created(harbour, "a");
    const { reconciler, names } = observed(harbour, { normal: [() => again(10 * SECOND, "Later")] });
    const manager = startManager(harbour, [reconciler]);
    await harbour.scheduler.advance(5 * SECOND);
    await harbour.run(harbour.client.delete(Boat, a));
    await harbour.scheduler.advance(MINUTE);
    expect(names()).toEqual(["a"]);
    expect(manager.lines.filter(({ level }) => level !== "info" && level !== "debug")).toEqual([]);
  });

  test("is forgotten quietly when it goes in the middle of a pass, as soon as the cache knows", async () => {
    const harbour = new Harbour();
    await created(harbour, "a");
    const { reconciler, passes } = observed(harbour, {
      normal: [
        async () => {
          if (passes.length === 1) await harbour.client.delete(Boat, a);
          return next;
        },
      ],
    });
    const manager = startManager(harbour, [reconciler], { lineLatencyMs: () => SECOND });
    await harbour.scheduler.advance(3 * SECOND);
    const seen = passes.length;
    await harbour.scheduler.advance(30 * MINUTE);
    expect(passes).toHaveLength(seen);
    expect(manager.lines.filter(({ level }) => level !== "info" && level !== "debug")).toEqual([]);
    expect(count(manager, "controller_runtime_reconcile_errors_total")).toBe(0);
  });

  test("and comes back under its name while its key waits: the pass is about the new one", async () => {
    const harbour = new Harbour();
    const [old] = await created(harbour, "a");
    const { reconciler, passes } = observed(harbour, { concurrency: 1, normal: [slow] });
    async function slow(context: Context<Boat>): Promise<Outcome> {
      await context.env.clock.sleep(5 * SECOND);
      return next;
    }
    startManager(harbour, [reconciler]);
    await harbour.scheduler.advance(SECOND);
    await harbour.run(harbour.client.delete(Boat, a));
    const [recreated] = await created(harbour, "a");
    await harbour.scheduler.advance(30 * SECOND);
    expect(passes.map(({ uid }) => uid)).toEqual([old?.metadata.uid, recreated?.metadata.uid]);
    const now = await harbour.run(harbour.client.get(Boat, a));
    expect(now.status?.conditions?.map(({ reason }) => reason)).toEqual(["Reconciled"]);
  });
});

describe("a pass that goes wrong", () => {
  test("by a conflict is done again at once, on the new state, without an error", async () => {
    const harbour = new Harbour();
    await created(harbour, "a");
    const { reconciler, passes } = observed(harbour, {
      normal: [
        async ({ object }) => {
          if (passes.length === 1) await patchedInBetween();
          object.spec = { ...object.spec, ours: 1 };
          return next;
        },
      ],
    });
    const patchedInBetween = (): Promise<unknown> =>
      harbour.client.patch(Boat, a, { type: "merge", body: { spec: { theirs: 1 } } });
    const manager = startManager(harbour, [reconciler]);
    await harbour.scheduler.advance(SECOND);
    expect((await harbour.run(harbour.client.get(Boat, a))).spec).toEqual({ theirs: 1, ours: 1 });
    const [first, second] = passes;
    expect((second?.atMs ?? 0) - (first?.atMs ?? 0)).toBeLessThan(50);
    expect(count(manager, "controller_runtime_reconcile_errors_total")).toBe(0);
    expect(count(manager, "controller_runtime_reconcile_total", { result: "requeue" })).toBe(1);
  });

  test("because its object is said to be gone is done again, as long as the cache has the object", async () => {
    const harbour = new Harbour();
    await created(harbour, "a");
    const { reconciler } = observed(harbour);
    let isDenied = false;
    const manager = startManager(harbour, [reconciler], {
      handler: async (request) => {
        if (request.method !== "PATCH" || isDenied) return harbour.server(request);
        isDenied = true;
        return status(404, { reason: "NotFound", details: { name: "a" } });
      },
    });
    await harbour.scheduler.advance(SECOND);
    const object = await harbour.run(harbour.client.get(Boat, a));
    expect(object.status?.conditions?.map(({ reason }) => reason)).toEqual(["Reconciled"]);
    expect(count(manager, "controller_runtime_reconcile_errors_total")).toBe(0);
  });

  test("for the third time in a row tells the user, once", async () => {
    const harbour = new Harbour();
    await created(harbour, "a");
    let failures = 0;
    const { reconciler } = observed(harbour, {
      normal: [
        () => {
          failures++;
          throw transient("StormAhead", "A storm is ahead");
        },
      ],
    });
    startManager(harbour, [reconciler]);
    const events = async (): Promise<readonly Frozen<Event>[]> => harbour.run(harbour.client.list(Event));
    await harbour.scheduler.run({ until: () => failures === 2 });
    await harbour.scheduler.advance(1);
    expect(await events()).toEqual([]);
    await harbour.scheduler.run({ until: () => failures === 12 });
    await harbour.scheduler.advance(SECOND);
    expect((await events()).map(({ type, reason, count: times }) => `${type} ${reason} ${times}`)).toEqual([
      "Warning StormAhead 1",
    ]);
  });

  test("comes back no sooner than the other side asked for", async () => {
    const harbour = new Harbour();
    await created(harbour, "a");
    const { reconciler, passes } = observed(harbour, {
      normal: [
        () => {
          throw transient("TooManyRequests", "Slow down", { retryAfterMs: 20 * SECOND });
        },
      ],
    });
    startManager(harbour, [reconciler]);
    await harbour.scheduler.advance(30 * SECOND);
    const [first, second] = passes;
    expect((second?.atMs ?? 0) - (first?.atMs ?? 0)).toBeGreaterThanOrEqual(20 * SECOND);
  });

  test("by a bug keeps to its object: the others do not wait for it", async () => {
    const harbour = new Harbour();
    await created(harbour, "a", "b", "c");
    const { reconciler } = observed(harbour, {
      concurrency: 1,
      normal: [
        ({ object }) => {
          if (object.metadata.name === "a") throw new RangeError("the sextant is upside down");
          return next;
        },
      ],
    });
    const manager = startManager(harbour, [reconciler]);
    await harbour.scheduler.advance(10 * SECOND);
    for (const name of ["b", "c"]) {
      const object = await harbour.run(harbour.client.get(Boat, { ...a, name }));
      expect(object.status?.conditions?.[0]?.status).toBe("True");
    }
    expect(count(manager, "controller_runtime_reconcile_panics_total")).toBeGreaterThan(2);
    const bug = manager.lines.find(({ message }) => message.startsWith("Bug in a reconciler"));
    expect(bug?.fields).toMatchObject({ object: "default/a", controller: "boats" });
    expect(bug?.fields["id"]).toMatch(/^[0-9a-f]{8}$/);
  });

  test("because the cache cannot be brought up to date comes back, whatever the server answers", async () => {
    const harbour = new Harbour();
    await created(harbour, "a");
    let lists = 0;
    const { reconciler, passes } = observed(harbour, {
      owns: [Crate],
      normal: [
        async ({ client }) => {
          if (passes.length === 1) await client.create(Crate, boat("crate"));
          return passes.length === 1 ? again(SECOND, "Again") : next;
        },
      ],
    });
    startManager(harbour, [reconciler], {
      lineLatencyMs: () => 5 * MINUTE,
      handler: async (request) => {
        const isList = request.method === "GET" && request.path.includes("/crates") && !isWatch(request);
        if (isList) lists++;
        return isList && lists >= 2 && lists <= 4 ? json(200, {}) : harbour.server(request);
      },
    });
    await harbour.scheduler.advance(2 * MINUTE);
    expect(lists).toBeGreaterThanOrEqual(5);
    expect(passes).toHaveLength(2);
  });
});

describe("creating things with random names", () => {
  /** Keeps one Crate for each Boat, and looks only into the cache. */
  function keepsOneCrate(harbour: Harbour) {
    return observed(harbour, {
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
  ])("makes no second one when %s and the watch lags", async (_, lose) => {
    const harbour = new Harbour();
    await created(harbour, "a");
    const { reconciler, passes } = keepsOneCrate(harbour);
    let lost = 0;
    startManager(harbour, [reconciler], {
      lineLatencyMs: () => 700,
      handler: async (request) => {
        const answer = await harbour.server(request);
        if (request.method !== "POST" || !request.path.includes("/crates") || lost > 0) return answer;
        lost++;
        return lose();
      },
    });
    await harbour.scheduler.advance(5 * MINUTE);
    expect(lost).toBe(1);
    expect(passes.length).toBeGreaterThan(1);
    expect(await harbour.run(harbour.client.list(Crate))).toHaveLength(1);
  });
});
