import { crashAt, crashPointsOf, rehearse } from "@capstan/sim";
import { expect, test } from "vitest";
import { spreadOver } from "../../../sample.ts";
import { upgradeOf } from "./life.ts";

test.each([
  [1, 8],
  [3, 3],
] as const)(
  "a crash before or after any write or call changes nothing about an update in place of %i machines",
  async (replicas, sample) => {
    const life = upgradeOf(replicas);
    const calm = await rehearse(life);
    expect(calm.failure).toBeUndefined();
    const points = spreadOver(
      `crashes of a control plane of ${replicas} in place`,
      crashPointsOf(calm),
      sample,
    );
    for await (const { point, run } of crashAt(points, life)) {
      const where = JSON.stringify(point);
      expect(run.failure, where).toBeUndefined();
      expect(run.end, where).toEqual(calm.end);
    }
  },
);
