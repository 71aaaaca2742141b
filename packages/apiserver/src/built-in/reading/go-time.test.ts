import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readMicroTime, readTime } from "./go-time.ts";

const SECONDS = '"2006-01-02T15:04:05Z07:00"';
const MICROSECONDS = '"2006-01-02T15:04:05.000000Z07:00"';

describe("times", () => {
  test.each([
    ["2026-01-01T00:00:00Z", "2026-01-01T00:00:00Z"],
    ["2026-01-01T00:00:00.987Z", "2026-01-01T00:00:00Z"],
    ["2026-01-01T00:30:00.5+01:00", "2025-12-31T23:30:00Z"],
    ["2026-01-01T1:00:00Z", "2026-01-01T01:00:00Z"],
    ["2024-02-29T00:00:00Z", "2024-02-29T00:00:00Z"],
  ])("%s is stored as %s", (text, stored) => {
    expect(readTime(text)).toBe(stored);
  });

  test.each([
    ["", `parsing time "" as ${SECONDS}: cannot parse "" as "2006"`],
    ["x", `parsing time "x" as ${SECONDS}: cannot parse "x" as "2006"`],
    ["2026-01-01", `parsing time "2026-01-01" as ${SECONDS}: cannot parse "" as "T"`],
    ["2026-13-01T00:00:00Z", 'parsing time "2026-13-01T00:00:00Z": month out of range'],
    ["2026-02-30T00:00:00Z", 'parsing time "2026-02-30T00:00:00Z": day out of range'],
    ["2026-01-01T24:00:00Z", 'parsing time "2026-01-01T24:00:00Z": hour out of range'],
    ["2026-01-01T00:00:00Zx", 'parsing time "2026-01-01T00:00:00Zx": extra text: "x"'],
  ])("%j is refused with Go's message", (text, problem) => {
    expect(() => readTime(text)).toThrow(problem);
  });

  test("the days of each month are those of the calendar, in leap years and others", () => {
    for (const year of ["1900", "2000", "2024", "2026"]) {
      for (let number = 1; number <= 12 * 33; number++) {
        const [month, day] = [Math.ceil(number / 33), (number - 1) % 33].map((part) =>
          `${part}`.padStart(2, "0"),
        );
        const text = `${year}-${month}-${day}T23:59:59Z`;
        const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
        if (date.getUTCDate() === Number(day)) expect(readTime(text)).toBe(text);
        else expect(() => readTime(text)).toThrow(`parsing time "${text}": day out of range`);
      }
    }
  });

  test.each(["24:00:00", "23:60:00", "23:59:60", "99:00:00"])("%s is not a time of the day", (time) => {
    expect(() => readTime(`2026-01-01T${time}Z`)).toThrow("out of range");
  });

  test("a time to the microsecond has exactly six digits", () => {
    expect(readMicroTime("2026-02-03T01:00:00.123456+01:00")).toBe("2026-02-03T00:00:00.123456Z");
    expect(() => readMicroTime("2026-01-01T00:00:00Z")).toThrow(
      `parsing time "2026-01-01T00:00:00Z" as ${MICROSECONDS}: cannot parse "Z" as ".000000"`,
    );
    expect(() => readMicroTime("2026-01-01T00:00:00.0000001Z")).toThrow(
      `as ${MICROSECONDS}: cannot parse "1Z" as "Z07:00"`,
    );
  });

  test("a stored value is read unchanged", () => {
    fc.assert(
      fc.property(fc.date({ noInvalidDate: true, min: new Date(0), max: new Date(4e12) }), (date) => {
        const text = date.toISOString();
        expect(readTime(readTime(text))).toBe(readTime(text));
        expect(Date.parse(readTime(text))).toBe(Math.floor(date.getTime() / 1000) * 1000);
      }),
    );
  });
});
