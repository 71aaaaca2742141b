import { crashEverywhere, rehearse } from "@capstan/sim";
import { expect, test } from "vitest";
import { building, life, STORM } from "./life.ts";

test.each([
  ["building", building],
  ["a whole life", life],
])("a crash before or after any write of %s changes nothing about the end", async (_, rehearsal) => {
  let runs = 0;
  for (const seed of ["1", "2", "3"]) {
    const calm = await rehearse(rehearsal(seed));
    expect(calm.failure).toBeUndefined();
    for await (const { point, run } of crashEverywhere(rehearsal(seed), calm)) {
      runs++;
      expect(run.failure, `seed ${seed} ${JSON.stringify(point)}`).toBeUndefined();
      expect(run.end, `seed ${seed} ${JSON.stringify(point)}`).toEqual(calm.end);
    }
  }
  console.log(`${runs} crashes`);
});

test("a storm changes nothing about the end, with one manager or two", async () => {
  for (let seed = 1; seed <= 10; seed++) {
    for (const managers of [1, 2]) {
      const calm = await rehearse(building(String(seed), managers));
      const stormy = await rehearse(building(String(seed), managers), STORM);
      expect(stormy.failure, `seed ${seed}, ${managers} managers`).toBeUndefined();
      expect(stormy.end, `seed ${seed}, ${managers} managers`).toEqual(calm.end);
    }
  }
});
