import {
  type Machine,
  PENDING_HOOKS_ANNOTATION,
  RETRY_UPDATE_ANNOTATION,
  UPDATE_MACHINE_HOOK,
  UPDATED_FROM_VERSION_ANNOTATION,
} from "@capstan/api";
import { machine, type Overrides } from "@capstan/runtime/testing/builders";
import { describe, expect, test } from "vitest";
import { afterAnswer, afterFailure, falseDone, nextUpdateStep, type UpdateProgress } from "./progress.ts";

const NOW_MS = Date.parse("2026-01-01T01:00:00Z");
const MINUTE_MS = 60_000;
const at = (ms: number): string => new Date(ms).toISOString().replace(".000", "");

const progress: UpdateProgress = {
  updater: "a",
  specHash: "h",
  state: "InProgress",
  since: at(NOW_MS - MINUTE_MS),
  attempts: 1,
};

function step(overrides: Overrides<Machine>, options: object = {}): ReturnType<typeof nextUpdateStep> {
  const annotations = { [PENDING_HOOKS_ANNOTATION]: UPDATE_MACHINE_HOOK };
  return nextUpdateStep({
    machine: machine({ metadata: { annotations }, spec: { updaters: ["a", "b"] } }, overrides),
    specHash: "h",
    isRegistered: true,
    timeoutMs: 30 * MINUTE_MS,
    nowMs: NOW_MS,
    ...options,
  });
}

describe("the next step of an update", () => {
  test.each<[string, Overrides<Machine>, object, string]>([
    [
      "the desired state is not written",
      { metadata: { annotations: { [PENDING_HOOKS_ANNOTATION]: "" } } },
      {},
      "await",
    ],
    ["no updater is left", { spec: { updaters: [] } }, {}, "finish"],
    ["no updater was called", {}, {}, "start"],
    ["the updater is not registered", {}, { isRegistered: false }, "find"],
    [
      "the updater is not registered any more",
      { status: { update: progress } },
      { isRegistered: false },
      "find",
    ],
    ["the updater was called", { status: { update: progress } }, {}, "call"],
    [
      "the updater asked to wait",
      { status: { update: { ...progress, nextCallTime: at(NOW_MS + 1000) } } },
      {},
      "wait",
    ],
    [
      "the recorded progress is of another updater",
      { status: { update: { ...progress, updater: "z" } } },
      {},
      "start",
    ],
    [
      "the recorded progress is of another desired state",
      { status: { update: { ...progress, specHash: "x" } } },
      {},
      "start",
    ],
    [
      "the time is over",
      { status: { update: { ...progress, since: at(NOW_MS - 30 * MINUTE_MS) } } },
      {},
      "fail",
    ],
    [
      "the time is over, and it is not registered any more",
      { status: { update: { ...progress, since: at(NOW_MS - 31 * MINUTE_MS) } } },
      { isRegistered: false },
      "fail",
    ],
    ["the update has failed", { status: { update: { ...progress, state: "Failed" } } }, {}, "stayFailed"],
    [
      "the update has failed, and a user asks for a retry",
      {
        metadata: { annotations: { [RETRY_UPDATE_ANNOTATION]: "2" } },
        status: { update: { ...progress, state: "Failed", retried: "1" } },
      },
      {},
      "start",
    ],
    [
      "the retry has failed too",
      {
        metadata: { annotations: { [RETRY_UPDATE_ANNOTATION]: "2" } },
        status: { update: { ...progress, state: "Failed", retried: "2" } },
      },
      {},
      "stayFailed",
    ],
  ])("if %s", (_, overrides, options, expected) => {
    expect(step(overrides, options).do).toBe(expected);
  });

  test("never waits longer than the time limit", () => {
    const since = at(NOW_MS - 29 * MINUTE_MS);
    const update = { ...progress, since, nextCallTime: at(NOW_MS + 50 * MINUTE_MS) };
    expect(step({ status: { update } })).toMatchObject({ do: "wait", untilMs: NOW_MS + MINUTE_MS });
  });
});

test("an answer replaces the message, and a wait is rounded up to whole seconds", () => {
  const answer = { status: "InProgress", waitMs: 1_500, message: "half" } as const;
  const before = { ...progress, failures: 3, message: "refused" };
  expect(afterAnswer(before, answer, NOW_MS)).toEqual({
    ...progress,
    attempts: 2,
    message: "half",
    nextCallTime: at(NOW_MS + 2_000),
  });
  expect(afterAnswer(before, { status: "Done" }, NOW_MS)).toBeUndefined();
});

test("calls without an answer come less and less often, but not less than every two minutes", () => {
  let now: UpdateProgress = progress;
  const waits = Array.from({ length: 9 }, () => {
    now = afterFailure(now, "refused", NOW_MS);
    return (Date.parse(now.nextCallTime ?? "") - NOW_MS) / 1000;
  });
  expect(waits).toEqual([2, 4, 8, 16, 32, 64, 120, 120, 120]);
});

describe("an updater that says Done", () => {
  const CHANGED = { [UPDATED_FROM_VERSION_ANNOTATION]: "v1.33.5" };
  test.each<[string, Overrides<Machine>, string | undefined, boolean]>([
    ["is believed if the kubelet has the version", { metadata: { annotations: CHANGED } }, "v1.34.1", true],
    ["is believed beside a build", { metadata: { annotations: CHANGED } }, "v1.34.1+build.7", true],
    ["is not believed if the kubelet is old", { metadata: { annotations: CHANGED } }, "v1.33.5", false],
    ["is not believed without a Node", { metadata: { annotations: CHANGED } }, undefined, false],
    ["is believed if the version does not change", {}, "v1.33.5", true],
    [
      "is believed if another updater follows",
      { metadata: { annotations: CHANGED }, spec: { updaters: ["a", "b"] } },
      "v1.33.5",
      true,
    ],
  ])("%s", (_, overrides, kubelet, isBelieved) => {
    const updated = machine({ spec: { version: "v1.34.1", updaters: ["a"] } }, overrides);
    const problem = falseDone(updated, kubelet);
    expect(problem === undefined).toBe(isBelieved);
    if (!isBelieved)
      expect(problem).toContain(`the kubelet of the Node reports ${kubelet ?? "no version"}, not v1.34.1`);
  });
});
