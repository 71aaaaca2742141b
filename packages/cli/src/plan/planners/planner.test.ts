import { expect, test } from "vitest";
import { type PlanReport, printReports } from "./planner.ts";

const report = (name: string, waves: number[][]): PlanReport => ({
  print: (form) => `${name} as ${form}\n`,
  json: {
    actions: waves.flat().map((index) => ({ action: `${name}${index}` })),
    blocked: [{ reason: name }],
    forecast: [{ waves: waves.map((actions) => ({ actions })) }],
    assumptions: ["machines boot in a minute"],
  },
  isDisruptive: false,
  notes: [],
});

test("the reports of several planners become one JSON document whose waves still name their own actions", () => {
  const text = printReports([report("a", [[0], [1]]), report("b", [[0, 1]])], "json");
  expect(JSON.parse(text)).toEqual({
    actions: [{ action: "a0" }, { action: "a1" }, { action: "b0" }, { action: "b1" }],
    blocked: [{ reason: "a" }, { reason: "b" }],
    forecast: [{ waves: [{ actions: [0] }, { actions: [1] }] }, { waves: [{ actions: [2, 3] }] }],
    assumptions: ["machines boot in a minute"],
  });
});

test("in other forms one report follows the other", () => {
  expect(printReports([report("a", []), report("b", [])], "markdown")).toBe(
    "a as markdown\n\nb as markdown\n\n**Summary**: 0 actions, 2 blocks\n",
  );
});

test("one line at the end sums up all reports, and says nothing of those with nothing to do", () => {
  const idle = { ...report("b", []), json: { actions: [], blocked: [] } };
  expect(printReports([{ ...report("a", []), summary: "not planned: a" }, idle], "text")).toMatch(
    /\n\nSummary: not planned: a\n$/,
  );
  expect(printReports([idle], "text")).toMatch(/\n\nSummary: nothing to do\n$/);
});
