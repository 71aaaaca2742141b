import { expect, test } from "vitest";
import { formatTimestamp } from "./timestamp.ts";

test("prints each time in whole seconds, independent of earlier calls", () => {
  const moment = Date.UTC(2026, 10, 15, 9, 30, 0);
  const printed = [0, 999, 1000, 0, -1, 59_999].map((offset) => formatTimestamp(moment + offset));
  expect(printed.map((text) => text.slice(11))).toEqual([
    "09:30:00Z",
    "09:30:00Z",
    "09:30:01Z",
    "09:30:00Z",
    "09:29:59Z",
    "09:30:59Z",
  ]);
  expect(printed[0]).toBe("2026-11-15T09:30:00Z");
});

test("an invalid time is refused, also twice", () => {
  for (const _ of [1, 2]) expect(() => formatTimestamp(Number.NaN)).toThrow(RangeError);
});
