import { crashPointsOf, faultOf, rehearse } from "@capstan/sim";
import { expect, test } from "vitest";
import { STORM } from "../../kit/api-server-faults.ts";
import { rehearsalOf } from "./life.ts";

test("a crash during the hand-over of a machine loses no machine and creates none", async () => {
  const calm = await rehearse(rehearsalOf("update", "1"));
  expect(calm.failure).toBeUndefined();
  const points = crashPointsOf(calm);
  // The second half of the story moves and updates machines.
  for (const point of points.slice(points.length / 2).filter((_, index) => index % 29 === 3)) {
    const run = await rehearse(rehearsalOf("update", "1"), [faultOf(point)]);
    expect(run.failure, JSON.stringify(point)).toBeUndefined();
    expect(run.end, JSON.stringify(point)).toEqual(calm.end);
  }
});

test("caches that lag behind, lost answers and crashes do not change the end of an update", async () => {
  const calm = await rehearse(rehearsalOf("update", "1", 2));
  const stormy = await rehearse(rehearsalOf("update", "1", 2), STORM);
  expect(stormy.failure).toBeUndefined();
  expect(stormy.end).toEqual(calm.end);
});
