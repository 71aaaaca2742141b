import { expect, test } from "vitest";
import type { Course } from "../../plan/print/course.ts";
import type { ForecastLanes } from "./forecast-lanes.ts";
import { ownerForecast } from "./owner-forecast.ts";

const MINUTE_MS = 60_000;
const course = (rest: Partial<Course>): Course => ({
  outdated: 4,
  desired: 4,
  maxSurge: 1,
  maxUnavailable: 1,
  isInPlace: false,
  time: { typicalMs: 10 * MINUTE_MS, slowMs: 20 * MINUTE_MS },
  ...rest,
});
const expected = (rest: Partial<Course>) =>
  ownerForecast({ course: course(rest), outdated: ["a", "b", "c", "d"], nowMs: 0 });

const NONE: ForecastLanes = { byName: new Map(), created: [] };

test("waves follow one another until the expected end, and with a surge the new machine comes first", () => {
  const { byName, created } = expected({}) ?? NONE;
  expect(created.map(({ forecast }) => [forecast[0]?.phase, forecast[0]?.fromMs])).toEqual([
    ["create", 0],
    ["create", 0],
    ["create", 5 * MINUTE_MS],
    ["create", 5 * MINUTE_MS],
  ]);
  expect(byName.get("d")?.at(-1)).toMatchObject({ phase: "delete", toMs: 10 * MINUTE_MS });
  expect(byName.get("a")?.[0]?.fromMs).toBe(created[0]?.forecast.at(-1)?.toMs);
});

test("without a surge the old machine goes first", () => {
  const { byName, created } = expected({ maxSurge: 0 }) ?? NONE;
  expect(byName.get("a")?.[0]).toMatchObject({ phase: "drain", fromMs: 0 });
  expect(created[3]?.forecast.at(-1)).toMatchObject({ phase: "boot", toMs: 10 * MINUTE_MS });
});

test("updates in place follow at their pace, and nothing is drawn where no times are known", () => {
  const { time: _, ...unknown } = course({});
  expect(ownerForecast({ course: unknown, outdated: ["a"], nowMs: 0 })).toBeUndefined();
  const updates = expected({ isInPlace: true, pace: { updates: 5, eachMs: MINUTE_MS } });
  expect(updates?.byName.get("c")).toEqual([{ phase: "update", fromMs: 2 * MINUTE_MS, toMs: 3 * MINUTE_MS }]);
});
