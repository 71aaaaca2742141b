import { expect, test } from "vitest";
import { runningWrite, type WriteFacts } from "./running-write.ts";

const OPERATION = { verb: "PUT", resourceID: "/x", startedAt: "2026-01-01T00:00:00Z" } as const;
const RESTING: WriteFacts = { status: {}, isResized: false, provisioningState: "Succeeded" };

test.each<[string, Partial<WriteFacts>, ReturnType<typeof runningWrite>]>([
  ["nothing runs on a set that is at rest", {}, undefined],
  ["nothing runs without a set", { provisioningState: undefined }, undefined],
  ["nothing runs on a failed set", { provisioningState: "Failed" }, undefined],
  ["our write runs", { status: { operation: OPERATION }, provisioningState: "Updating" }, "ours"],
  ["our write runs, and a read does not show it yet", { status: { operation: OPERATION } }, "ours"],
  ["another client's write runs", { provisioningState: "Updating" }, "another client's"],
  [
    "our operations on instances show in the set",
    { status: { instanceOperations: [OPERATION] }, provisioningState: "Updating" },
    undefined,
  ],
  [
    "another client resizes the set beside our operations on instances",
    { status: { instanceOperations: [OPERATION] }, provisioningState: "Updating", isResized: true },
    "another client's",
  ],
])("%s", (_, facts, expected) => {
  expect(runningWrite({ ...RESTING, ...facts })).toBe(expected);
});
