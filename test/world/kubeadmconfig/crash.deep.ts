import { crashPointsOf, faultOf, rehearse } from "@capstan/sim";
import { expect, test } from "vitest";
import { sampledPoints, numbersFrom } from "../../sample.ts";
import { crashStory } from "./crash-story.ts";

test("a crash before or after any write leads to the same data, with no token more", async () => {
  const all = [];
  for (const seed of ["1", "2", "3", "4", "5"]) {
    const story = crashStory(seed);
    const calm = await rehearse(story.rehearsal);
    const end = await story.endOf(calm.world);
    all.push(...crashPointsOf(calm).map((point) => ({ seed, story, point, end })));
  }
  expect(all.length).toBeGreaterThan(5 * 16);
  for (const { seed, story, point, end } of sampledPoints("crashes of bootstrap data", all)) {
    const run = await rehearse(story.rehearsal, [faultOf(point)]);
    expect(run.failure, `seed ${seed}, ${JSON.stringify(point)}`).toBeUndefined();
    expect(await story.endOf(run.world), `seed ${seed}, ${JSON.stringify(point)}`).toEqual(end);
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
  const { rehearsal, endOf } = crashStory("1");
  const calm = await rehearse(rehearsal);
  const end = await endOf(calm.world);
  const writes = sampledPoints(`${fault} at writes of bootstrap data`, numbersFrom(1, calm.writes));
  for (const nth of writes) {
    const run = await rehearse(rehearsal, [{ fault, when: { trigger: { nth } } }]);
    expect(run.failure, `write ${nth}`).toBeUndefined();
    expect(await endOf(run.world), `write ${nth}`).toEqual(end);
  }
});
