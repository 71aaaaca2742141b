import { describe, expect, test } from "vitest";
import type { FleetRow, Lane, Message, Row } from "../protocol.ts";
import { isShownInFleet, sortedFleet } from "./fleet-order.ts";
import { shownLanes, sortedLanes } from "./lanes/lane-order.ts";
import { axisOf } from "./lanes/time-axis.ts";
import { durationText } from "./time.ts";
import { emptyView, viewAfter } from "./view-store.ts";

interface TestRow extends Row {
  readonly text: string;
}

describe("a view after a message", () => {
  const snapshot: Message<{ title: string }, TestRow> = {
    type: "snapshot",
    nowMs: 1,
    head: { title: "a" },
    rows: [
      { key: "1", text: "one" },
      { key: "2", text: "two" },
    ],
  };

  test("keeps the rows that have not changed as the same objects", () => {
    const before = viewAfter(emptyView<{ title: string }, TestRow>(), snapshot);
    const rows = [{ key: "3", text: "three" }];
    const after = viewAfter(before, { type: "change", nowMs: 2, rows, gone: ["1"] });
    expect([...after.rows.keys()]).toEqual(["2", "3"]);
    expect(after.rows.get("2")).toBe(before.rows.get("2"));
    expect(after.head).toEqual({ title: "a" });
    expect(viewAfter(after, { type: "time", nowMs: 3 })).toBe(after);
  });

  test("shows a problem beside what was shown, until the next state", () => {
    const before = viewAfter(emptyView<{ title: string }, TestRow>(), snapshot);
    const problem = viewAfter(before, { type: "problem", nowMs: 2, text: "no answer", isFirst: false });
    expect([problem.problem, problem.rows.size]).toEqual(["no answer", 2]);
    expect(viewAfter(problem, snapshot).problem).toBeUndefined();
  });
});

const cluster = (name: string, row: Partial<FleetRow> = {}): FleetRow => ({
  key: `default/${name}`,
  namespace: "default",
  name,
  phase: "Provisioned",
  tone: "good",
  createdMs: 0,
  workers: { ready: 1, desired: 1 },
  versions: { newest: "v1.34.1", oldest: "v1.33.5", minorsApart: 1 },
  rollouts: [],
  needs: "",
  needsUser: false,
  ...row,
});

describe("the fleet", () => {
  test("begins with clusters that need a user, then those that are on their way; numbers in names count", () => {
    const rollouts = [{ kind: "MachinePool", name: "p", upToDate: 1, desired: 3 }];
    const rows = [
      cluster("c10"),
      cluster("c9"),
      cluster("rolling", { rollouts }),
      cluster("starting", { tone: "waiting" }),
      cluster("broken", { needsUser: true }),
    ];
    expect(sortedFleet(rows).map(({ name }) => name)).toEqual(["broken", "starting", "rolling", "c9", "c10"]);
  });

  test.each([
    ["", true],
    ["quay", true],
    ["v1.33 QUAY", true],
    ["needs-you", true],
    ["rolling", false],
    ["pier", false],
  ])("is searched for each word of %j", (search, isShown) => {
    expect(isShownInFleet(cluster("quay", { needsUser: true }), search)).toBe(isShown);
  });
});

const lane = (name: string, fromMs: number, more: Partial<Lane> = {}): Lane => ({
  key: name,
  name,
  kind: "Machine",
  namespace: "default",
  group: "",
  tone: "good",
  segments: [{ phase: "ready", fromMs }],
  forecast: [],
  message: "",
  ...more,
});

test("lanes are in the order of creation, without machines that were gone before", () => {
  const lanes = [lane("b", 5), lane("gone", 1, { goneMs: 2 }), lane("a10", 3), lane("a9", 3)];
  const sorted = sortedLanes(new Map(lanes.map((one) => [one.key, one])));
  expect(shownLanes(sorted, { search: "", fromMs: 3 }).map(({ name }) => name)).toEqual(["a9", "a10", "b"]);
  const next = new Map([lane("a10", 3), lane("b", 4), lane("c", 1)].map((one) => [one.key, one]));
  expect(sortedLanes(next, sorted).map(({ name }) => name)).toEqual(["c", "a10", "b"]);
});

describe("the axis of time", () => {
  const MINUTE_MS = 60_000;

  test("reaches to the expected end, with ticks at round distances from the beginning", () => {
    const axis = axisOf({ beganMs: 0, expectedEndMs: 10 * MINUTE_MS }, [], MINUTE_MS);
    expect(axis.ticks.map((tick) => tick / MINUTE_MS)).toEqual([0, 2, 4, 6, 8, 10]);
    expect([axis.at(-MINUTE_MS), axis.at(20 * MINUTE_MS)]).toEqual([0, 1]);
    expect(axis.at(0)).toBeGreaterThan(0);
  });

  test("has few ticks for a rollout of any length", () => {
    for (const minutes of [0, 1, 7, 90, 1000, 100_000]) {
      const axis = axisOf({ beganMs: 0, endedMs: minutes * MINUTE_MS }, [], minutes * MINUTE_MS);
      expect(axis.ticks.length).toBeLessThanOrEqual(10);
      expect(axis.ticks.length).toBeGreaterThan(1);
    }
  });
});

test.each([
  [0, "0s"],
  [59_000, "59s"],
  [125_000, "2m5s"],
  [3_600_000, "1h"],
  [90_061_000, "1d1h"],
])("%d ms are shown as %s", (ms, text) => expect(durationText(ms)).toBe(text));
