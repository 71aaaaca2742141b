import { expect, test } from "vitest";
import type { TraceEvent } from "../trace/trace-event.ts";
import { shortStory } from "./short-story.ts";
import { verdictText } from "./verdict.ts";

const pool = (name: string, available: number) => ({ name, lowest: { available, of: 3, atMs: 0 } });
const event = (happening: object) =>
  ({ atMs: 0, step: 1, actor: "world", happening }) as unknown as TraceEvent;
const violation = event({ kind: "violation", invariant: "steps-succeed", text: "timed out" });
const failure = { name: "steps-succeed", says: "every step of a scenario succeeds within its time" };

test.each([
  ["one pool", [pool("a", 3)], "PASSED: never below 3 of 3\n"],
  ["two pools", [pool("a", 3), pool("b", 2)], "PASSED: a never below 3 of 3, b never below 2 of 3\n"],
  ["no pool", [], "PASSED: every step succeeded\n"],
  ["a pool that was never complete", [{ name: "a" }], "PASSED: every step succeeded\n"],
])("a run with %s passes in one line", (_, pools, line) => {
  expect(verdictText({ events: [], facts: { pools } })).toBe(line);
});

test("a failed run says in one line what failed", () => {
  const run = { facts: { pools: [pool("a", 3)] }, failure };
  expect(verdictText({ ...run, events: [violation] })).toBe("FAILED: steps-succeed, timed out\n");
  expect(verdictText({ ...run, events: [] })).toBe(
    "FAILED: steps-succeed, every step of a scenario succeeds within its time\n",
  );
});

test("a short story has no conditions but those of objects that became Ready", () => {
  const condition = (object: string, type: string, status: string) =>
    event({ kind: "condition", object, type, status, reason: "", message: "" });
  const ready = condition("MachinePool workers", "Ready", "True");
  const left = [
    condition("MachinePool workers", "Ready", "False"),
    condition("MachinePool workers", "InfrastructureReady", "True"),
    condition("AzureMachinePoolMachine workers-0", "Ready", "True"),
    condition("Machine workers-0", "Ready", "True"),
  ];
  expect(shortStory([violation, ...left, ready])).toEqual([violation, ready]);
});
