import { expect, test } from "vitest";
import { decideScrub, type ScrubFacts } from "./scrub-copy.ts";

const READY: ScrubFacts = {
  snapshot: "Succeeded",
  disk: "Succeeded",
  networkInterface: "Succeeded",
  helper: { state: "Succeeded", power: "running", error: "" },
  scrubbed: undefined,
  foreign: undefined,
  refused: undefined,
  isOverdue: false,
};
const NONE = { disk: undefined, networkInterface: undefined, helper: undefined };
const STOPPED = { state: "Succeeded", power: "stopped", error: "" } as const;

test.each<[string, Partial<ScrubFacts>, string, RegExp]>([
  ["makes the disk first", NONE, "createDisk", /disk of the copy does not exist yet/],
  ["waits for the disk", { ...NONE, disk: "Creating" }, "wait", /disk of the copy is Creating/],
  ["ends with a failed disk", { ...NONE, disk: "Failed" }, "giveUp", /disk of the copy has failed/],
  ["makes the interface", { networkInterface: undefined, helper: undefined }, "createInterface", /interface/],
  ["makes the helper", { helper: undefined }, "createHelper", /ready to boot/],
  ["waits while the helper works", {}, "wait", /removes the identity/],
  [
    "does not take a machine that was never on for one that is done",
    { helper: { ...STOPPED, state: "Creating" } },
    "wait",
    /removes/,
  ],
  ["copies the disk of a helper that has stopped", { helper: STOPPED }, "takeSnapshot", /powered itself off/],
  ["waits for the snapshot", { helper: STOPPED, scrubbed: "Creating" }, "wait", /Creating/],
  ["ends with a failed snapshot", { helper: STOPPED, scrubbed: "Failed" }, "giveUp", /has failed/],
  ["removes the helper afterwards", { helper: STOPPED, scrubbed: "Succeeded" }, "deleteHelper", /not needed/],
  [
    "removes what is left of it",
    { ...NONE, disk: "Deleting", scrubbed: "Succeeded" },
    "deleteHelper",
    /not needed/,
  ],
  ["is done when nothing is left", { ...NONE, scrubbed: "Succeeded" }, "done", /no identity/],
  ["is done late", { ...NONE, scrubbed: "Succeeded", isOverdue: true }, "done", /no identity/],
  [
    "does without a machine that Azure cannot place",
    { helper: { state: "Failed", power: "unknown", error: "AllocationFailed" } },
    "refuse",
    /AllocationFailed/,
  ],
  [
    "removes the disk of a refused helper",
    { helper: undefined, refused: "quota" },
    "deleteHelper",
    /not needed/,
  ],
  ["goes on without a helper", { ...NONE, refused: "quota" }, "done", /refused/],
  ["ends with a helper that never stops", { isOverdue: true }, "giveUp", /did not power itself off in time/],
  ["ends when Azure takes too long", { ...NONE, isOverdue: true }, "giveUp", /not ready in time/],
  ["ends when the snapshot of the donor is gone", { ...NONE, snapshot: undefined }, "giveUp", /is gone/],
  [
    "leaves what others have made alone",
    { foreign: "/disks/mp-scrub-1" },
    "giveUp",
    /^\/disks\/mp-scrub-1 exists/,
  ],
])("%s", (_, facts, expected, why) => {
  const step = decideScrub({ ...READY, ...facts });
  expect(step.do).toBe(expected);
  expect(step.why).toMatch(why);
});
