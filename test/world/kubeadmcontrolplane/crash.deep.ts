import { crashAt, crashPointsOf, rehearse } from "@capstan/sim";
import { expect, test } from "vitest";
import { runsAll, spreadOver } from "../../sample.ts";
import { lifeOf } from "./life.ts";

// All points together take more than an hour.
const timeout = runsAll ? 4 * 3_600_000 : 600_000;

test(
  "a crash before or after any write changes nothing about the end of a control plane's life",
  { timeout },
  async () => {
    const life = lifeOf({ seed: "1", until: "deleted" });
    const calm = await rehearse(life);
    expect(calm.failure).toBeUndefined();
    const points = spreadOver("crashes of KubeadmControlPlane", crashPointsOf(calm), 4);
    for await (const { point, run } of crashAt(points, life)) {
      const where = JSON.stringify(point);
      expect(run.failure, where).toBeUndefined();
      expect(run.end, where).toEqual(calm.end);
    }
  },
);
