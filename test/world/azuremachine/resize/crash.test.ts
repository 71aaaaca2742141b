import { crashPointsOf, faultOf, type FaultSpec, rehearse } from "@capstan/sim";
import { expect, test } from "vitest";
import { resizeLife } from "./life.ts";

const TROUBLE: readonly FaultSpec[] = Object.entries({
  "arm-unavailable": 0.15,
  "arm-throttled": 0.1,
  "arm-timeout-applied": 0.2,
  "kube-conflict": 0.2,
}).map(([fault, probability]) => ({ fault, when: { trigger: { probability } } }));

test("a crash at a sample of writes, and trouble with Azure and the API server, change no end", async () => {
  const life = resizeLife("1");
  const calm = await rehearse(life);
  expect(calm.failure).toBeUndefined();
  // The last third of the story resizes; `crash.deep.ts` also has a region without room.
  const points = crashPointsOf(calm);
  const sample = points.slice((2 * points.length) / 3).filter((_, index) => index % 61 === 5);
  for (const faults of [...sample.map((point) => [faultOf(point)]), TROUBLE]) {
    const run = await rehearse(life, faults);
    expect(run.failure, JSON.stringify(faults)).toBeUndefined();
    expect(run.end, JSON.stringify(faults)).toEqual(calm.end);
  }
});
