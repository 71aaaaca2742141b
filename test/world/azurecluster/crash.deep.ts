import { crashAt, crashPointsOf, rehearse } from "@capstan/sim";
import { expect, test } from "vitest";
import { sampledPoints } from "../../sample.ts";
import { armWrites, lifeOf, type LifeOptions } from "./life.ts";

const LIVES: readonly LifeOptions[] = [
  { seed: "1", until: "changed" },
  { seed: "2", until: "deleted" },
  { seed: "3", until: "deleted", group: "own" },
  { seed: "4", until: "deleted", azure: { consistencyLag: { p50: 1, p90: 8 } } },
];

test.each(LIVES)("a crash before or after any write changes nothing about the end of %j", async (options) => {
  const life = lifeOf(options);
  const calm = await rehearse(life);
  expect(calm.failure).toBeUndefined();
  const points = sampledPoints(`crashes of ${JSON.stringify(options)}`, crashPointsOf(calm));
  for await (const { point, run } of crashAt(points, life)) {
    const where = JSON.stringify(point);
    expect(run.failure, where).toBeUndefined();
    expect(run.world.managers.running()[0]?.process.name, `${where} happens`).toBe("manager-1.2");
    expect(run.end, where).toEqual(calm.end);
    expect(armWrites(run.world), `${where}: nothing is written twice`).toEqual(armWrites(calm.world));
  }
});
