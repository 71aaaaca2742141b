import { crashPointsOf, faultOf, rehearse } from "@capstan/sim";
import { expect, test } from "vitest";
import { LIVES, leftOf, lifeOf } from "./life.ts";

const SAMPLE = 2;

test.each(LIVES)(
  "a cluster in %j ends the same with a crash at any of a sample of its writes",
  async (life) => {
    const rehearsal = lifeOf({ seed: "1", ...life });
    const calm = await rehearse(rehearsal);
    expect(calm.failure).toBeUndefined();
    if (life.until === "deleted") expect(leftOf(calm.world)).toEqual([]);
    const points = crashPointsOf(calm);
    const step = Math.floor(points.length / SAMPLE);
    // An odd stride would crash only before writes; this one crashes before some and after others.
    for (let index = 3; index < points.length; index += step + (step % 2 === 0 ? 1 : 0)) {
      const point = points[index] ?? { write: 1, isApplied: false };
      const where = JSON.stringify(point);
      const run = await rehearse(rehearsal, [faultOf(point)]);
      expect(run.failure, where).toBeUndefined();
      expect(run.world.managers.running()[0]?.process.name, `${where} happens`).toBe("manager-1.2");
      expect(run.end, where).toEqual(calm.end);
    }
  },
);
