import { TransportError } from "@capstan/env";
import { describe, expect, test } from "vitest";
import { status } from "../answers.fixture.ts";
import { Cache } from "../cache/cache.ts";
import { Boat, boat, Crate, Harbour } from "../harbour.fixture.ts";
import { silentLogger } from "../log/logger.ts";
import { OwnWrites } from "./own-writes.ts";

const a = { name: "a", namespace: "default" };

/** A cache of Boats whose watch lags behind by so much, and writes that are tracked. */
async function setup(lagMs: number, link: Parameters<Harbour["connect"]>[1] = {}) {
  const harbour = new Harbour();
  const existing = await harbour.run(harbour.client.create(Boat, boat("a")));
  const { process, client, requests } = harbour.connect("manager", { lineLatencyMs: () => lagMs, ...link });
  const onBug = (error: unknown): void => harbour.scheduler.fail(error);
  const cache = new Cache({ client, env: process, log: silentLogger, onBug });
  cache.informer(Boat);
  await harbour.run(cache.start(new AbortController().signal));
  const writes = new OwnWrites();
  return { harbour, cache, writes, existing, client: writes.track(client), requests };
}

const patch = { type: "merge", body: { spec: { x: 1 } } } as const;

describe("what a pass wrote", () => {
  test("is nothing at first, and stays nothing after reads", async () => {
    const { harbour, cache, writes, client } = await setup(1);
    await harbour.run(client.get(Boat, a));
    expect([writes.isEmpty, writes.seenBy(cache)]).toEqual([true, true]);
  });

  test("has been seen when the watch has brought it", async () => {
    const { harbour, cache, writes, client, existing } = await setup(700);
    const { metadata } = existing;
    const steps: (() => Promise<unknown>)[] = [
      () => client.create(Boat, boat("b")),
      () => client.patch(Boat, a, patch),
      () =>
        client.update(Boat, {
          ...boat("b", { spec: { x: 2 } }),
          metadata: {
            ...boat("b").metadata,
            resourceVersion: cache.get(Boat, { ...a, name: "b" })?.metadata.resourceVersion ?? "",
          },
        }),
      () => client.delete(Boat, a, { uid: metadata.uid ?? "" }),
    ];
    for (const write of steps) {
      await harbour.run(write());
      expect([writes.isEmpty, writes.seenBy(cache)]).toEqual([false, false]);
      const sinceMs = harbour.scheduler.monotonicMs;
      await harbour.run(writes.settle(cache, 10_000));
      expect(harbour.scheduler.monotonicMs - sinceMs).toBeLessThan(1_000);
      expect(writes.seenBy(cache)).toBe(true);
    }
  });

  test("is read from the server when the watch takes longer than the limit", async () => {
    const { harbour, cache, writes, client } = await setup(60_000);
    await harbour.run(client.create(Boat, boat("b")));
    const sinceMs = harbour.scheduler.monotonicMs;
    await harbour.run(writes.settle(cache, 10_000));
    expect(harbour.scheduler.monotonicMs - sinceMs).toBeLessThan(10_100);
    expect(cache.get(Boat, { ...a, name: "b" })).toBeDefined();
  });

  test("counts a deletion as seen when the object is marked, or has come back with another UID", async () => {
    const { harbour, cache, writes, client, existing } = await setup(700);
    await harbour.run(
      harbour.client.patch(Boat, a, { type: "merge", body: { metadata: { finalizers: ["test/f"] } } }),
    );
    await harbour.scheduler.advance(1_000);
    await harbour.run(client.delete(Boat, a, { uid: existing.metadata.uid ?? "" }));
    expect(writes.seenBy(cache)).toBe(false);
    await harbour.run(writes.settle(cache, 10_000));
    expect(cache.get(Boat, a)?.metadata.deletionTimestamp).toBeDefined();
  });

  test("does not wait for kinds that nobody follows", async () => {
    const { harbour, cache, writes, client } = await setup(60_000);
    await harbour.run(client.create(Crate, boat("c")));
    expect(writes.seenBy(cache)).toBe(true);
  });

  test("fails to settle when the server cannot be read either", async () => {
    let isUp = true;
    const { harbour, cache, writes, client } = await setup(60_000, {
      fate: () => (isUp ? "deliver" : new TransportError("refused", "no server answers")),
    });
    await harbour.run(client.create(Boat, boat("b")));
    isUp = false;
    expect((await harbour.failure(writes.settle(cache, 10_000))).message).toContain("no server answers");
  });
});

describe("a create whose answer got lost", () => {
  test.each([
    [
      "the connection broke after it",
      () => Promise.reject(new TransportError("reset", "the connection broke")),
    ],
    ["the server failed after it", () => Promise.resolve(status(500, { reason: "InternalError" }))],
    ["a gateway gave up on it", () => Promise.resolve(status(504, { reason: "Timeout" }))],
  ])("because %s is looked for on the server", async (_, lose) => {
    const harbour = new Harbour();
    const { process, client, requests } = harbour.connect("manager", {
      lineLatencyMs: () => 60_000,
      handler: async (request) => {
        const answer = await harbour.server(request);
        return request.method === "POST" ? lose() : answer;
      },
    });
    const onBug = (error: unknown): void => harbour.scheduler.fail(error);
    const cache = new Cache({ client, env: process, log: silentLogger, onBug });
    cache.informer(Boat);
    await harbour.run(cache.start(new AbortController().signal));
    const writes = new OwnWrites();
    await harbour.failure(writes.track(client).create(Boat, boat("b")));
    expect([writes.isEmpty, writes.seenBy(cache)]).toEqual([false, false]);
    const before = requests.length;
    await harbour.run(writes.settle(cache, 10_000));
    expect(cache.get(Boat, { ...a, name: "b" })).toBeDefined();
    expect(requests.length - before, "one list, and no wait for the watch").toBe(1);
    expect(writes.seenBy(cache)).toBe(true);
  });

  test.each([
    ["refused", status(422, { reason: "Invalid" })],
    ["not yet allowed", status(429, { reason: "TooManyRequests" })],
    ["a name that is taken", status(409, { reason: "AlreadyExists" })],
  ])("is nothing to look for when the answer is there: %s", async (_, answer) => {
    const harbour = new Harbour();
    const { client } = harbour.connect("manager", { handler: () => Promise.resolve(answer) });
    const writes = new OwnWrites();
    await harbour.failure(writes.track(client).create(Boat, boat("b")));
    expect(writes.isEmpty).toBe(true);
  });
});

describe("an echo", () => {
  test("is a step between versions that is ours alone", async () => {
    const { harbour, writes, client, existing } = await setup(1);
    const versioned = (object: typeof existing, x: number) => ({
      type: "merge" as const,
      body: { metadata: { resourceVersion: object.metadata.resourceVersion }, spec: { x } },
    });
    const second = await harbour.run(client.patch(Boat, a, versioned(existing, 2)));
    const third = await harbour.run(client.patch(Boat, a, versioned(second, 3)));
    const theirs = await harbour.run(
      harbour.client.patch(Boat, a, { type: "merge", body: { metadata: { labels: { x: "y" } } } }),
    );
    const fifth = await harbour.run(client.patch(Boat, a, versioned(theirs, 5)));
    expect(writes.explains(Boat, existing, second)).toBe(true);
    expect(writes.explains(Boat, second, third)).toBe(true);
    expect(writes.explains(Boat, existing, third), "two of ours in one").toBe(true);
    expect(writes.explains(Boat, third, theirs)).toBe(false);
    expect(writes.explains(Boat, theirs, fifth)).toBe(true);
    expect(writes.explains(Boat, third, fifth), "theirs is hidden in it").toBe(false);
    expect(writes.explains(Crate, existing, second)).toBe(false);
  });

  test("is not made by a write that changed nothing", async () => {
    const { harbour, writes, client, existing } = await setup(1);
    const body = { metadata: { resourceVersion: existing.metadata.resourceVersion } };
    const same = await harbour.run(client.patch(Boat, a, { type: "merge", body }));
    expect(same.metadata.resourceVersion).toBe(existing.metadata.resourceVersion);
    const theirs = await harbour.run(harbour.client.patch(Boat, a, patch));
    expect(writes.explains(Boat, existing, theirs)).toBe(false);
    expect(writes.explains(Boat, theirs, same)).toBe(false);
  });
});
