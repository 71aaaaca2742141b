import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { humanDuration, parseTimestamp, since } from "./human-duration.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const YEAR = 365 * DAY;

describe("a duration for people", () => {
  test.each([
    [0, "0s"],
    [999, "0s"],
    [90 * SECOND, "90s"],
    [119 * SECOND, "119s"],
    [2 * MINUTE, "2m"],
    [2 * MINUTE + SECOND, "2m1s"],
    [9 * MINUTE + 59 * SECOND, "9m59s"],
    [10 * MINUTE, "10m"],
    [10 * MINUTE + 59 * SECOND, "10m"],
    [179 * MINUTE, "179m"],
    [3 * HOUR, "3h"],
    [3 * HOUR + 25 * MINUTE, "3h25m"],
    [7 * HOUR + 59 * MINUTE, "7h59m"],
    [8 * HOUR + 59 * MINUTE, "8h"],
    [47 * HOUR, "47h"],
    [2 * DAY, "2d"],
    [2 * DAY + 5 * HOUR, "2d5h"],
    [7 * DAY + 23 * HOUR, "7d23h"],
    [8 * DAY + 23 * HOUR, "8d"],
    [400 * DAY, "400d"],
    [729 * DAY, "729d"],
    [2 * YEAR, "2y"],
    [2 * YEAR + 3 * DAY, "2y3d"],
    [7 * YEAR + 364 * DAY, "7y364d"],
    [8 * YEAR + 364 * DAY, "8y"],
    [16 * YEAR, "16y"],
    [-SECOND, "0s"],
    [-1999, "0s"],
    [-2 * SECOND, "<invalid>"],
  ])("%d ms is %s", (ms, shown) => {
    expect(humanDuration(ms)).toBe(shown);
  });

  test("has at most two units, for any length", () => {
    fc.assert(
      fc.property(fc.nat({ max: 100 * YEAR }), (ms) => {
        expect(humanDuration(ms)).toMatch(/^(?:\d+[smhdy]){1,2}$/);
      }),
    );
  });
});

describe("the time since a timestamp", () => {
  const now = Date.parse("2026-01-01T00:10:00Z");

  test.each([
    ["2026-01-01T00:05:00Z", "5m"],
    ["2026-01-01T01:05:00.5+01:00", "4m59s"],
    ["2027-01-01T00:00:00Z", "<invalid>"],
    ["yesterday", "<invalid>"],
    ["2026-01-01", "<invalid>"],
    ["", "<unknown>"],
    [null, "<unknown>"],
    [undefined, "<unknown>"],
    [7, "<unknown>"],
  ])("%s was %s ago", (timestamp, shown) => {
    expect(since(timestamp, now)).toBe(shown);
  });

  test("an impossible date is not a time", () => {
    expect(parseTimestamp("2026-13-01T00:00:00Z")).toBeUndefined();
  });
});
