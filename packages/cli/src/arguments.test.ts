import { expect, test } from "vitest";
import { count, durationMs, portNumber, positiveNumber, share } from "./arguments.ts";

test.each([
  ["250ms", 250],
  ["90s", 90_000],
  ["1.5m", 90_000],
  ["1h30m", 5_400_000],
  ["1d", 86_400_000],
  ["2m3s4ms", 123_004],
])("the duration %s has %i ms", (text, ms) => {
  expect(durationMs(text)).toBe(ms);
});

test.each([
  [durationMs, ["", "0s", "10", "s", "-5s", "5 s", "1h 30m", "5x", "5sx", "1e3s"]],
  [portNumber, ["", "-1", "65536", "1.5", "0x10"]],
  [positiveNumber, ["", " ", "0", "-1", "Infinity", "NaN", "fast"]],
  [count, ["", "-1", "1.5", "1e3", "two"]],
  [share, ["", "0", "1.01", "-0.5", "half"]],
])("%o refuses invalid values", (parse, texts) => {
  for (const text of texts) expect(() => parse(text), text).toThrow(/^Expected /);
});

test("numbers are read as they are written", () => {
  expect([portNumber("0"), portNumber("65535")]).toEqual([0, 65_535]);
  expect([positiveNumber("0.5"), positiveNumber("1e3"), count("0"), share("1")]).toEqual([0.5, 1000, 0, 1]);
});
