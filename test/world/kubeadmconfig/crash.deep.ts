import { crashPointsOf, faultOf, rehearse } from "@capstan/sim";
import { expect, test } from "vitest";
import { sampledPoints, numbersFrom } from "../../sample.ts";
import { crashStory } from "./crash-story.ts";

test("a crash before or after any write leads to the same data, with no token more", async () => {
  const all = [];
  for (const seed of ["1", "2", "3", "4", "5"]) {
    const rehearsal = crashStory(seed);
    const calm = await rehearse(rehearsal);
    all.push(...crashPointsOf(calm).map((point) => ({ seed, rehearsal, point, end: calm.end })));
  }
  expect(all.length).toBeGreaterThan(5 * 16);
  for (const { seed, rehearsal, point, end } of sampledPoints("crashes of bootstrap data", all)) {
    const run = await rehearse(rehearsal, [faultOf(point)]);
    expect(run.failure, `seed ${seed}, ${JSON.stringify(point)}`).toBeUndefined();
    expect(run.end, `seed ${seed}, ${JSON.stringify(point)}`).toEqual(end);
  }
});

const FAULTS = [
  "kube-conflict",
  "kube-already-exists",
  "kube-not-found",
  "kube-forbidden",
  "kube-refused",
  "kube-throttled",
  "kube-unavailable",
  "kube-timeout-applied",
  "kube-reset",
  "workload-unreachable",
];

test.each(FAULTS)("%s at any write leads to the same data, with no token more", async (fault) => {
  const rehearsal = crashStory("1");
  const calm = await rehearse(rehearsal);
  const writes = sampledPoints(`${fault} at writes of bootstrap data`, numbersFrom(1, calm.writes));
  for (const nth of writes) {
    const run = await rehearse(rehearsal, [{ fault, when: { trigger: { nth } } }]);
    expect(run.failure, `write ${nth}`).toBeUndefined();
    expect(run.end, `write ${nth}`).toEqual(calm.end);
  }
});
