import { crashPointsOf, faultOf, rehearse } from "@capstan/sim";
import { describe, expect, test } from "vitest";
import { STORM } from "../kit/api-server-faults.ts";
import { rehearsalOf, STORIES } from "./life.ts";

describe.each(Object.keys(STORIES))("a crash during the story %s", (story) => {
  test("does not change the end, at a sample of all writes", async () => {
    const calm = await rehearse(rehearsalOf(story, "1"));
    expect(calm.failure).toBeUndefined();
    const points = crashPointsOf(calm);
    for (const point of points.filter((_, index) => index % 97 === 31)) {
      const run = await rehearse(rehearsalOf(story, "1"), [faultOf(point)]);
      expect(run.failure, JSON.stringify(point)).toBeUndefined();
      expect(run.end, JSON.stringify(point)).toEqual(calm.end);
    }
  });
});

test("caches that lag behind, lost answers and crashes never lead to a machine or a MachineSet too many", async () => {
  const calm = await rehearse(rehearsalOf("roll", "1", 2));
  const stormy = await rehearse(rehearsalOf("roll", "1", 2), STORM);
  expect(stormy.failure).toBeUndefined();
  expect(stormy.end).toEqual(calm.end);
});
