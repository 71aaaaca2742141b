import { type Condition, ConfigMap, type Frozen, type KubernetesObject } from "@capstan/api";
import type { HttpRequest } from "@capstan/env";
import { describe, expect, test } from "vitest";
import { Cache } from "../cache/cache.ts";
import { Failure, type FailureClass, terminal, waiting } from "../failure.ts";
import { TestObject, testObject, TestServer, keepingLogger, type Line } from "../test-server.fixture.ts";
import { silentLogger } from "../log/logger.ts";
import { again, block, next, type Outcome } from "../reconciler/outcome.ts";
import { type Context, defineReconciler, type ReconcilerDefinition } from "../reconciler/reconciler.ts";
import { type PassResult, runPass } from "./pass.ts";

const assertMayWrite = (): void => undefined;

const a = { name: "a", namespace: "default" };
const FINALIZER = "test.capstan.dev/f";

type Definition = Partial<ReconcilerDefinition<TestObject, Context<TestObject>>>;

/** A pass over the object `a` with the server's current state. */
async function pass(testServer: TestServer, definition: Definition, lines: Line[] = []) {
  const { process, client, requests } = testServer.connect(`pass-${testServer.scheduler.steps}`);
  const cache = new Cache({
    client,
    env: process,
    log: silentLogger,
    onBug: (error) => testServer.scheduler.fail(error),
  });
  const reconciler = defineReconciler<TestObject, Context<TestObject>>({
    name: "boats",
    for: TestObject,
    scope: (context) => context,
    normal: [],
    ...definition,
  });
  const notes: string[] = [];
  const events = {
    record: (_: Frozen<KubernetesObject>, { reason }: { reason: string }) => void notes.push(reason),
    flush: () => Promise.resolve(),
  };
  const stored = await testServer.run(testServer.client.get(TestObject, a));
  const result: PassResult = await testServer.run(
    runPass(
      {
        reconciler,
        client,
        cache,
        env: process,
        log: keepingLogger(lines),
        events,
        assertMayWrite,
        watch: () => false,
      },
      stored,
    ),
  );
  const writes = requests.filter(({ method }) => method !== "GET");
  const now = await testServer.run(testServer.client.find(TestObject, a));
  return { result, writes, requests, now, notes };
}

async function serverWith(object: TestObject = testObject("a")): Promise<TestServer> {
  const testServer = new TestServer();
  await testServer.run(testServer.client.create(TestObject, object));
  return testServer;
}

const shown = (object: Frozen<TestObject> | undefined): string[] =>
  (object?.status?.conditions ?? []).map(({ type, status, severity = "", reason = "", message = "" }) =>
    [type, status, severity, reason, message].join("|"),
  );
const bodyKeys = ({ body }: HttpRequest): string[] => Object.keys(body as object).sort();

describe("a spec", () => {
  const report = (context: Context<TestObject>): void => {
    const { object } = context;
    object.status = { ...object.status, observedGeneration: object.metadata.generation };
  };

  test("that the pass itself has changed counts as observed", async () => {
    const load = ({ object }: Context<TestObject>): Outcome => {
      object.spec = { load: 1 };
      return next;
    };
    const { now, writes } = await pass(await serverWith(), { normal: [load], status: report });
    expect(now?.metadata.generation).toBe(2);
    expect(now?.status?.["observedGeneration"]).toBe(2);
    expect(writes.length).toBe(2);
  });

  test("is not observed for a reconciler that does not report it", async () => {
    const load = ({ object }: Context<TestObject>): Outcome => {
      object.spec = { load: 1 };
      object.status = { seen: true };
      return next;
    };
    const { now } = await pass(await serverWith(), { normal: [load] });
    expect(now?.status).not.toHaveProperty("observedGeneration");
  });
});

describe("a status that the server refuses", () => {
  const grow = ({ object }: Context<TestObject>): Outcome => {
    object.status = { ...object.status, log: "x".repeat(4_000_000) };
    return next;
  };
  const refusal =
    /^Ready\|False\|Warning\|StatusRefused\|The API server refuses the status: PATCH .*too large/;

  test("is reported in the Ready condition, and retried with backoff", async () => {
    const lines: Line[] = [];
    const { result, now } = await pass(await serverWith(), { normal: [grow] }, lines);
    expect(result).toMatchObject({
      type: "failed",
      failure: { failure: "Transient", reason: "StatusRefused" },
    });
    expect(shown(now)).toEqual([expect.stringMatching(refusal)]);
    expect(now?.status).not.toHaveProperty("log");
    expect(lines.map(({ message }) => message)).toContain(
      "The server refused a status; only the failure is reported",
    );
  });

  test("does not hide the failure of a phase", async () => {
    const fail = (): never => {
      throw terminal("WrongColour", "paint it blue");
    };
    const { result, now } = await pass(await serverWith(), { normal: [grow, fail] });
    expect(result).toMatchObject({ failure: { failure: "Terminal", reason: "WrongColour" } });
    expect(shown(now)).toEqual(["Ready|False|Error|WrongColour|paint it blue"]);
  });

  test("is reported when a phase writes it ahead of a call", async () => {
    const write = async (context: Context<TestObject>): Promise<Outcome> => {
      grow(context);
      await context.persistStatus();
      return next;
    };
    const { now } = await pass(await serverWith(), { normal: [write] });
    expect(shown(now)).toEqual([expect.stringMatching(refusal)]);
  });
});

describe("phases", () => {
  test("run in order and may wait", async () => {
    const order: string[] = [];
    const phase = (name: string, outcome: Outcome) => async (context: Context<TestObject>) => {
      await context.env.clock.sleep(10);
      order.push(name);
      return outcome;
    };
    const { result } = await pass(await serverWith(), {
      normal: [phase("one", next), phase("two", again(500, "Two")), phase("three", next)],
    });
    expect(order).toEqual(["one", "two", "three"]);
    expect(result).toEqual({ type: "requeue", afterMs: 500, reason: "Two" });
  });

  test.each<[string, Outcome[], PassResult, string]>([
    ["all return next", [next, next], { type: "settled" }, "Ready|True||Reconciled|"],
    [
      "the soonest of two requeues",
      [again(900, "Slow"), again(300, "Fast")],
      { type: "requeue", afterMs: 300, reason: "Fast" },
      "Ready|False|Info|Fast|",
    ],
    [
      "the first of two equals",
      [again(300, "First"), again(300, "Second")],
      { type: "requeue", afterMs: 300, reason: "First" },
      "Ready|False|Info|First|",
    ],
    [
      "a block skips the rest",
      [block(400, "Blocked"), again(100, "NeverRun")],
      { type: "requeue", afterMs: 400, reason: "Blocked" },
      "Ready|False|Info|Blocked|",
    ],
    [
      "a block after something sooner",
      [again(100, "Sooner"), block(400, "Blocked")],
      { type: "requeue", afterMs: 100, reason: "Sooner" },
      "Ready|False|Info|Sooner|",
    ],
  ])("decide about the requeue: %s", async (_, outcomes, desired, condition) => {
    const { result, now } = await pass(await serverWith(), {
      normal: outcomes.map((outcome) => () => outcome),
    });
    expect(result).toEqual(desired);
    expect(shown(now)).toEqual([condition]);
  });

  test("report under the condition that the reconciler names", async () => {
    const { now } = await pass(await serverWith(), { condition: "Seaworthy", normal: [() => next] });
    expect(shown(now)).toEqual(["Seaworthy|True||Reconciled|"]);
  });

  test("write at most one patch of the object and one of the status, and none the second time", async () => {
    const testServer = await serverWith();
    const definition: Definition = {
      normal: [
        ({ object }) => {
          object.metadata.labels = { seen: "yes" };
          object.spec = { sails: 2 };
          return next;
        },
        (context) => {
          context.object.status = { ...context.object.status, sails: 2 };
          context.setCondition({ type: "Rigged", status: "True", reason: "AllSailsSet" });
          return next;
        },
      ],
    };
    const first = await pass(testServer, definition);
    expect(first.writes.map(bodyKeys)).toEqual([
      ["metadata", "spec"],
      ["metadata", "status"],
    ]);
    expect(shown(first.now)).toEqual(["Ready|True||Reconciled|", "Rigged|True||AllSailsSet|"]);
    await testServer.scheduler.advance(3600_000);
    expect((await pass(testServer, definition)).requests).toEqual([]);
  });

  test("may write the status in the middle, and keep what they have edited", async () => {
    const seen: unknown[] = [];
    const testServer = await serverWith();
    const { now, writes } = await pass(testServer, {
      normal: [
        async (context) => {
          context.object.spec = { sails: 2 };
          context.object.status = { intent: "reserve" };
          await context.persistStatus();
          seen.push((await context.client.get(TestObject, a)).status, context.object.spec);
          return next;
        },
      ],
    });
    expect(seen).toEqual([{ intent: "reserve" }, { sails: 2 }]);
    expect(now).toMatchObject({ spec: { sails: 2 }, status: { intent: "reserve" } });
    expect(writes).toHaveLength(3);
  });

  test("report to the user by events", async () => {
    const { notes } = await pass(await serverWith(), {
      normal: [
        (context) => {
          context.event({ type: "Normal", reason: "Launched", message: "She floats" });
          return next;
        },
      ],
    });
    expect(notes).toEqual(["Launched"]);
  });
});

describe("the status", () => {
  test.each<[string, () => Outcome, boolean]>([
    ["settled", () => next, true],
    ["not settled", () => again(100, "Soon"), false],
    [
      "not settled",
      () => {
        throw terminal("Sunk", "She sank");
      },
      false,
    ],
  ])("is derived after the phases, also after a failure: %s", async (_, phase, settled) => {
    const { now } = await pass(await serverWith(), {
      normal: [phase],
      status: ({ object }, summary) => {
        object.status = { ...object.status, ...summary };
      },
    });
    expect(now?.status?.["settled"]).toBe(settled);
  });

  test("that cannot be derived after a failure does not hide the failure", async () => {
    const lines: Line[] = [];
    const { result, now } = await pass(
      await serverWith(),
      {
        normal: [
          () => {
            throw terminal("Sunk", "She sank");
          },
        ],
        status: () => {
          throw new TypeError("nothing was observed");
        },
      },
      lines,
    );
    expect(result).toMatchObject({ type: "failed", failure: { reason: "Sunk" } });
    expect(shown(now)).toEqual(["Ready|False|Error|Sunk|She sank"]);
    expect(lines.map(({ level, fields }) => `${level} ${String(fields["error"])}`)).toEqual([
      "error TypeError: nothing was observed",
    ]);
  });

  test("that cannot be derived is a bug", async () => {
    const { result } = await pass(await serverWith(), {
      status: () => {
        throw new TypeError("nothing was observed");
      },
    });
    expect(result).toMatchObject({ type: "bug" });
  });

  test("is not written for kinds without one", async () => {
    const testServer = new TestServer();
    const { process, client, requests } = testServer.connect("pass");
    const map = await testServer.run(testServer.client.create(ConfigMap, { metadata: a, data: {} }));
    const cache = new Cache({ client, env: process, log: silentLogger, onBug: () => undefined });
    const reconciler = defineReconciler<ConfigMap, Context<ConfigMap>>({
      name: "maps",
      for: ConfigMap,
      scope: (context) => context,
      normal: [
        (context) => {
          context.setCondition({ type: "Read", status: "True", reason: "Read" });
          context.object.data = { read: "yes" };
          throw terminal("Sunk", "She sank");
        },
      ],
    });
    const events = { record: () => undefined, flush: () => Promise.resolve() };
    const result = await testServer.run(
      runPass(
        {
          reconciler,
          client,
          cache,
          env: process,
          log: silentLogger,
          events,
          assertMayWrite,
          watch: () => false,
        },
        map,
      ),
    );
    expect(result).toMatchObject({ type: "failed", failure: { reason: "Sunk" } });
    expect(requests).toEqual([]);
  });
});

describe("a phase that throws", () => {
  const failing = (error: unknown): Definition => ({
    normal: [
      () => {
        throw error;
      },
    ],
  });

  test.each<[FailureClass, string[]]>([
    ["Waiting", ["Ready|False|Info|Why|Because"]],
    ["Transient", ["Ready|False|Warning|Why|Because"]],
    ["Terminal", ["Ready|False|Error|Why|Because"]],
    ["NotFound", []],
    ["Conflict", []],
  ])("a %s failure is reported by its class", async (failure, desired) => {
    const thrown = new Failure(failure, "Why", { message: "Because" });
    const { result, now, writes } = await pass(await serverWith(), failing(thrown));
    expect(result).toEqual({ type: "failed", failure: thrown });
    expect(shown(now)).toEqual(desired);
    expect(writes).toHaveLength(desired.length);
  });

  test("leaves no condition on an object that the reconciler does not touch", async () => {
    const definition = { ...failing(waiting("Tide", "Low", 5)), finalizer: FINALIZER };
    const untouched = await pass(await serverWith(), { ...definition, needsFinalizer: () => false });
    expect([shown(untouched.now), untouched.writes]).toEqual([[], []]);
    const touched = await pass(await serverWith(), { ...definition, needsFinalizer: () => true });
    expect(shown(touched.now)).toEqual(["Ready|False|Info|Tide|Low"]);
  });

  test("writes nothing when the same failure repeats", async () => {
    const testServer = await serverWith();
    await pass(testServer, failing(waiting("Tide", "Low", 5)));
    await testServer.scheduler.advance(60_000);
    expect((await pass(testServer, failing(waiting("Tide", "Low", 5)))).writes).toEqual([]);
  });

  test("any other exception is a bug with a stable id", async () => {
    const testServer = await serverWith();
    const bug = new RangeError("the sextant is upside down");
    const first = await pass(testServer, failing(bug));
    const second = await pass(testServer, failing(bug));
    const other = await pass(testServer, failing("not even an Error"));
    const idOf = ({ result }: { result: PassResult }): string => (result.type === "bug" ? result.id : "");
    expect(idOf(first)).toMatch(/^[0-9a-f]{8}$/);
    expect(idOf(second)).toBe(idOf(first));
    expect(idOf(other)).not.toBe(idOf(first));
    expect(shown(first.now)[0]).toContain(`look for ${idOf(first)} in its log`);
    expect(second.writes).toEqual([]);
  });

  test("also when the scope cannot be built", async () => {
    const { result, now } = await pass(await serverWith(), {
      scope: () => {
        throw terminal("NoHarbour", "There is no harbour");
      },
    });
    expect(result).toMatchObject({ type: "failed", failure: { reason: "NoHarbour" } });
    expect(shown(now)).toEqual(["Ready|False|Error|NoHarbour|There is no harbour"]);
  });

  test("is still reported when its status cannot be written", async () => {
    const testServer = await serverWith();
    const { result } = await pass(testServer, {
      normal: [
        async () => {
          await testServer.client.delete(TestObject, a);
          throw terminal("Sunk", "She sank");
        },
      ],
    });
    expect(result).toMatchObject({ type: "failed", failure: { failure: "Terminal", reason: "Sunk" } });
  });
});

describe("the finalizer", () => {
  test("is on the server before the first phase runs", async () => {
    const seen: unknown[] = [];
    const { now } = await pass(
      await serverWith(testObject("a", { metadata: { finalizers: ["test/other"] } })),
      {
        finalizer: FINALIZER,
        normal: [
          async ({ client }) => {
            seen.push((await client.get(TestObject, a)).metadata.finalizers);
            return next;
          },
        ],
      },
    );
    expect(seen).toEqual([["test/other", FINALIZER]]);
    expect(now?.metadata.finalizers).toEqual(["test/other", FINALIZER]);
  });

  test("is added once", async () => {
    const testServer = await serverWith();
    await pass(testServer, { finalizer: FINALIZER });
    expect((await pass(testServer, { finalizer: FINALIZER })).writes).toEqual([]);
  });

  const dying = async (...finalizers: string[]): Promise<TestServer> => {
    const testServer = await serverWith(testObject("a", { metadata: { finalizers } }));
    await testServer.run(testServer.client.delete(TestObject, a));
    return testServer;
  };

  test("is removed when all deleting phases return next, and the object is gone", async () => {
    const order: string[] = [];
    const { result, now } = await pass(await dying(FINALIZER), {
      finalizer: FINALIZER,
      normal: [() => (order.push("normal"), next)],
      deleting: [() => (order.push("first"), next), () => (order.push("second"), next)],
    });
    expect(order).toEqual(["first", "second"]);
    expect(result).toEqual({ type: "settled" });
    expect(now).toBeUndefined();
  });

  test("keeps the finalizers of other controllers", async () => {
    const { now } = await pass(await dying("test/other", FINALIZER), { finalizer: FINALIZER, deleting: [] });
    expect(now?.metadata.finalizers).toEqual(["test/other"]);
  });

  test("stays while a deleting phase requeues or fails", async () => {
    for (const phase of [
      () => again(100, "Emptying"),
      () => block(100, "Emptying"),
      () => {
        throw terminal("Emptying", "It is stuck");
      },
    ]) {
      const { now } = await pass(await dying(FINALIZER), { finalizer: FINALIZER, deleting: [phase] });
      expect(now?.metadata.finalizers).toEqual([FINALIZER]);
      expect(shown(now)[0]).toContain("|False|");
      expect(shown(now)[0]).toContain("|Emptying|");
    }
  });

  test("is not added to an object in deletion, and without it no phase runs", async () => {
    const ran: string[] = [];
    const { requests, result } = await pass(await dying("test/other"), {
      finalizer: FINALIZER,
      normal: [() => (ran.push("normal"), next)],
      deleting: [() => (ran.push("deleting"), next)],
    });
    expect([ran, requests, result]).toEqual([[], [], { type: "settled" }]);
  });
});

describe("an object that differs from the cache", () => {
  test("that disappears in the middle of a pass ends it without an error", async () => {
    const testServer = await serverWith();
    const { result, now } = await pass(testServer, {
      normal: [
        async ({ object }) => {
          await testServer.client.delete(TestObject, a);
          object.spec = { sails: 5 };
          return next;
        },
      ],
    });
    expect(result).toMatchObject({ type: "failed", failure: { failure: "NotFound" } });
    expect(now).toBeUndefined();
  });

  test("that was recreated gets no write of the old one", async () => {
    const testServer = await serverWith();
    const { result, now } = await pass(testServer, {
      normal: [
        async ({ object }) => {
          await testServer.client.delete(TestObject, a);
          await testServer.client.create(TestObject, testObject("a", { spec: { another: true } }));
          object.status = { phase: "Old" };
          return next;
        },
      ],
    });
    expect(result).toMatchObject({
      type: "failed",
      failure: { failure: "NotFound", reason: "ObjectReplaced" },
    });
    expect(now?.spec).toEqual({ another: true });
    expect(now?.status).toBeUndefined();
  });

  test("that another client changed makes the pass a conflict without a report", async () => {
    const testServer = await serverWith();
    const { result, now } = await pass(testServer, {
      normal: [
        async ({ object }) => {
          await testServer.client.patch(TestObject, a, { type: "merge", body: { spec: { theirs: 1 } } });
          object.spec = { ours: 1 };
          return next;
        },
      ],
    });
    expect(result).toMatchObject({ type: "failed", failure: { failure: "Conflict" } });
    expect(now?.spec).toEqual({ theirs: 1 });
    expect(now?.status).toBeUndefined();
  });

  test("keeps the conditions of another controller, also when that writes during the pass", async () => {
    const testServer = await serverWith();
    const theirs: Condition = {
      type: "Painted",
      status: "True",
      reason: "Blue",
      lastTransitionTime: "2026-01-01T00:00:00Z",
    };
    const { now, result } = await pass(testServer, {
      normal: [
        async () => {
          await testServer.client.patch(TestObject, a, {
            type: "merge",
            subresource: "status",
            body: { status: { paint: 3, conditions: [theirs] } },
          });
          return next;
        },
      ],
    });
    expect(result).toEqual({ type: "settled" });
    expect(now?.status?.["paint"]).toBe(3);
    expect(shown(now)).toEqual(["Ready|True||Reconciled|", "Painted|True||Blue|"]);
  });
});

describe("a paused object", () => {
  const paused = testObject("a", { metadata: { annotations: { "cluster.x-k8s.io/paused": "" } } });

  test("only gets the Paused condition", async () => {
    const testServer = await serverWith(paused);
    const ran: string[] = [];
    const definition: Definition = { finalizer: FINALIZER, normal: [() => (ran.push("normal"), next)] };
    const { now, result } = await pass(testServer, definition);
    expect(result).toEqual({ type: "settled" });
    expect(shown(now)).toEqual([
      "Paused|True||Paused|Nothing is done because the annotation cluster.x-k8s.io/paused is set",
    ]);
    expect(now?.metadata.finalizers).toBeUndefined();
    expect(ran).toEqual([]);
    expect((await pass(testServer, definition)).writes).toEqual([]);
  });

  test("has Paused False after it was resumed", async () => {
    const testServer = await serverWith(paused);
    await pass(testServer, {});
    await testServer.run(
      testServer.client.patch(TestObject, a, { type: "merge", body: { metadata: { annotations: null } } }),
    );
    const { now } = await pass(testServer, {});
    expect(shown(now).map((line) => line.split("|").slice(0, 2).join(" "))).toEqual([
      "Ready True",
      "Paused False",
    ]);
  });
});
