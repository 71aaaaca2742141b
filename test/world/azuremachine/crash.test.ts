import { crashPointsOf, faultOf, type FaultSpec, rehearse } from "@capstan/sim";
import { describe, expect, test } from "vitest";
import { armWrites } from "../azurecluster/life.ts";
import { type Chapter, lifeOf } from "./life.ts";

describe.each<Chapter>(["created", "deleted"])("a machine that is %s in the end", (until) => {
  test("ends the same with a crash at any of a sample of its writes", async () => {
    const life = lifeOf({ seed: "1", until });
    const calm = await rehearse(life);
    expect(calm.failure).toBeUndefined();
    const points = crashPointsOf(calm).filter((_, index) => index % 5 === 0);
    expect(points.length).toBeGreaterThan(3);
    for (const point of points) {
      const run = await rehearse(life, [faultOf(point)]);
      const where = JSON.stringify(point);
      expect(run.failure, where).toBeUndefined();
      expect(run.end, where).toEqual(calm.end);
      expect(armWrites(run.world), `${where}: nothing is written twice`).toEqual(armWrites(calm.world));
    }
  });

  test.each<[string, FaultSpec["when"]]>([
    ["arm-unavailable", { trigger: { probability: 0.15 } }],
    ["arm-timeout-applied", { trigger: { probability: 0.2 } }],
    ["arm-throttled", { trigger: { probability: 0.1 } }],
    ["kube-conflict", { trigger: { probability: 0.2 } }],
  ])("ends the same although there is trouble: %s", async (fault, when) => {
    const life = lifeOf({ seed: "2", until });
    const calm = await rehearse(life);
    const run = await rehearse(life, [{ fault, when }]);
    expect(run.failure).toBeUndefined();
    expect(run.end).toEqual(calm.end);
    expect(armWrites(run.world)).toEqual(armWrites(calm.world));
  });
});
