import { expect, test } from "vitest";
import { roundingNote } from "./budget.ts";
import { pool } from "./plan.fixture.ts";

test("limits that round to 0 give a note with the limit that applies instead", () => {
  const view = pool({ desired: 9, maxSurge: 0, maxUnavailable: "10%" });
  expect(roundingNote(view)).toBe(
    'maxSurge 0 and maxUnavailable "10%" round to 0 for 9 machines; 1 machine at a time may be unavailable',
  );
});

test.each([
  [{ desired: 10, maxSurge: 0, maxUnavailable: "10%" }],
  [{ desired: 3, maxSurge: "1%", maxUnavailable: "10%" }],
  [{ desired: 3, maxSurge: 1, maxUnavailable: 0 }],
  [{ desired: 0, maxSurge: 0, maxUnavailable: "10%" }],
])("%j gives no note", (limits) => {
  expect(roundingNote(pool(limits))).toBeUndefined();
});
