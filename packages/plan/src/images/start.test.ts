import { describe, expect, test } from "vitest";
import type { Candidate } from "./donor.ts";
import { decideStart, type StartFacts } from "./start.ts";

const HOUR_MS = 3_600_000;
const NOW_MS = Date.parse("2026-01-17T10:00:00Z");

function candidate(machine: string, differences: Partial<Candidate> = {}): Candidate {
  return {
    machine,
    createdMs: Number(machine.split("-").at(-1)),
    isReady: true,
    isUpToDate: true,
    isDeleting: false,
    isUpdating: false,
    isCordoned: false,
    hasNode: true,
    falseConditions: [],
    ...differences,
  };
}

/** A pool of three whose renewal is due. */
function facts(differences: Partial<StartFacts> = {}, candidates?: readonly Candidate[]): StartFacts {
  return {
    nowMs: NOW_MS,
    record: { phase: "Idle" },
    lastImagePrototypeMs: NOW_MS - 25 * HOUR_MS,
    poolCreatedMs: NOW_MS - 100 * HOUR_MS,
    spreadShare: 0.25,
    intervalMs: 24 * HOUR_MS,
    window: undefined,
    trigger: undefined,
    obstacles: [],
    sizeField: "spec.replicas of the MachinePool",
    desired: 3,
    candidates: () => candidates ?? [candidate("mp-2"), candidate("mp-0"), candidate("mp-1")],
    others: { inCluster: 0, inManager: 0 },
    ...differences,
  };
}

test("the oldest healthy machine is the donor, and the others are passed over with a reason", () => {
  expect(decideStart(facts())).toMatchObject({
    do: "start",
    donor: "mp-0",
    passedOver: [
      { machine: "mp-1", why: "it is younger than mp-0" },
      { machine: "mp-2", why: "it is younger than mp-0" },
    ],
  });
});

describe("a machine is passed over", () => {
  test.each<[string, Partial<Candidate>, string]>([
    ["that is being deleted", { isDeleting: true }, "it is being deleted"],
    ["that is being updated", { isUpdating: true }, "it is being updated in place"],
    ["that a user excludes", { excludedBy: "a/b" }, "the annotation a/b excludes it"],
    ["without a Node", { hasNode: false }, "it has no Node"],
    ["that a user has cordoned", { isCordoned: true }, "a user has cordoned its Node"],
    ["that is not healthy", { falseConditions: ["NodeHealthy"] }, "its condition NodeHealthy is not True"],
    ["whose disk is full", { pressure: "DiskPressure" }, "its Node reports DiskPressure"],
    ["that is not ready", { isReady: false }, "it is not ready"],
    ["with another model", { isUpToDate: false }, "it does not have the current model"],
    ["that failed before", { hasFailedAsDonor: true }, "the last renewal with it failed"],
  ])("%s", (_, differences, why) => {
    const decision = decideStart(
      facts({ desired: 2 }, [candidate("mp-0", differences), candidate("mp-1"), candidate("mp-2")]),
    );
    expect(decision).toMatchObject({
      do: "start",
      donor: "mp-1",
      passedOver: expect.arrayContaining([{ machine: "mp-0", why }]) as object,
    });
  });
});

describe("no renewal begins", () => {
  test.each<[string, Partial<StartFacts>, string]>([
    ["before the interval is over", { lastImagePrototypeMs: NOW_MS - HOUR_MS }, "NotDue"],
    ["in a pool of one node", { desired: 1 }, "OneNodePool"],
    [
      "while it backs off",
      {
        record: {
          phase: "Idle",
          nextAttemptTime: "2026-01-17T10:20:00Z",
          consecutiveFailures: 2,
          lastError: { step: "Stopping", code: "X", message: "no" },
        },
      },
      "BackingOff",
    ],
    [
      "after a look at the donor that found nothing new, also when a renewal had failed before",
      {
        record: { phase: "Idle", nextAttemptTime: "2026-01-17T10:20:00Z", consecutiveFailures: 1 },
      },
      "Unchanged",
    ],
    ["outside the window", { window: { start: "22:00", duration: "2h" } }, "OutsideWindow"],
    ["while the pool rolls", { obstacles: [{ reason: "PoolRolling", why: "it rolls" }] }, "PoolRolling"],
    [
      "while another pool of the cluster has a donor",
      { others: { inCluster: 1, inManager: 1 } },
      "ClusterBusy",
    ],
    ["while ten donors are out", { others: { inCluster: 0, inManager: 10 } }, "ManagerBusy"],
    [
      "while another machine is not available",
      { candidates: () => [candidate("mp-0"), candidate("mp-1"), candidate("mp-2", { isReady: false })] },
      "NotAllAvailable",
    ],
    ["without a fit machine", { candidates: () => [candidate("mp-0", { hasNode: false })] }, "NoDonor"],
  ])("%s", (_, differences, reason) => {
    expect(decideStart(facts(differences))).toMatchObject({ do: "wait", reason });
  });
});

test.each([
  ["TimedOut", "no renewal before 2026-01-17T10:20:00Z, because 2 failed in a row; Stopping: no"],
  ["Paused", "no renewal before 2026-01-17T10:20:00Z, because the last one was interrupted; Stopping: no"],
])(
  "after %s the message has the time and not what is left of it, so that it does not change",
  (code, why) => {
    const record = {
      phase: "Idle",
      nextAttemptTime: "2026-01-17T10:20:00Z",
      consecutiveFailures: 2,
      lastError: { step: "Stopping", code, message: "no" },
    } as const;
    expect(decideStart(facts({ record })).why).toBe(why);
    expect(decideStart(facts({ record, nowMs: NOW_MS + 60_000 })).why).toBe(why);
  },
);

test("a window in another time zone opens by the clock there", () => {
  const window = { start: "10:30", duration: "1h", timeZone: "Europe/Berlin" };
  expect(decideStart(facts({ window }))).toMatchObject({ do: "start" });
  expect(decideStart(facts({ window: { ...window, timeZone: "UTC" } }))).toMatchObject({
    afterMs: HOUR_MS / 2,
  });
});

test("a user's request ignores interval, window and backoff, but not the safety of the pool", () => {
  const asked = { trigger: "1", lastImagePrototypeMs: NOW_MS };
  const backingOff = { phase: "Idle", nextAttemptTime: "2026-01-18T00:00:00Z" } as const;
  expect(
    decideStart(facts({ ...asked, record: backingOff, window: { start: "22:00", duration: "1h" } })),
  ).toMatchObject({
    do: "start",
  });
  expect(decideStart(facts({ ...asked, desired: 1 }))).toMatchObject({ reason: "OneNodePool" });
  const done = { phase: "Idle", observedTrigger: "1" } as const;
  expect(decideStart(facts({ ...asked, record: done }))).toMatchObject({ do: "wait", reason: "NotDue" });
});

test("the first renewals of many pools are spread over six hours", () => {
  const waits = Array.from({ length: 200 }, (_, index) =>
    decideStart(
      facts({
        spreadShare: index / 200,
        lastImagePrototypeMs: undefined,
        poolCreatedMs: NOW_MS,
      }),
    ),
  ).map((decision) => (decision.do === "wait" ? decision.afterMs : 0));
  expect(Math.max(...waits)).toBeLessThanOrEqual(6 * HOUR_MS);
  expect(waits.filter((ms) => ms < 3 * HOUR_MS).length).toBeGreaterThan(60);
  expect(waits.filter((ms) => ms > 3 * HOUR_MS).length).toBeGreaterThan(60);
});
