import { machine } from "@capstan/runtime/testing/builders";
import { describe, expect, test } from "vitest";
import { ownerRemediated } from "./owner-remediated.ts";

const AT = "2026-01-01T00:00:00Z";

describe("an owner that is asked to replace a machine", () => {
  const a = machine({ metadata: { name: "a" } });
  const held = (reason: string) => ({
    actions: [],
    blocked: [{ reason, targets: ["b", "a"], why: "because" }],
  });

  test("says nothing until it has decided", () => {
    expect(ownerRemediated(a, { actions: [], blocked: [] })).toBeUndefined();
    expect(
      ownerRemediated(a, { actions: [{ targets: ["a"], why: "because" }], blocked: [] }),
    ).toBeUndefined();
  });

  test.each([
    ["another machine that it does not replace", "blocked"],
    ["a change of another machine", "actions"],
  ])("that waits for %s names it and the cause", (_, list) => {
    const other = { reason: "QuorumAtRisk", targets: ["b"], why: "because" };
    expect(ownerRemediated(a, { actions: [], blocked: [], [list]: [other] })).toMatchObject({
      reason: "RemediationDeferred",
      message: "Waiting for b: because",
    });
  });

  test.each([
    ["RemediationLimited", "RemediationDeferred"],
    ["PreflightCheckFailed", "RemediationDeferred"],
    ["QuorumAtRisk", "RemediationDeferred"],
    ["CannotBeRemediated", "CannotBeRemediated"],
  ])("that is held up by %s answers %s, with the cause", (reason, expected) => {
    expect(ownerRemediated(a, held(reason))).toEqual({
      type: "OwnerRemediated",
      status: "False",
      reason: expected,
      message: "because",
    });
  });

  test("says that the machine is being deleted", () => {
    const deleted = machine({ metadata: { name: "a", deletionTimestamp: AT } });
    expect(ownerRemediated(deleted, held("RemediationLimited"))).toMatchObject({
      status: "False",
      reason: "MachineDeleting",
    });
  });
});
