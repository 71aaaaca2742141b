import { crashPointsOf, faultOf, rehearse } from "@capstan/sim";
import { expect, test } from "vitest";
import { lifeOf } from "./life.ts";

test("an upgrade ends the same with a crash of the manager at some of its writes", async () => {
  const life = lifeOf({ seed: "1", until: "upgraded" });
  const calm = await rehearse(life);
  expect(calm.failure).toBeUndefined();
  const all = crashPointsOf(calm);
  const points = [0.3, 0.62].flatMap((share) => all[Math.floor(all.length * share)] ?? []);
  expect(points).toHaveLength(2);
  for (const point of points) {
    const run = await rehearse(life, [faultOf(point)]);
    const where = JSON.stringify(point);
    expect(run.failure, where).toBeUndefined();
    expect(run.end, where).toEqual(calm.end);
  }
});
