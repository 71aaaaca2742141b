import { crashPointsOf } from "@capstan/sim";
import { expect, test } from "vitest";
import { actStory } from "./crash-story.ts";

const STRIDE = 9;

test("an update in place and a deletion end the same with a crash at a sample of their writes", async () => {
  const calm = await actStory();
  for (const [index, point] of crashPointsOf(calm).entries()) {
    if (index % STRIDE !== 4) continue;
    const { end, hasCrashed } = await actStory(point);
    const where = JSON.stringify(point);
    expect(hasCrashed, `${where} happens`).toBe(true);
    expect(end, where).toEqual(calm.end);
  }
});
