import { expect, test } from "vitest";
import { formatProblem } from "../scenario/problem.ts";
import { readDurations } from "./read-durations.ts";

test("a file has percentiles of boots and of operations of Azure, and times of pods", () => {
  const text = `
boot: { p50: 2m30s, p90: 5m }
pods: { stop: 15s }
updates: { perDay: 1, each: 3s, imageAge: 720h }
azure:
  virtualMachine.create: { p50: 54s, p90: 88s }
`;
  expect(readDurations("slow.yaml", text)).toEqual({
    durations: {
      boot: { p50: 150, p90: 300 },
      pods: { stopMs: 15_000 },
      updates: { perDay: 1, secondsEach: 3, imageAgeMs: 30 * 24 * 3_600_000 },
      latencies: { "virtualMachine.create": { p50: 54, p90: 88 } },
    },
  });
});

test.each<[string, string]>([
  ["boot: 90s", "must be a map of fields"],
  ["boot: { p50: 90s, p90: 10s }", "p90 is below p50"],
  ["boots: { p50: 90s, p90: 2m }", "did you mean boot"],
  ["azure: { virtualMachine.creat: { p50: 1s, p90: 2s } }", "virtualMachine.create"],
  ["updates: { perDay: 1 }", "each"],
  ["pods: { stop: -1s }", "must be a duration above 0"],
  ["a: [", "slow.yaml"],
  ["---\nboot: { p50: 1s, p90: 1s }\n---\npods: {}\n", "there is a second document"],
])("%s is refused with its place", (text, message) => {
  const read = readDurations("slow.yaml", text);
  expect("problems" in read && read.problems.map(formatProblem).join("\n")).toContain(message);
});
