import { describe, expect, test } from "vitest";
import type { Condition, StandardCondition } from "./condition.ts";
import { standardConditions } from "./standard-conditions.ts";

const THEN = "2026-01-01T00:00:00Z";
const NOW = "2026-01-01T01:00:00Z";
const older = (type: string, more: Partial<Condition> = {}): Condition => ({
  type,
  status: "True",
  reason: "Because",
  lastTransitionTime: NOW,
  ...more,
});
const newer = (type: string, more: Partial<StandardCondition> = {}): StandardCondition => ({
  type,
  status: "True",
  reason: "Because",
  message: "",
  lastTransitionTime: NOW,
  ...more,
});

describe("the conditions of v1beta2 that follow those of v1beta1", () => {
  test("tell the same, without a severity and with a message", () => {
    const after = [older("Ready", { status: "False", severity: "Warning", message: "at sea" })];
    expect(standardConditions(undefined, { before: [], after })).toEqual([
      newer("Ready", { status: "False", message: "at sea" }),
    ]);
  });

  test("have their names of v1beta2, too", () => {
    const names = { BootstrapReady: "BootstrapConfigReady" };
    const after = [older("BootstrapReady")];
    expect(standardConditions([], { before: [], after, names })).toEqual([
      newer("BootstrapConfigReady"),
      newer("BootstrapReady"),
    ]);
    expect(
      standardConditions([newer("BootstrapConfigReady"), newer("BootstrapReady")], {
        before: after,
        after: [],
        names,
      }),
    ).toEqual([]);
  });

  test("keep the time of their status, and conditions that only v1beta2 has", () => {
    const list = [newer("Ready", { lastTransitionTime: THEN }), newer("Paused", { status: "False" })];
    const after = [older("Ready", { reason: "Other" })];
    expect(standardConditions(list, { before: after, after })).toEqual([
      newer("Ready", { reason: "Other", lastTransitionTime: THEN }),
      newer("Paused", { status: "False" }),
    ]);
  });

  test("are the same list when nothing changes", () => {
    const list = [newer("Ready")];
    const after = [older("Ready")];
    expect(standardConditions(list, { before: after, after })).toBe(list);
  });

  test.each([undefined, "", "not a reason", "Ends-"])("have a reason in place of %j", (reason) => {
    const { reason: _, ...rest } = older("Ready");
    const after = [reason === undefined ? rest : { ...rest, reason }];
    expect(standardConditions([], { before: [], after })[0]?.reason).toBe("Ready");
  });
});
