import { crashPointsOf, faultOf, type FaultSpec, rehearse } from "@capstan/sim";
import { expect, test } from "vitest";
import { resizeLife } from "./life.ts";

test.each([true, false])(
  "a crash at a sample of writes repeats none and changes no end, with room: %s",
  async (hasRoom) => {
    const life = resizeLife("1", { hasRoom });
    const calm = await rehearse(life);
    expect(calm.failure).toBeUndefined();
    // The last third of the story resizes.
    const points = crashPointsOf(calm);
    for (const point of points.slice((2 * points.length) / 3).filter((_, index) => index % 37 === 5)) {
      const run = await rehearse(life, [faultOf(point)]);
      expect(run.failure, JSON.stringify(point)).toBeUndefined();
      expect(run.end, JSON.stringify(point)).toEqual(calm.end);
    }
  },
);

test("a machine gets its size although Azure and the API server make trouble", async () => {
  const life = resizeLife("2");
  const calm = await rehearse(life);
  const faults: readonly [string, FaultSpec["when"]][] = [
    ["arm-unavailable", { trigger: { probability: 0.15 } }],
    ["arm-throttled", { trigger: { probability: 0.1 } }],
    ["arm-timeout-applied", { trigger: { probability: 0.2 } }],
    ["kube-conflict", { trigger: { probability: 0.2 } }],
  ];
  for (const [fault, when] of faults) {
    const run = await rehearse(life, [{ fault, when }]);
    expect(run.failure, fault).toBeUndefined();
    expect(run.end, fault).toEqual(calm.end);
  }
});
