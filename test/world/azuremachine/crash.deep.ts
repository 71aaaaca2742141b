import { crashAt, crashPointsOf, rehearse } from "@capstan/sim";
import { expect, test } from "vitest";
import { sampledPoints } from "../../sample.ts";
import { armWrites } from "../azurecluster/life.ts";
import { lifeOf } from "./life.ts";

test.each(["1", "2"])(
  "a crash before or after any write changes nothing about the end of life %s",
  async (seed) => {
    const life = lifeOf({ seed, until: "deleted" });
    const calm = await rehearse(life);
    expect(calm.failure).toBeUndefined();
    const points = sampledPoints(`crashes of AzureMachine ${seed}`, crashPointsOf(calm));
    for await (const { point, run } of crashAt(points, life)) {
      const where = JSON.stringify(point);
      expect(run.failure, where).toBeUndefined();
      expect(run.end, where).toEqual(calm.end);
      expect(armWrites(run.world), `${where}: nothing is written twice`).toEqual(armWrites(calm.world));
    }
  },
);
