import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { durationProblem, formatDuration, parseDuration } from "./duration.ts";

const SECOND = 1000;
const HOUR = 3_600_000;

describe("parseDuration", () => {
  test.each([
    ["0", 0],
    ["-0", 0],
    ["+0", 0],
    ["5s", 5 * SECOND],
    ["30s", 30 * SECOND],
    ["1478s", 1478 * SECOND],
    ["-5s", -5 * SECOND],
    ["+5s", 5 * SECOND],
    ["5.0s", 5 * SECOND],
    ["5.6s", 5600],
    ["5.s", 5 * SECOND],
    [".5s", 500],
    ["1.004s", 1004],
    ["100.00100s", 100_001],
    ["10ns", 0.00001],
    ["11us", 0.011],
    ["12µs", 0.012],
    ["12μs", 0.012],
    ["13ms", 13],
    ["14s", 14 * SECOND],
    ["15m", 15 * 60 * SECOND],
    ["16h", 16 * HOUR],
    ["1h30m", 1.5 * HOUR],
    ["-1.5h", -1.5 * HOUR],
    ["3h30m10.5s", 3.5 * HOUR + 10_500],
    ["-2m3.4s", -123_400],
    ["52763797000ns", 52_763.797],
    ["0.3333333333333333333h", 20 * 60 * SECOND],
    ["0.9223372036854775807h", 3_320_413.933267],
    ["1218h6m6.946487s", 4_385_166_946.487],
    ["9223372036854775807ns", 9_223_372_036_854.775],
    ["-9223372036854775808ns", -9_223_372_036_854.775],
    ["-9223372036854775.808us", -9_223_372_036_854.775],
    ["2562047h47m16.854775807s", 9_223_372_036_854.775],
  ])("reads %s as %d ms", (text, milliseconds) => {
    expect(parseDuration(text)).toBe(milliseconds);
  });

  test.each([
    ["", 'time: invalid duration ""'],
    ["3", 'time: missing unit in duration "3"'],
    ["-", 'time: invalid duration "-"'],
    ["s", 'time: invalid duration "s"'],
    [".", 'time: invalid duration "."'],
    ["-.", 'time: invalid duration "-."'],
    [".s", 'time: invalid duration ".s"'],
    ["+.s", 'time: invalid duration "+.s"'],
    ["1d", 'time: unknown unit "d" in duration "1d"'],
    ["1 h", 'time: unknown unit " h" in duration "1 h"'],
    ["1H", 'time: unknown unit "H" in duration "1H"'],
    [" 1h", 'time: invalid duration " 1h"'],
    ["1h-2m", 'time: unknown unit "h-" in duration "1h-2m"'],
    ["--1h", 'time: invalid duration "--1h"'],
    ["1e3s", 'time: unknown unit "e" in duration "1e3s"'],
    ["٣s", 'time: invalid duration "٣s"'],
    ["9223372036854775808ns", "time: invalid duration"],
    ["9223372036854775810ns", "time: invalid duration"],
    ["9223372036854775.808us", "time: invalid duration"],
    ["-9223372036854775809ns", "time: invalid duration"],
    ["3000000h", "time: invalid duration"],
    ["2562047h47m16.854775808s", "time: invalid duration"],
  ])("refuses %j as Go does, with what is expected", (text, message) => {
    expect(durationProblem(text)).toContain(message);
    expect(durationProblem(text)).toContain("such as 1h30m");
  });

  test("answers a long hostile text in linear time with a short message", () => {
    const long = 200_000;
    for (const text of ["9".repeat(long), "0".repeat(long), "1".padEnd(long, "."), `1${"x".repeat(long)}`]) {
      expect(durationProblem(text)?.length).toBeLessThan(400);
    }
    expect(parseDuration("1h".repeat(long))).toBe(long * HOUR);
    expect(parseDuration(`${"0".repeat(long)}1h`)).toBe(HOUR);
    expect(parseDuration(`0.${"3".repeat(long)}h`)).toBe(20 * 60 * SECOND);
  });

  test("reads back every duration of the whole range as the number it printed", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), (nanoseconds) => {
        const milliseconds = parseDuration(`${nanoseconds}ns`);
        expect(parseDuration(formatDuration(milliseconds))).toBe(milliseconds);
      }),
      { examples: [[4_385_166_946_487_000n], [2n ** 63n - 1n], [-(2n ** 63n)]] },
    );
  });

  test("keeps every nanosecond of up to 99 days", () => {
    const limit = 99n * 24n * 3_600_000_000_000n;
    fc.assert(
      fc.property(fc.bigInt({ min: -limit, max: limit }), (nanoseconds) => {
        const text = formatDuration(parseDuration(`${nanoseconds}ns`));
        expect(sumOfTerms(text)).toBe(nanoseconds);
      }),
      { examples: [[4_385_166_946_487_000n], [limit], [-limit]] },
    );
  });

  test("keeps every microsecond that a number of milliseconds can say", () => {
    fc.assert(
      fc.property(fc.integer({ min: -(2 ** 45), max: 2 ** 45 }), (microseconds) => {
        const milliseconds = microseconds / 1000;
        expect(parseDuration(formatDuration(milliseconds))).toBe(milliseconds);
      }),
      { examples: [[4_385_166_946_487]] },
    );
  });

  test("either parses a text or explains why not", () => {
    const piece = fc.constantFrom("1", "9", "0", ".", "h", "m", "s", "ms", "µs", "-", "+", " ", "d");
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const text = pieces.join("");
        if (durationProblem(text) === undefined) expect(parseDuration(text)).not.toBeNaN();
      }),
    );
  });
});

describe("formatDuration", () => {
  test.each([
    [0, "0s"],
    [1.5 * HOUR, "1h30m0s"],
    [1500, "1.5s"],
    [300_000, "5m0s"],
    [60_000, "1m0s"],
    [61_000, "1m1s"],
    [59_999, "59.999s"],
    [10, "10ms"],
    [1.1, "1.1ms"],
    [0.0022, "2.2µs"],
    [0.000001, "1ns"],
    [-1500, "-1.5s"],
    [10 * SECOND, "10s"],
    [4_385_166_946.487, "1218h6m6.946487s"],
  ])("prints %d ms as %s", (milliseconds, text) => {
    expect(formatDuration(milliseconds)).toBe(text);
  });
});

/** What a printed duration adds up to, in nanoseconds and without floating point. */
function sumOfTerms(text: string): bigint {
  const second = 10n ** 9n;
  const sizes = { ns: 1n, µs: 1000n, ms: 1_000_000n, s: second, m: 60n * second, h: 3600n * second };
  let sum = 0n;
  for (const [, whole = "", fraction = "", unit = ""] of text.matchAll(/(\d+)(?:\.(\d+))?([a-zµ]+)/g)) {
    const size = sizes[unit as keyof typeof sizes];
    sum += BigInt(whole) * size + (BigInt(fraction || "0") * size) / 10n ** BigInt(fraction.length);
  }
  return text.startsWith("-") ? -sum : sum;
}
