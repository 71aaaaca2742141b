import { crashAt, crashPointsOf, rehearse } from "@capstan/sim";
import { expect, test } from "vitest";
import { everyNth } from "../../sample.ts";
import { type Chapter, lifeOf } from "./life.ts";

// One run takes more than half a second; the whole sweep is for the soak.
const STRIDE = 61;

test.each<Chapter>(["scaled", "deleted"])(
  "a crash before or after any write changes nothing about the end of a cluster that is %s",
  async (until) => {
    const life = lifeOf({ seed: "1", until });
    const calm = await rehearse(life);
    expect(calm.failure).toBeUndefined();
    const points = everyNth(`crashes of an AKS cluster that is ${until}`, crashPointsOf(calm), STRIDE);
    for await (const { point, run } of crashAt(points, life)) {
      const where = JSON.stringify(point);
      expect(run.failure, where).toBeUndefined();
      expect(run.end, where).toEqual(calm.end);
    }
  },
);
