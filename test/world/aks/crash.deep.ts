import { crashAt, crashPointsOf, rehearse } from "@capstan/sim";
import { expect, test } from "vitest";
import { everyThird } from "../../sample.ts";
import { type Chapter, lifeOf } from "./life.ts";

test.each<Chapter>(["scaled", "deleted"])(
  "a crash before or after any write changes nothing about the end of a cluster that is %s",
  async (until) => {
    const life = lifeOf({ seed: "1", until });
    const calm = await rehearse(life);
    expect(calm.failure).toBeUndefined();
    const points = everyThird(`crashes of an AKS cluster that is ${until}`, crashPointsOf(calm));
    for await (const { point, run } of crashAt(points, life)) {
      const where = JSON.stringify(point);
      expect(run.failure, where).toBeUndefined();
      expect(run.end, where).toEqual(calm.end);
    }
  },
);
