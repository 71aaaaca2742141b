import { Lease } from "@capstan/api";
import { TransportError } from "@capstan/env";
import { describe, expect, test } from "vitest";
import type { Failure } from "../failure.ts";
import { TestServer, keepingLogger, type Line } from "../test-server.fixture.ts";
import { Leader } from "./leader.ts";

const SECOND = 1000;
const YEAR = 365 * 24 * 3600 * SECOND;
const lease = { name: "capstan", namespace: "kube-system" };

function candidate(
  testServer: TestServer,
  identity: string,
  link: Parameters<TestServer["connect"]>[1] = {},
) {
  const { process, client, requests } = testServer.connect(identity, link);
  const lines: Line[] = [];
  const changes: string[] = [];
  const leader = new Leader({
    client,
    env: process,
    log: keepingLogger(lines),
    ...lease,
    identity,
    onChange: (isLeader) => void changes.push(`${isLeader} at ${testServer.scheduler.monotonicMs}`),
  });
  return { process, leader, lines, changes, requests, stop: new AbortController() };
}

/** Waits for the Lease and holds it. */
function lead(member: ReturnType<typeof candidate>): { held: Promise<string>; isHolding: () => boolean } {
  let isHolding = false;
  const run = async (): Promise<string> => {
    await member.leader.acquire(member.stop.signal);
    isHolding = true;
    try {
      await member.leader.hold(member.stop.signal);
      return "stopped";
    } catch (error) {
      return (error as Failure).reason;
    }
  };
  return { held: run(), isHolding: () => isHolding };
}

const stored = async (testServer: TestServer): Promise<NonNullable<Lease["spec"]>> =>
  (await testServer.run(testServer.client.get(Lease, lease))).spec as NonNullable<Lease["spec"]>;

describe("holding a Lease", () => {
  test("creates a missing Lease, and renews it every two seconds", async () => {
    const testServer = new TestServer();
    const a = candidate(testServer, "a");
    lead(a);
    await testServer.scheduler.advance(SECOND);
    expect(a.leader.isLeader).toBe(true);
    const first = await stored(testServer);
    expect(first).toMatchObject({ holderIdentity: "a", leaseDurationSeconds: 15, leaseTransitions: 0 });
    expect(first.renewTime).toMatch(/^2026-01-01T00:00:00\.\d{6}Z$/);
    await testServer.scheduler.advance(60 * SECOND);
    const later = await stored(testServer);
    expect(later.acquireTime).toBe(first.acquireTime);
    expect(Date.parse(later.renewTime ?? "") - Date.parse(first.renewTime ?? "")).toBeGreaterThanOrEqual(
      57 * SECOND,
    );
    const writes = a.requests.filter(({ method }) => method === "PUT").length;
    expect(writes).toBeGreaterThanOrEqual(29);
    expect(writes).toBeLessThanOrEqual(31);
  });

  test("has one holder at a time, with any number of candidates", async () => {
    const testServer = new TestServer();
    const members = ["a", "b", "c", "d"].map((name) => candidate(testServer, name));
    for (const member of members) lead(member);
    for (let second = 0; second < 60; second++) {
      await testServer.scheduler.advance(SECOND);
      expect(members.filter(({ leader }) => leader.isLeader)).toHaveLength(1);
    }
  });

  test("moves to the next candidate after a crash, within its duration and two polls", async () => {
    for (const seed of ["1", "2", "3", "4", "5"]) {
      const testServer = new TestServer({ seed });
      const a = candidate(testServer, "a");
      lead(a);
      await testServer.scheduler.advance(SECOND);
      const b = candidate(testServer, "b");
      lead(b);
      await testServer.scheduler.advance(30 * SECOND);
      a.process.crash();
      const crashedMs = testServer.scheduler.monotonicMs;
      await testServer.scheduler.run({ until: () => b.leader.isLeader });
      const tookMs = testServer.scheduler.monotonicMs - crashedMs;
      expect(tookMs).toBeGreaterThan(12 * SECOND);
      expect(tookMs).toBeLessThan(20 * SECOND);
      expect(await stored(testServer)).toMatchObject({ holderIdentity: "b", leaseTransitions: 1 });
    }
  });

  test("moves to the next candidate at once after its release", async () => {
    const testServer = new TestServer();
    const a = candidate(testServer, "a");
    const { held } = lead(a);
    await testServer.scheduler.advance(SECOND);
    const b = candidate(testServer, "b");
    lead(b);
    await testServer.scheduler.advance(10 * SECOND);
    a.stop.abort(new Error("stopping"));
    expect(await testServer.run(held)).toBe("stopped");
    await testServer.run(a.leader.release());
    expect(a.leader.isLeader).toBe(false);
    expect(a.changes.map((change) => change.split(" ")[0])).toEqual(["true", "false"]);
    await testServer.scheduler.advance(3 * SECOND);
    expect(b.leader.isLeader).toBe(true);
  });

  test("ends after 10 seconds without a renewal, before another candidate may take it", async () => {
    const testServer = new TestServer();
    let isUp = true;
    const a = candidate(testServer, "a", {
      fate: () => (isUp ? "deliver" : new TransportError("refused", "no server answers")),
    });
    const { held } = lead(a);
    await testServer.scheduler.advance(SECOND);
    const b = candidate(testServer, "b");
    lead(b);
    await testServer.scheduler.advance(20 * SECOND);
    isUp = false;
    const cutMs = testServer.scheduler.monotonicMs;
    await testServer.scheduler.run({ until: () => !a.leader.isLeader });
    expect(testServer.scheduler.monotonicMs - cutMs).toBeLessThanOrEqual(10 * SECOND);
    expect(b.leader.isLeader).toBe(false);
    expect(await testServer.run(held)).toBe("LeaseLost");
    expect(() => a.leader.assertValid()).toThrow(
      "the Lease kube-system/capstan is no longer held by this process, so it must not write",
    );
    await testServer.scheduler.run({ until: () => b.leader.isLeader });
    expect(testServer.scheduler.monotonicMs - cutMs).toBeLessThan(20 * SECOND);
  });

  test("survives failures of a few seconds", async () => {
    const testServer = new TestServer();
    let isUp = true;
    const a = candidate(testServer, "a", {
      fate: () => (isUp ? "deliver" : new TransportError("reset", "the connection broke")),
    });
    lead(a);
    await testServer.scheduler.advance(5 * SECOND);
    isUp = false;
    await testServer.scheduler.advance(6 * SECOND);
    expect(a.leader.isLeader).toBe(true);
    isUp = true;
    await testServer.scheduler.advance(60 * SECOND);
    expect(a.leader.isLeader).toBe(true);
    expect(a.changes).toHaveLength(1);
    expect(a.lines.some(({ message }) => message === "The Lease could not be renewed, retrying")).toBe(true);
  });

  test("counts from the moment a renewal was sent, not from its slow answer", async () => {
    const testServer = new TestServer();
    let isSlow = false;
    const a = candidate(testServer, "a", { latencyMs: () => (isSlow ? 4 * SECOND : 1) });
    lead(a);
    await testServer.scheduler.advance(SECOND);
    isSlow = true;
    // A renewal takes four messages of 4 seconds: when the answer arrives, the 10 seconds are over.
    await testServer.scheduler.advance(60 * SECOND);
    expect(a.leader.isLeader).toBe(false);
  });

  test("ends at once when another process holds the Lease", async () => {
    const testServer = new TestServer();
    const a = candidate(testServer, "a");
    const { held } = lead(a);
    await testServer.scheduler.advance(5 * SECOND);
    await testServer.run(testServer.client.delete(Lease, lease));
    await testServer.run(
      testServer.client.create(Lease, {
        metadata: lease,
        spec: { holderIdentity: "usurper", leaseDurationSeconds: 15 },
      }),
    );
    const takenMs = testServer.scheduler.monotonicMs;
    expect(await testServer.run(held)).toBe("LeaseLost");
    expect(a.leader.isLeader).toBe(false);
    expect(testServer.scheduler.monotonicMs - takenMs).toBeLessThan(3 * SECOND);
  });

  test("stays with its holder when a user deletes the Lease", async () => {
    for (const seed of ["1", "2", "3", "4", "5", "6"]) {
      const testServer = new TestServer({ seed });
      const a = candidate(testServer, "a");
      lead(a);
      await testServer.scheduler.advance(SECOND);
      const b = candidate(testServer, "b");
      lead(b);
      await testServer.scheduler.advance(20 * SECOND);
      await testServer.run(testServer.client.delete(Lease, lease));
      for (let step = 0; step < 60; step++) {
        await testServer.scheduler.advance(SECOND / 4);
        expect([a.leader.isLeader, b.leader.isLeader], `seed ${seed}, step ${step}`).toEqual([true, false]);
      }
    }
  });

  test("is taken over when its holder crashed and a user deleted it", async () => {
    const testServer = new TestServer();
    const a = candidate(testServer, "a");
    lead(a);
    await testServer.scheduler.advance(SECOND);
    const b = candidate(testServer, "b");
    lead(b);
    await testServer.scheduler.advance(20 * SECOND);
    a.process.crash();
    await testServer.run(testServer.client.delete(Lease, lease));
    await testServer.scheduler.advance(20 * SECOND);
    expect(b.leader.isLeader).toBe(true);
  });

  test.each([YEAR, -YEAR])("does not depend on a jump of the wall clock by %i ms", async (jumpMs) => {
    const testServer = new TestServer();
    const [a, b] = [candidate(testServer, "a"), candidate(testServer, "b")];
    lead(a);
    await testServer.scheduler.advance(SECOND);
    lead(b);
    await testServer.scheduler.advance(20 * SECOND);
    testServer.scheduler.jumpWallClock(jumpMs);
    for (let second = 0; second < 60; second++) {
      await testServer.scheduler.advance(SECOND);
      expect([a.leader.isLeader, b.leader.isLeader]).toEqual([true, false]);
    }
    a.process.crash();
    await testServer.scheduler.advance(20 * SECOND);
    expect(b.leader.isLeader).toBe(true);
  });
});

describe("stopping", () => {
  test("ends the wait for the Lease without an error and without taking it", async () => {
    const testServer = new TestServer();
    lead(candidate(testServer, "a"));
    await testServer.scheduler.advance(SECOND);
    const b = candidate(testServer, "b");
    const waiting = b.leader.acquire(b.stop.signal);
    await testServer.scheduler.advance(5 * SECOND);
    b.stop.abort(new Error("stopping"));
    await testServer.run(waiting);
    expect(b.leader.isLeader).toBe(false);
    expect(b.changes).toEqual([]);
    await testServer.run(b.leader.release());
    expect((await stored(testServer)).holderIdentity).toBe("a");
  });

  test("in the middle of a renewal does not count as a loss of the Lease", async () => {
    const testServer = new TestServer();
    const a = candidate(testServer, "a", { latencyMs: () => 100 });
    const { held } = lead(a);
    const isRenewing = (): boolean => a.requests.filter(({ method }) => method === "PUT").length === 3;
    await testServer.scheduler.run({ until: isRenewing });
    a.stop.abort(new Error("stopping"));
    expect(await testServer.run(held)).toBe("stopped");
    await testServer.run(a.leader.release());
    expect(a.leader.isLeader).toBe(false);
    expect((await stored(testServer)).holderIdentity).toBe("");
  });

  test("does not hang on a server that fails the release", async () => {
    const testServer = new TestServer();
    let isUp = true;
    const a = candidate(testServer, "a", {
      fate: () => (isUp ? "deliver" : new TransportError("refused", "no server answers")),
    });
    lead(a);
    await testServer.scheduler.advance(SECOND);
    isUp = false;
    await testServer.run(a.leader.release());
    expect(a.leader.isLeader).toBe(false);
    expect(a.lines.at(-1)?.message).toBe("The Lease could not be released; others wait until it expires");
  });

  test("does not release a Lease that another process holds now", async () => {
    const testServer = new TestServer();
    const a = candidate(testServer, "a");
    await testServer.run(a.leader.acquire(a.stop.signal));
    const spec = { holderIdentity: "b", leaseDurationSeconds: 15 };
    await testServer.run(testServer.client.patch(Lease, lease, { type: "merge", body: { spec } }));
    await testServer.run(a.leader.release());
    expect((await stored(testServer)).holderIdentity).toBe("b");
  });
});
