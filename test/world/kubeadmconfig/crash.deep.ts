import { crashEverywhere, rehearse } from "@capstan/sim";
import { expect, test } from "vitest";
import { crashStory } from "./crash-story.ts";

test("a crash before or after any write leads to the same data, with no token more", async () => {
  let runs = 0;
  for (const seed of ["1", "2", "3", "4", "5"]) {
    const { rehearsal, endOf } = crashStory(seed);
    const calm = await rehearse(rehearsal);
    const end = await endOf(calm.world);
    for await (const { point, run } of crashEverywhere(rehearsal, calm)) {
      runs++;
      expect(run.failure, `seed ${seed}, ${JSON.stringify(point)}`).toBeUndefined();
      expect(await endOf(run.world), `seed ${seed}, ${JSON.stringify(point)}`).toEqual(end);
    }
  }
  console.log(`${runs} crashes`);
  expect(runs).toBeGreaterThan(5 * 16);
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
  for (let nth = 1; nth <= calm.writes; nth++) {
    const run = await rehearse(rehearsal, [{ fault, when: { trigger: { nth } } }]);
    expect(run.failure, `write ${nth}`).toBeUndefined();
    expect(await endOf(run.world), `write ${nth}`).toEqual(end);
  }
});
