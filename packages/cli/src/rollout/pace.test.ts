import { expect, test } from "vitest";
import { type Pace, paceAfter, paceLine } from "./pace.ts";

const MINUTE_MS = 60_000;
const seen = (minute: number, outdated: number, isDone = false) => ({
  isDone,
  nowMs: minute * MINUTE_MS,
  outdated,
  upToDate: 4 - outdated,
  conditions: undefined,
  // Each machine takes two minutes.
  left: { durationMs: outdated * 2 * MINUTE_MS, waves: outdated },
});
/** The same when the controllers have reported for a while that the machines are rolled out or get more. */
const under = (type: "RollingOut" | "ScalingUp", state: ReturnType<typeof seen>) => ({
  ...state,
  conditions: [
    {
      type,
      status: "True" as const,
      reason: type,
      message: "",
      lastTransitionTime: new Date(0).toISOString(),
    },
  ],
});

test.each([
  ["the first look has the forecast", [seen(0, 4)], "elapsed 0s, about 8m left"],
  ["a machine in two minutes leaves six for three", [seen(0, 4), seen(2, 3)], "elapsed 2m, about 6m left"],
  ["no outdated machine is left", [seen(0, 4), seen(8, 0)], "elapsed 8m, the last machines are on their way"],
  ["the named end stays while a step runs", [seen(0, 4), seen(1, 4)], "elapsed 60s, about 7m left"],
  [
    "an end that cannot be kept moves by no more than it must",
    [seen(0, 4), seen(5, 4)],
    "elapsed 5m, about 6m left",
  ],
  ["a rollout that stands still has no end", [seen(0, 4), { ...seen(5, 4), left: undefined }], "elapsed 5m"],
  ["the end stays", [seen(0, 4), seen(9, 0, true), seen(20, 0, true)], "took 9m, forecast 8m"],
  [
    "a second rollout starts from its own time",
    [seen(0, 4), seen(9, 0, true), seen(20, 4), seen(21, 4)],
    "elapsed 60s, about 7m left",
  ],
  [
    "a rollout that was under way counts from its beginning, and with what it had replaced",
    [under("RollingOut", seen(6, 2)), under("RollingOut", seen(9, 1))],
    "elapsed 9m, about 60s left",
  ],
  [
    "a pool that was being created counts from its beginning",
    [under("ScalingUp", seen(5, 0)), seen(8, 0, true)],
    "took 8m, forecast 5m",
  ],
  [
    "a change of the spec starts from its own time",
    [seen(0, 1), seen(5, 4), seen(6, 4)],
    "elapsed 60s, about 7m left",
  ],
])("%s", (_, states, line) => {
  const pace = states.reduce<Pace | undefined>((before, state) => paceAfter(before, state), undefined);
  const last = states.at(-1);
  expect(pace && last && paceLine(pace, last)).toBe(line);
});

test("a pool that is rolled out when the watch begins has no pace", () => {
  expect(paceAfter(undefined, seen(0, 0, true))).toBeUndefined();
});
