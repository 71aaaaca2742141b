import { crashPointsOf, faultOf, rehearse } from "@capstan/sim";
import { expect, test } from "vitest";
import { upgradeOf } from "./life.ts";

test("a crash during the update of the only machine leads to the same end", async () => {
  const calm = await rehearse(upgradeOf(1));
  expect(calm.failure).toBeUndefined();
  const all = crashPointsOf(calm);
  // The last part of the story plans, marks and updates the machine.
  const points = [0.82, 0.87, 0.91, 0.95].flatMap((share) => all[Math.floor(all.length * share)] ?? []);
  expect(points).toHaveLength(4);
  for (const point of points) {
    const run = await rehearse(upgradeOf(1), [faultOf(point)]);
    expect(run.failure, JSON.stringify(point)).toBeUndefined();
    expect(run.end, JSON.stringify(point)).toEqual(calm.end);
  }
});
