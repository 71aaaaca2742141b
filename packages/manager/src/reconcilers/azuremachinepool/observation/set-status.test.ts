import { expect, test } from "vitest";
import { needsAnotherWrite, setStatus, troubleOf } from "./set-status.ts";

test.each([
  ["Succeeded", true, false, "Succeeded", true],
  ["Succeeded", false, true, "Updating", true],
  ["Updating", false, false, "Updating", true],
  ["Creating", false, true, "Creating", false],
  ["Failed", true, true, "Failed", false],
  ["Canceled", true, true, "Canceled", false],
  ["Deleting", true, true, "Deleting", false],
  ["Migrating", true, true, "Migrating", true],
  ["Migrating", true, false, "Migrating", false],
] as const)(
  "a scale set that is %s (desired size: %s, was ready: %s) is reported as %s, ready: %s",
  (state, isSized, wasReady, provisioningState, ready) => {
    expect(setStatus(state, { isSized, wasReady })).toEqual({ provisioningState, ready });
  },
);

test.each([
  [undefined, "ScaleSetCreating"],
  ["Creating", "ScaleSetCreating"],
  ["Deleting", "ScaleSetDeleting"],
  ["Failed", "ScaleSetProvisionFailed"],
  ["Canceled", "ScaleSetProvisionFailed"],
  ["Updating", undefined],
  ["Succeeded", undefined],
])("a scale set that is %s has the reason %s for not running", (state, reason) => {
  expect(troubleOf(state)?.reason).toBe(reason);
});

test.each(["Failed", "Canceled"])("a scale set that is %s needs another write", (state) => {
  expect(needsAnotherWrite(state)).toBe(true);
});
