import { crashPointsOf } from "@capstan/sim";
import { expect, test } from "vitest";
import { sampledPoints } from "../../sample.ts";
import { actStory } from "./crash-story.ts";

test("an update in place and a deletion end the same with a crash at any of their writes", async () => {
  const calm = await actStory();
  for (const point of sampledPoints("crashes of two machines", crashPointsOf(calm))) {
    const { end, hasCrashed } = await actStory(point);
    const where = JSON.stringify(point);
    expect(hasCrashed, `${where} happens`).toBe(true);
    expect(end, where).toEqual(calm.end);
  }
});
