import { crashPointsOf, faultOf, type FaultSpec, rehearse } from "@capstan/sim";
import { describe, expect, test } from "vitest";
import { armWrites, type Chapter, lifeOf } from "./life.ts";

describe.each<Chapter>(["changed", "deleted"])("a cluster that is %s in the end", (until) => {
  test("ends the same with a crash at any of a sample of its writes", async () => {
    const life = lifeOf({ seed: "1", until });
    const calm = await rehearse(life);
    expect(calm.failure).toBeUndefined();
    const points = crashPointsOf(calm).filter((_, index) => index % 6 === 0);
    expect(points.length).toBeGreaterThan(5);
    for (const point of points) {
      const run = await rehearse(life, [faultOf(point)]);
      expect(run.failure, JSON.stringify(point)).toBeUndefined();
      expect(run.world.managers.running()[0]?.process.name, `${JSON.stringify(point)} happens`).toBe(
        "manager-1.2",
      );
      expect(run.end, JSON.stringify(point)).toEqual(calm.end);
      expect(armWrites(run.world), JSON.stringify(point)).toEqual(armWrites(calm.world));
    }
  });

  test.each<[string, FaultSpec["when"]]>([
    ["arm-unavailable", { trigger: { probability: 0.15 } }],
    ["arm-timeout", { trigger: { probability: 0.2 } }],
    ["arm-timeout-applied", { trigger: { probability: 0.2 } }],
    ["arm-throttled", { trigger: { probability: 0.1 } }],
    ["kube-conflict", { trigger: { probability: 0.2 } }],
    ["kube-reset", { trigger: { probability: 0.25 } }],
  ])("ends the same although there is trouble: %s", async (fault, when) => {
    const life = lifeOf({ seed: "2", until });
    const calm = await rehearse(life);
    const run = await rehearse(life, [{ fault, when }]);
    expect(run.failure).toBeUndefined();
    expect(
      run.world.trace.events.filter(({ happening }) => happening.kind === "fault").length,
    ).toBeGreaterThan(0);
    expect(run.end).toEqual(calm.end);
    expect(armWrites(run.world)).toEqual(armWrites(calm.world));
  });
});
