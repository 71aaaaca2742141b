import { expect, test } from "vitest";
import { type Pace, paceAfter, paceLine } from "./pace.ts";

const MINUTE_MS = 60_000;
const seen = (minute: number, outdated: number, isDone = false) => ({
  isDone,
  view: { nowMs: minute * MINUTE_MS },
  plan: { budget: { outdated } },
});

test.each([
  ["one look has no pace", [seen(0, 4)], "elapsed 0s"],
  ["a machine in two minutes leaves six for three", [seen(0, 4), seen(2, 3)], "elapsed 2m, about 6m left"],
  ["no outdated machine is left", [seen(0, 4), seen(8, 0)], "elapsed 8m, the last machines are on their way"],
  ["the end stays", [seen(0, 4), seen(9, 0, true), seen(20, 0, true)], "took 9m"],
  [
    "a second rollout starts from its own time",
    [seen(0, 4), seen(9, 0, true), seen(20, 4), seen(21, 4)],
    "elapsed 60s",
  ],
  ["a change of the spec starts from its own time", [seen(0, 1), seen(5, 4), seen(6, 4)], "elapsed 60s"],
])("%s", (_, states, line) => {
  const pace = states.reduce<Pace | undefined>(paceAfter, undefined);
  const last = states.at(-1);
  expect(pace && last && paceLine(pace, last)).toBe(line);
});

test("a pool that is rolled out when the watch begins has no pace", () => {
  expect(paceAfter(undefined, seen(0, 0, true))).toBeUndefined();
});
