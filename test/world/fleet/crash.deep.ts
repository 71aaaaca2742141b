import { crashAt, crashPointsOf, rehearse } from "@capstan/sim";
import { expect, test } from "vitest";
import { everyNth } from "../../sample.ts";
import { LIVES, leftOf, lifeOf } from "./life.ts";

// One run is a whole life of a cluster.
const STRIDE = 17;

test.each(LIVES)("a crash before or after any write changes nothing about the end of %j", async (life) => {
  const rehearsal = lifeOf({ seed: "2", ...life });
  const calm = await rehearse(rehearsal);
  expect(calm.failure).toBeUndefined();
  if (life.until === "deleted") expect(leftOf(calm.world)).toEqual([]);
  const points = everyNth(`crashes of ${JSON.stringify(life)}`, crashPointsOf(calm), STRIDE);
  for await (const { point, run } of crashAt(points, rehearsal)) {
    const where = JSON.stringify(point);
    expect(run.failure, where).toBeUndefined();
    expect(run.world.managers.running()[0]?.process.name, `${where} happens`).toBe("manager-1.2");
    expect(run.end, where).toEqual(calm.end);
  }
});
