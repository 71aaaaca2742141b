import {
  controllerReferenceTo,
  PENDING_HOOKS_ANNOTATION,
  STARTED_UPDATES_ANNOTATION,
  UPDATE_IN_PROGRESS_ANNOTATION,
} from "@capstan/api";
import { updateRecordsText } from "@capstan/plan";
import { machine, machineSet } from "@capstan/runtime/testing/builders";
import { describe, expect, test } from "vitest";
import { hasArrived } from "./update-in-place.ts";

const record = { updaters: ["resizer"], version: null, key: "" };
const set = machineSet({
  metadata: {
    name: "new",
    uid: "u2",
    annotations: { [STARTED_UPDATES_ANNOTATION]: updateRecordsText(new Map([["m1", record]])) ?? "" },
  },
});
const moved = {
  name: "m1",
  annotations: { [UPDATE_IN_PROGRESS_ANNOTATION]: "" },
  ownerReferences: [controllerReferenceTo(set)],
};

describe("a machine", () => {
  test.each<[string, object, boolean]>([
    ["that was moved here gets the desired state", moved, true],
    ["that is being deleted keeps its own", { ...moved, deletionTimestamp: "2026-01-01T00:00:00Z" }, false],
    [
      "that another set controls by now keeps its own",
      { ...moved, ownerReferences: [{ ...controllerReferenceTo(set), uid: "u1" }] },
      false,
    ],
    ["whose update the set has not recorded keeps its own", { ...moved, name: "m2" }, false],
    ["that is not in an update keeps its own", { ...moved, annotations: {} }, false],
    [
      "on which updaters may run already keeps its own",
      { ...moved, annotations: { ...moved.annotations, [PENDING_HOOKS_ANNOTATION]: "UpdateMachine" } },
      false,
    ],
  ])("%s", (_, metadata, expected) => {
    expect(hasArrived(set, machine({ metadata }))).toBe(expected);
  });
});
