import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { backoffMs } from "./backoff.ts";
import { promoted, rolledBack, surplusOf, withoutActive } from "./history.ts";
import { interruptionOf, isFailure } from "./interruption.ts";
import { bootImageOf } from "./lineage.ts";
import { cycleIDOf, isPrototypeVersion, prototypeNamesOf, prototypeVersionOf } from "./names.ts";
import type { HistoryEntry, PrototypePhase } from "./record.ts";
import {
  decidePromote,
  decidePublish,
  decideReturn,
  decideSnapshot,
  decideStop,
  type DonorPower,
  type PublishFacts,
  type ReturnFacts,
} from "./steps.ts";

test.each<[DonorPower, string]>([
  ["running", "powerOff"],
  ["starting", "powerOff"],
  ["stopping", "wait"],
  ["stuck", "powerOff"],
  ["unknown", "wait"],
  ["stopped", "stopped"],
  ["gone", "giveUp"],
])("a donor that is %s: %s", (power, step) => {
  expect(decideStop(power).do).toBe(step);
});

const DONOR = { power: "stopped", cycleID: "1", osDiskID: "/disk" } as const;

test.each([
  ["without a snapshot", undefined, {}, "create"],
  ["with one that is being made", { state: "Creating", cycleID: "1", source: "/DISK" }, {}, "wait"],
  ["with a complete one", { state: "Succeeded", cycleID: "1", source: "/disk" }, {}, "done"],
  ["with one of another disk", { state: "Succeeded", cycleID: "1", source: "/other" }, {}, "giveUp"],
  ["with one of another renewal", { state: "Succeeded", cycleID: "0", source: "/disk" }, {}, "giveUp"],
  ["with a failed one", { state: "Failed", cycleID: "1", source: "/disk" }, {}, "giveUp"],
  ["whose donor another client has started", undefined, { power: "running" as const }, "giveUp"],
])("a stopped donor %s", (_, snapshot, donor, step) => {
  expect(decideSnapshot(snapshot, { ...DONOR, ...donor }).do).toBe(step);
});

describe("a donor on its way back", () => {
  const facts: ReturnFacts = { power: "running", node: "ready", isDeleting: false, isOverdue: false };
  test.each<[string, Partial<ReturnFacts>, string]>([
    ["is released when its Node is Ready", {}, "release"],
    ["is started when it is stopped", { power: "stopped", node: "notReady" }, "start"],
    ["is waited for while it starts", { power: "starting", node: "notReady" }, "wait"],
    ["is not back by the Node of the boot before", { node: "old" }, "wait"],
    ["is replaced when it is late", { node: "notReady", isOverdue: true }, "replace"],
    ["is not replaced while its Node cannot be read", { node: "unknown", isOverdue: true }, "wait"],
    ["is forgotten when its instance is gone", { power: "gone" }, "forget"],
    ["is forgotten when a user deletes it", { isDeleting: true }, "forget"],
  ])("%s", (_, differences, step) => {
    expect(decideReturn({ ...facts, ...differences }).do).toBe(step);
  });

  test("is always started, waited for, released, replaced or forgotten: never left stopped", () => {
    const any = fc.record({
      power: fc.constantFrom<DonorPower>(
        "running",
        "starting",
        "stopping",
        "stopped",
        "stuck",
        "unknown",
        "gone",
      ),
      node: fc.constantFrom<ReturnFacts["node"]>("ready", "notReady", "old", "gone", "unknown"),
      isDeleting: fc.boolean(),
      isOverdue: fc.boolean(),
    });
    fc.assert(
      fc.property(any, (one) => {
        const { do: step } = decideReturn(one);
        if (step === "release") expect(one).toMatchObject({ power: "running", node: "ready" });
        if (step === "forget") expect(one.power === "gone" || one.isDeleting).toBe(true);
        const isDown = one.power === "stopped" || one.power === "stuck";
        if (isDown && !one.isDeleting && !one.isOverdue) expect(step).toBe("start");
      }),
    );
  });
});

describe("publishing", () => {
  const facts: PublishFacts = {
    gallery: "Succeeded",
    isForeignGallery: false,
    definition: "Succeeded",
    mismatch: undefined,
    version: undefined,
    snapshot: "Succeeded",
    attempt: 1,
    isOverdue: false,
  };
  test.each<[string, Partial<PublishFacts>, string]>([
    ["creates the gallery first", { gallery: undefined, definition: undefined }, "createGallery"],
    ["waits for the gallery", { gallery: "Creating" }, "wait"],
    ["gives up if the gallery has another owner", { isForeignGallery: true }, "giveUp"],
    ["creates the definition", { definition: undefined }, "createDefinition"],
    ["gives up if the definition does not fit", { mismatch: "it is Specialized" }, "giveUp"],
    ["creates the version", {}, "createVersion"],
    ["waits for the version", { version: "Creating" }, "wait"],
    ["deletes a failed version", { version: "Failed" }, "deleteVersion"],
    ["gives up after three failed versions", { version: "Failed", attempt: 3 }, "giveUp"],
    ["gives up without a snapshot", { snapshot: undefined }, "giveUp"],
    ["gives up when it is late", { version: "Creating", isOverdue: true }, "giveUp"],
    [
      "takes a version that is complete although it is late",
      { version: "Succeeded", isOverdue: true },
      "done",
    ],
  ])("%s", (_, differences, step) => {
    expect(decidePublish({ ...facts, ...differences }).do).toBe(step);
  });
});

test.each([
  ["the pool has another base image", { isCurrentBase: false }, "discard"],
  ["the version is gone", { version: undefined }, "discard"],
  ["the version is being changed", { version: "Updating" }, "wait"],
  ["the version is left out", { isExcluded: true }, "include"],
  ["the scale set has another image", { isInModel: false }, "awaitModel"],
  ["all is done", {}, "record"],
])("promoting when %s", (_, differences, step) => {
  const facts = { version: "Succeeded", isExcluded: false, isCurrentBase: true, isInModel: true };
  expect(decidePromote({ ...facts, ...differences }).do).toBe(step);
});

describe("an interruption", () => {
  const on = { offBecause: undefined, isPaused: false, isDeleting: false, changeOfPool: undefined };
  const WITH_DONOR: readonly PrototypePhase[] = [
    "Protecting",
    "Preparing",
    "Draining",
    "Stopping",
    "Snapshotting",
  ];
  test.each(WITH_DONOR)("brings the donor back from %s, whatever the reason is", (phase) => {
    for (const facts of [{ offBecause: "off" }, { isPaused: true }, { isDeleting: true }])
      expect(interruptionOf({ phase }, { ...on, ...facts })?.to).toBe("Restoring");
  });

  test("by a rollout ends a renewal only while its donor still runs", () => {
    const rolling = { ...on, changeOfPool: "it rolls" };
    expect(interruptionOf({ phase: "Draining" }, rolling)?.to).toBe("Restoring");
    expect(interruptionOf({ phase: "Stopping" }, rolling)).toBeUndefined();
    expect(interruptionOf({ phase: "Publishing" }, rolling)).toBeUndefined();
  });

  test("by a pause holds what is being published; a switch aborts it", () => {
    expect(interruptionOf({ phase: "Publishing" }, { ...on, isPaused: true })?.to).toBe("hold");
    expect(interruptionOf({ phase: "Publishing" }, { ...on, offBecause: "off" })?.to).toBe("Aborting");
  });
});

describe("the history", () => {
  const entry = (version: string, state: HistoryEntry["state"] = "Previous"): HistoryEntry => ({
    id: `/versions/${version}`,
    version,
    createdAt: "2026-01-17T10:00:00Z",
    state,
  });

  test("keeps the active version, the one before, and one more", () => {
    const history = ["1", "2", "3", "4", "5"].reduce<readonly HistoryEntry[]>(
      (before, version) => promoted(before, entry(version)),
      [],
    );
    expect(history.map(({ version, state }) => `${version} ${state}`)[0]).toBe("5 Active");
    expect(surplusOf(history).map(({ version }) => version)).toEqual(["2", "1"]);
  });

  test("after a rollback has the version before as the active one, and never deletes it", () => {
    const history = rolledBack([entry("3", "Active"), entry("2"), entry("1")]);
    expect(history.map(({ state }) => state)).toEqual(["Bad", "Active", "Previous"]);
    expect(rolledBack([entry("1", "Active")]).map(({ state }) => state)).toEqual(["Bad"]);
  });

  test("never offers the active version or the one to roll back to for deletion", () => {
    const states = fc.array(fc.constantFrom<HistoryEntry["state"]>("Previous", "Bad"), { maxLength: 12 });
    fc.assert(
      fc.property(states, fc.nat(12), (list, at) => {
        const all = [...list.slice(0, at), "Active" as const, ...list.slice(at)];
        const history = all.map((state, index) => entry(String(index), state));
        const surplus = surplusOf(history);
        const rollback = history.find(({ state }) => state === "Previous");
        expect(surplus.some((one) => one.state === "Active" || one === rollback)).toBe(false);
      }),
    );
  });
});

test("a failing pool drains a node after 10 and 20 minutes, then once an interval", () => {
  const minutes = [1, 2, 3, 9].map((failures) => backoffMs(failures, 24 * 3_600_000) / 60_000);
  expect(minutes).toEqual([10, 20, 1440, 1440]);
  expect(backoffMs(2, 15 * 60_000) / 60_000).toBe(15);
});

test("new machines boot from a prototype of the image and the version that the pool has now, and of no other", () => {
  const record = { bootImage: { id: "/definition", base: "a" } };
  const facts = { isOn: true, record, base: "a", tagged: undefined };
  expect(bootImageOf(facts)?.id).toBe("/definition");
  expect(bootImageOf({ ...facts, base: "b" })).toBeUndefined();
  expect(bootImageOf({ ...facts, isOn: false })).toBeUndefined();
  expect(bootImageOf({ ...facts, record: undefined, tagged: { id: "/tagged", base: "a" } })?.id).toBe(
    "/tagged",
  );
  expect(bootImageOf({ ...facts, record: {}, tagged: { id: "/tagged", base: "a" } })).toBeUndefined();
});

test("versions grow with time, and names fit Azure's rules", () => {
  const times = ["2026-01-17T00:05:00Z", "2026-01-17T23:59:00Z", "2026-02-01T00:00:00Z"].map((one) =>
    Date.parse(one),
  );
  expect(times.map((ms) => prototypeVersionOf(ms, 1))).toEqual([
    "20260117.5.1",
    "20260117.1439.1",
    "20260201.0.1",
  ]);
  expect(cycleIDOf(times[0] ?? 0)).toBe("20260117-000500");
  const names = prototypeNamesOf({
    clusterName: "my-cluster",
    clusterHash: "0a1b2c3d",
    pool: "mp",
    base: "0123456789",
  });
  expect(names.gallery).toMatch(/^prototypes_my_cluster_0a1b2c3d$/);
  expect(names.definition).toBe("mp-01234567");
});

test("a renewal that gave way has not failed", () => {
  const ended = (code: string) => isFailure({ step: "Draining", code, message: "" });
  expect(["Paused", "SwitchedOff", "PoolDeleted", "PoolChanged"].map(ended)).toEqual([
    false,
    false,
    false,
    false,
  ]);
  expect([ended("TimedOut"), isFailure(undefined)]).toEqual([true, false]);
});

test("versions of renewals are recognized, and those of base images are not", () => {
  expect(isPrototypeVersion(prototypeVersionOf(Date.parse("2026-11-18T23:59:00Z"), 3))).toBe(true);
  for (const version of ["1.33.5", "20261118.1440.1", "20261318.10.1", "20261118.10", "latest", ""])
    expect([version, isPrototypeVersion(version)]).toEqual([version, false]);
});

test("without the active version, the newest previous one is active; one that was rolled back never is", () => {
  const entry = (version: string, state: HistoryEntry["state"]): HistoryEntry => ({
    id: version,
    version,
    createdAt: "2026-01-01T00:00:00Z",
    state,
  });
  const states = (history: readonly HistoryEntry[]) =>
    history.map(({ version, state }) => `${version} ${state}`);
  const history = [entry("4", "Active"), entry("3", "Bad"), entry("2", "Previous"), entry("1", "Previous")];
  expect(states(withoutActive(history))).toEqual(["3 Bad", "2 Active", "1 Previous"]);
  expect(states(withoutActive(history.slice(0, 2)))).toEqual(["3 Bad"]);
});
