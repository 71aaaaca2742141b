import { TransportError } from "@capstan/env";
import { describe, expect, test } from "vitest";
import { status } from "../answers.fixture.ts";
import { Cache } from "../cache/cache.ts";
import { TestObject, testObject, Crate, TestServer } from "../test-server.fixture.ts";
import { silentLogger } from "../log/logger.ts";
import { OwnWrites } from "./own-writes.ts";

const a = { name: "a", namespace: "default" };

/** A cache of Boats whose watch lags, and tracked writes. */
async function setup(lagMs: number, link: Parameters<TestServer["connect"]>[1] = {}) {
  const testServer = new TestServer();
  const existing = await testServer.run(testServer.client.create(TestObject, testObject("a")));
  const { process, client, requests } = testServer.connect("manager", {
    lineLatencyMs: () => lagMs,
    ...link,
  });
  const onBug = (error: unknown): void => testServer.scheduler.fail(error);
  const cache = new Cache({ client, env: process, log: silentLogger, onBug });
  cache.informer(TestObject);
  await testServer.run(cache.start(new AbortController().signal));
  const writes = new OwnWrites();
  return { testServer, cache, writes, existing, client: writes.track(client), requests };
}

const patch = { type: "merge", body: { spec: { x: 1 } } } as const;

describe("the own writes of a pass", () => {
  test("are empty at first, and stay empty after reads", async () => {
    const { testServer, cache, writes, client } = await setup(1);
    await testServer.run(client.get(TestObject, a));
    expect([writes.isEmpty, writes.seenBy(cache)]).toEqual([true, true]);
  });

  test("have been seen when the watch has delivered them", async () => {
    const { testServer, cache, writes, client, existing } = await setup(700);
    const { metadata } = existing;
    const steps: (() => Promise<unknown>)[] = [
      () => client.create(TestObject, testObject("b")),
      () => client.patch(TestObject, a, patch),
      () =>
        client.update(TestObject, {
          ...testObject("b", { spec: { x: 2 } }),
          metadata: {
            ...testObject("b").metadata,
            resourceVersion: cache.get(TestObject, { ...a, name: "b" })?.metadata.resourceVersion ?? "",
          },
        }),
      () => client.delete(TestObject, a, { uid: metadata.uid ?? "" }),
    ];
    for (const write of steps) {
      await testServer.run(write());
      expect([writes.isEmpty, writes.seenBy(cache)]).toEqual([false, false]);
      const sinceMs = testServer.scheduler.monotonicMs;
      await testServer.run(writes.settle(cache, 10_000));
      expect(testServer.scheduler.monotonicMs - sinceMs).toBeLessThan(1_000);
      expect(writes.seenBy(cache)).toBe(true);
    }
  });

  test("are read from the server when the watch takes longer than the limit", async () => {
    const { testServer, cache, writes, client } = await setup(60_000);
    await testServer.run(client.create(TestObject, testObject("b")));
    const sinceMs = testServer.scheduler.monotonicMs;
    await testServer.run(writes.settle(cache, 10_000));
    expect(testServer.scheduler.monotonicMs - sinceMs).toBeLessThan(10_100);
    expect(cache.get(TestObject, { ...a, name: "b" })).toBeDefined();
  });

  test("count a deletion as seen when the object has a deletion timestamp or another UID", async () => {
    const { testServer, cache, writes, client, existing } = await setup(700);
    await testServer.run(
      testServer.client.patch(TestObject, a, {
        type: "merge",
        body: { metadata: { finalizers: ["test/f"] } },
      }),
    );
    await testServer.scheduler.advance(1_000);
    await testServer.run(client.delete(TestObject, a, { uid: existing.metadata.uid ?? "" }));
    expect(writes.seenBy(cache)).toBe(false);
    await testServer.run(writes.settle(cache, 10_000));
    expect(cache.get(TestObject, a)?.metadata.deletionTimestamp).toBeDefined();
  });

  test("do not wait for kinds without a watch", async () => {
    const { testServer, cache, writes, client } = await setup(60_000);
    await testServer.run(client.create(Crate, testObject("c")));
    expect(writes.seenBy(cache)).toBe(true);
  });

  test("do not settle when the server cannot be read either", async () => {
    let isUp = true;
    const { testServer, cache, writes, client } = await setup(60_000, {
      fate: () => (isUp ? "deliver" : new TransportError("refused", "no server answers")),
    });
    await testServer.run(client.create(TestObject, testObject("b")));
    isUp = false;
    expect((await testServer.failure(writes.settle(cache, 10_000))).message).toContain("no server answers");
  });
});

describe("a create whose answer is lost", () => {
  test.each([
    [
      "the connection broke after it",
      () => Promise.reject(new TransportError("reset", "the connection broke")),
    ],
    ["the server failed after it", () => Promise.resolve(status(500, { reason: "InternalError" }))],
    ["a gateway gave up on it", () => Promise.resolve(status(504, { reason: "Timeout" }))],
  ])("because %s is read from the server", async (_, lose) => {
    const testServer = new TestServer();
    const { process, client, requests } = testServer.connect("manager", {
      lineLatencyMs: () => 60_000,
      handler: async (request) => {
        const answer = await testServer.server(request);
        return request.method === "POST" ? lose() : answer;
      },
    });
    const onBug = (error: unknown): void => testServer.scheduler.fail(error);
    const cache = new Cache({ client, env: process, log: silentLogger, onBug });
    cache.informer(TestObject);
    await testServer.run(cache.start(new AbortController().signal));
    const writes = new OwnWrites();
    await testServer.failure(writes.track(client).create(TestObject, testObject("b")));
    expect([writes.isEmpty, writes.seenBy(cache)]).toEqual([false, false]);
    const before = requests.length;
    await testServer.run(writes.settle(cache, 10_000));
    expect(cache.get(TestObject, { ...a, name: "b" })).toBeDefined();
    expect(requests.length - before, "one list, and no wait for the watch").toBe(1);
    expect(writes.seenBy(cache)).toBe(true);
  });

  test.each([
    ["refused", status(422, { reason: "Invalid" })],
    ["not yet allowed", status(429, { reason: "TooManyRequests" })],
    ["a name that is taken", status(409, { reason: "AlreadyExists" })],
  ])("needs no read when the answer arrived: %s", async (_, answer) => {
    const testServer = new TestServer();
    const { client } = testServer.connect("manager", { handler: () => Promise.resolve(answer) });
    const writes = new OwnWrites();
    await testServer.failure(writes.track(client).create(TestObject, testObject("b")));
    expect(writes.isEmpty).toBe(true);
  });
});

describe("an echo", () => {
  test("is a step between versions with only own writes", async () => {
    const { testServer, writes, client, existing } = await setup(1);
    const versioned = (object: typeof existing, x: number) => ({
      type: "merge" as const,
      body: { metadata: { resourceVersion: object.metadata.resourceVersion }, spec: { x } },
    });
    const second = await testServer.run(client.patch(TestObject, a, versioned(existing, 2)));
    const third = await testServer.run(client.patch(TestObject, a, versioned(second, 3)));
    const theirs = await testServer.run(
      testServer.client.patch(TestObject, a, { type: "merge", body: { metadata: { labels: { x: "y" } } } }),
    );
    const fifth = await testServer.run(client.patch(TestObject, a, versioned(theirs, 5)));
    expect(writes.explains(TestObject, existing, second)).toBe(true);
    expect(writes.explains(TestObject, second, third)).toBe(true);
    expect(writes.explains(TestObject, existing, third), "two own writes in one step").toBe(true);
    expect(writes.explains(TestObject, third, theirs)).toBe(false);
    expect(writes.explains(TestObject, theirs, fifth)).toBe(true);
    expect(writes.explains(TestObject, third, fifth), "another client's write is hidden in it").toBe(false);
    expect(writes.explains(Crate, existing, second)).toBe(false);
  });

  test("does not come from a write that changed nothing", async () => {
    const { testServer, writes, client, existing } = await setup(1);
    const body = { metadata: { resourceVersion: existing.metadata.resourceVersion } };
    const same = await testServer.run(client.patch(TestObject, a, { type: "merge", body }));
    expect(same.metadata.resourceVersion).toBe(existing.metadata.resourceVersion);
    const theirs = await testServer.run(testServer.client.patch(TestObject, a, patch));
    expect(writes.explains(TestObject, existing, theirs)).toBe(false);
    expect(writes.explains(TestObject, theirs, same)).toBe(false);
  });
});

describe("the echo of an apply, which does not say which version it changed", () => {
  const apply = (spec: object) => ({ type: "apply", body: { spec }, force: true }) as const;
  const merge = (body: object) => ({ type: "merge", body }) as const;

  test("is a step with nothing but the applied values", async () => {
    const { testServer, writes, client, existing } = await setup(1);
    const applied = await testServer.run(client.patch(TestObject, a, apply({ x: 1, y: { z: 2 } })));
    expect(writes.explains(TestObject, existing, applied)).toBe(true);
  });

  test("is not a step in which a write of another client is hidden", async () => {
    const { testServer, writes, client, existing } = await setup(1);
    await testServer.run(testServer.client.patch(TestObject, a, merge({ spec: { theirs: 1 } })));
    const applied = await testServer.run(client.patch(TestObject, a, apply({ x: 1 })));
    expect(writes.explains(TestObject, existing, applied)).toBe(false);
  });

  test("is not the write of another client that an apply left as it was", async () => {
    const { testServer, writes, client } = await setup(1);
    const first = await testServer.run(client.patch(TestObject, a, apply({ x: 1 })));
    const theirs = await testServer.run(
      testServer.client.patch(TestObject, a, merge({ spec: { theirs: 1 } })),
    );
    const same = await testServer.run(client.patch(TestObject, a, apply({ x: 1 })));
    expect(same.metadata.resourceVersion).toBe(theirs.metadata.resourceVersion);
    expect(writes.explains(TestObject, first, theirs)).toBe(false);
  });

  test("does not come from a dry run", async () => {
    const { testServer, writes, client } = await setup(1);
    await testServer.run(client.patch(TestObject, a, { ...apply({ x: 1 }), dryRun: true }));
    await testServer.run(client.create(TestObject, testObject("b"), { dryRun: true }));
    expect(writes.isEmpty).toBe(true);
  });
});
