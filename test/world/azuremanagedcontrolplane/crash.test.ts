import { crashPointsOf, faultOf, type FaultSpec, rehearse } from "@capstan/sim";
import { expect, test } from "vitest";
import { lifeOf } from "./life.ts";

test("a created cluster ends the same with a crash at any of a sample of its writes", async () => {
  const life = lifeOf("2", ["created"]);
  const calm = await rehearse(life);
  expect(calm.failure).toBeUndefined();
  const points = crashPointsOf(calm).filter((_, index) => index % 75 === 0);
  expect(points.length).toBeGreaterThan(2);
  for (const point of points) {
    const run = await rehearse(life, [faultOf(point)]);
    expect(run.failure, JSON.stringify(point)).toBeUndefined();
    expect(run.end, JSON.stringify(point)).toEqual(calm.end);
  }
});

test.each<[string, FaultSpec["when"]]>([
  ["arm-timeout-applied", { trigger: { probability: 0.1 } }],
  ["kube-conflict", { trigger: { probability: 0.1 } }],
])("a patched cluster ends the same although there is trouble: %s", async (fault, when) => {
  const life = lifeOf("2", ["created", "patched"]);
  const calm = await rehearse(life);
  const run = await rehearse(life, [{ fault, when }]);
  expect(run.failure).toBeUndefined();
  expect(run.end).toEqual(calm.end);
});
