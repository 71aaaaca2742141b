import { expect, test } from "vitest";
import { ageText } from "./age.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

test.each([
  [-5 * SECOND, "0s"],
  [0, "0s"],
  [59 * SECOND, "59s"],
  [119 * SECOND, "119s"],
  [2 * MINUTE, "2m"],
  [5 * MINUTE + 10 * SECOND, "5m10s"],
  [12 * MINUTE + 30 * SECOND, "12m"],
  [3 * HOUR + 5 * MINUTE, "3h5m"],
  [30 * HOUR, "30h"],
  [3 * DAY + 2 * HOUR, "3d2h"],
  [400 * DAY, "400d"],
])("%i ms are %s", (ms, expected) => {
  expect(ageText(ms)).toBe(expected);
});
