import { crashPointsOf, faultOf, rehearse } from "@capstan/sim";
import { expect, test } from "vitest";
import { sampledPoints } from "../../sample.ts";
import { STORM } from "../kit/api-server-faults.ts";
import { building, life } from "./life.ts";

test.each([
  ["building", building],
  ["a whole life", life],
])("a crash before or after any write of %s changes nothing about the end", async (name, rehearsal) => {
  const all = [];
  for (const seed of ["1", "2", "3"]) {
    const { failure, end, writes } = await rehearse(rehearsal(seed));
    expect(failure).toBeUndefined();
    all.push(...crashPointsOf({ writes }).map((point) => ({ seed, point, end })));
  }
  for (const { seed, point, end } of sampledPoints(`crashes of ${name}`, all)) {
    const run = await rehearse(rehearsal(seed), [faultOf(point)]);
    expect(run.failure, `seed ${seed} ${JSON.stringify(point)}`).toBeUndefined();
    expect(run.end, `seed ${seed} ${JSON.stringify(point)}`).toEqual(end);
  }
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
