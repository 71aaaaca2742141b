import { crashEverywhere, rehearse } from "@capstan/sim";
import { expect, test } from "vitest";
import { building, life } from "./life.ts";

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
