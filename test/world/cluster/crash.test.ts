import { crashPointsOf, faultOf, rehearse } from "@capstan/sim";
import { describe, expect, test } from "vitest";
import { STORM } from "../kit/api-server-faults.ts";
import { building, life } from "./life.ts";

describe.each([
  ["building", building],
  ["a whole life", life],
])("a crash during %s", (_, rehearsal) => {
  test("does not change the result, at a sample of all writes", async () => {
    const calm = await rehearse(rehearsal("1"));
    expect(calm.failure).toBeUndefined();
    const points = crashPointsOf(calm);
    for (const point of points.filter((_point, index) => index % 21 === 3)) {
      const run = await rehearse(rehearsal("1"), [faultOf(point)]);
      expect(run.failure, JSON.stringify(point)).toBeUndefined();
      expect(run.end, JSON.stringify(point)).toEqual(calm.end);
    }
  });
});

test("a storm over two managers does not change the result", async () => {
  const calm = await rehearse(building("1", 2));
  const stormy = await rehearse(building("1", 2), STORM);
  expect(stormy.failure).toBeUndefined();
  expect(stormy.end).toEqual(calm.end);
});
