import { machine } from "@capstan/runtime/testing/builders";
import { expect, test } from "vitest";
import { updatePace, updateTimeLine } from "./update-pace.ts";

const CREATED = "2026-01-01T00:00:00Z";

/** A machine whose last update ended so many minutes after its creation; 0 for one that was never updated. */
function updated(minutes: number, condition: object = {}) {
  const lastTransitionTime = new Date(Date.parse(CREATED) + minutes * 60_000).toISOString();
  const end = {
    type: "Updating",
    status: "False" as const,
    reason: "NotUpdating",
    lastTransitionTime,
    ...condition,
  };
  return machine({
    metadata: { name: `m${minutes}`, creationTimestamp: CREATED },
    status: { deprecated: { v1beta1: { conditions: [end] } } },
  });
}

test("the pace is the mean time between the ends of the last updates", () => {
  const machines = [30, 10, 14, 18, 22].map((minutes) => updated(minutes));
  const pace = updatePace(machines);
  expect(pace).toEqual({ updates: 5, eachMs: 5 * 60_000 });
  expect(updateTimeLine(pace, 3)).toBe(
    "about 15m at the pace of the last 5 updates in place, with their pauses",
  );
});

test.each([
  ["four updates", [10, 14, 18, 22].map((minutes) => updated(minutes))],
  ["updates that all ended at once", [10, 10, 10, 10, 10].map((minutes) => updated(minutes))],
  ["a machine that is as it was created", [0, 10, 14, 18, 22].map((minutes) => updated(minutes))],
  [
    "a failed update",
    [...[10, 14, 18, 22].map((minutes) => updated(minutes)), updated(26, { reason: "UpdateFailed" })],
  ],
  ["a text that is not a time", [10, 14, 18, 22, 26].map((m) => updated(m, { lastTransitionTime: "soon" }))],
])("from %s, no pace is known", (_, machines) => {
  expect(updatePace(machines)).toBeUndefined();
  expect(updateTimeLine(undefined, 3)).toBe(
    "how long updates in place take is not known before 5 of them have ended",
  );
});
