import { crashPointsOf, faultOf, rehearse } from "@capstan/sim";
import { expect, test } from "vitest";
import { crashStory } from "./crash-story.ts";

test("a crash before or after a write leads to the same data, without an additional token", async () => {
  const rehearsal = crashStory("1");
  const calm = await rehearse(rehearsal);
  expect(calm.failure).toBeUndefined();
  expect(calm.end).toMatchObject({ tokens: 2, isTokenKnown: true, answer: "m2.a.0" });
  // Every fifth; the others are in the deep tests.
  const points = crashPointsOf(calm).filter((_, index) => index % 5 === 1);
  for (const point of points) {
    const run = await rehearse(rehearsal, [faultOf(point)]);
    expect(run.failure, JSON.stringify(point)).toBeUndefined();
    expect(run.end, JSON.stringify(point)).toEqual(calm.end);
  }
});
