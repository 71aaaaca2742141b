import { describe, expect, test } from "vitest";
import { status } from "../answers.fixture.ts";
import { next } from "../reconciler/outcome.ts";
import { type Context, defineReconciler, on, type Reconciler } from "../reconciler/reconciler.ts";
import { Crate, TestObject, testObject, TestServer } from "../test-server.fixture.ts";
import { type Manager, startManager } from "./manager.fixture.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;

/** Test objects refer to crates by name; a pass reads the crate from the cache if it can. */
function reconcilerOf(passes: string[], kind: typeof Crate = Crate): Reconciler {
  return defineReconciler<TestObject, Context<TestObject>>({
    name: "objects",
    for: TestObject,
    referrersOf: (crate) => [{ name: crate.metadata.name, namespace: "default" }],
    scope: (context) => context,
    normal: [
      (context) => {
        const name = { name: context.object.metadata.name, namespace: "default" };
        const isFollowed = context.watch(kind);
        const crate = isFollowed ? context.cache.get(kind, name) : undefined;
        passes.push(isFollowed ? `${name.name}: ${crate ? "found" : "missing"}` : `${name.name}: unknown`);
        return next;
      },
    ],
  });
}

const crate = (name: string) => ({ ...testObject(name), kind: Crate.kind });

/** A manager whose server answers 404 for crates until they are served. */
async function withoutCrates(
  passes: string[],
  reconciler: Reconciler = reconcilerOf(passes),
  options: Parameters<typeof startManager>[2] = {},
) {
  const testServer = new TestServer();
  const served = { isServed: false };
  await testServer.run(testServer.client.create(TestObject, testObject("a")));
  const manager: Manager = startManager(testServer, [reconciler], {
    ...options,
    handler: (request) =>
      !served.isServed && request.path.includes("/crates")
        ? Promise.resolve(
            status(404, {
              reason: "NotFound",
              details: {},
              message: "the server could not find the requested resource",
            }),
          )
        : testServer.server(request),
  });
  return { testServer, manager, served };
}

/** Test objects follow crates, which another process reconciles. */
const besideCrates = (passes: string[]): Reconciler =>
  defineReconciler<TestObject, Context<TestObject>>({
    name: "objects",
    for: TestObject,
    watches: [on(Crate, ({ metadata: { name } }) => [{ name, namespace: "default" }])],
    scope: (context) => context,
    normal: [
      ({ object, cache }) => {
        const names = cache.list(Crate).map(({ metadata }) => metadata.name);
        passes.push(`${object.metadata.name}: ${names.length === 0 ? "no crates" : names.join()}`);
        return next;
      },
    ],
  });

describe("a kind that no controller of the process reconciles", () => {
  test("has no objects until its CRD is installed, and blocks neither readiness nor a new leader", async () => {
    const passes: string[] = [];
    const lease = { name: "capstan", namespace: "kube-system" };
    const { testServer, manager, served } = await withoutCrates(passes, besideCrates(passes), { lease });
    await testServer.scheduler.advance(MINUTE);
    expect(manager.runner.unready()).toEqual([]);
    expect(passes).toEqual(["a: no crates"]);
    served.isServed = true;
    await testServer.run(testServer.client.create(Crate, crate("a")));
    await testServer.scheduler.advance(MINUTE);
    expect(passes.at(-1)).toBe("a: a");
  });
});

describe("a kind that is watched at run time", () => {
  test("does not block readiness while it is not served", async () => {
    const passes: string[] = [];
    const { testServer, manager } = await withoutCrates(passes);
    await testServer.scheduler.advance(MINUTE);
    expect(manager.runner.unready()).toEqual([]);
    expect(passes).toEqual(["a: unknown"]);
    const waits = manager.lines.filter(
      ({ message }) => message === "Waiting for the CustomResourceDefinition",
    );
    expect(waits, "an absent kind is logged once").toHaveLength(1);
  });

  test("is watched when it is installed later, and its objects enqueue those that refer to them", async () => {
    const passes: string[] = [];
    const { testServer, served } = await withoutCrates(passes);
    await testServer.scheduler.advance(MINUTE);
    served.isServed = true;
    await testServer.run(testServer.client.create(Crate, crate("a")));
    await testServer.scheduler.advance(MINUTE);
    expect(passes).toEqual(["a: unknown", "a: found"]);
    await testServer.run(testServer.client.delete(Crate, { name: "a", namespace: "default" }));
    await testServer.scheduler.advance(SECOND);
    expect(passes).toEqual(["a: unknown", "a: found", "a: missing"]);
  });

  test("is not read from the cache after its definition was removed", async () => {
    const passes: string[] = [];
    const { testServer, served } = await withoutCrates(passes);
    served.isServed = true;
    await testServer.run(testServer.client.create(Crate, crate("a")));
    await testServer.scheduler.advance(MINUTE);
    served.isServed = false;
    // An open watch ends after at most ten minutes, and the next one is refused.
    await testServer.scheduler.advance(11 * MINUTE);
    passes.length = 0;
    await testServer.run(
      testServer.client.patch(
        TestObject,
        { name: "a", namespace: "default" },
        { type: "merge", body: { spec: { x: 1 } } },
      ),
    );
    await testServer.scheduler.advance(SECOND);
    expect(passes).toEqual(["a: unknown"]);
  });

  test("is one kind for any number of descriptions", async () => {
    const passes: string[] = [];
    const testServer = new TestServer();
    await testServer.run(testServer.client.create(TestObject, testObject("a")));
    const manager = startManager(testServer, [
      { ...reconcilerOf(passes, { ...Crate }), name: "one" },
      { ...reconcilerOf(passes, { ...Crate }), name: "two" },
    ]);
    await testServer.scheduler.advance(MINUTE);
    const lists = manager.requests.filter(
      ({ path }) => path.includes("/crates") && !path.includes("watch=true"),
    );
    expect(lists).toHaveLength(1);
  });

  test("is refused without referrersOf", async () => {
    const testServer = new TestServer();
    await testServer.run(testServer.client.create(TestObject, testObject("a")));
    const { referrersOf: _, ...incomplete } = reconcilerOf([]);
    const manager = startManager(testServer, [incomplete]);
    await testServer.scheduler.advance(SECOND);
    const bug = manager.lines.find(({ level }) => level === "error");
    expect(String(bug?.fields["error"])).toContain("objects has no referrersOf, so it cannot watch Crate");
  });
});
