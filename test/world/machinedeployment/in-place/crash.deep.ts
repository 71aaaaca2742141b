import { crashPointsOf, faultOf, rehearse } from "@capstan/sim";
import { expect, test } from "vitest";
import { firstOf, repetitions } from "../../../sample.ts";
import { STORM } from "../../kit/api-server-faults.ts";
import { rehearsalOf, STORIES } from "./life.ts";

const SAMPLE = 2;
// A prime, so that all points come in turn, before and after writes. The first two thirds prepare machines in most stories.
const STRIDE = 37;
const FIRST_SHARE = 0.7;

test.each(Object.keys(STORIES))(
  "a crash before or after any write or call of an updater during %s changes nothing about the end",
  async (story) => {
    const calm = await rehearse(rehearsalOf(story, "1"));
    expect(calm.failure).toBeUndefined();
    const points = crashPointsOf(calm);
    const spread = points.map((_, index) => {
      const first = Math.floor(points.length * FIRST_SHARE);
      return points[(first + index * STRIDE) % points.length] ?? points[0];
    });
    for (const point of firstOf(`crashes of ${story} in place`, spread, SAMPLE)) {
      if (!point) continue;
      const run = await rehearse(rehearsalOf(story, "1"), [faultOf(point)]);
      expect(run.failure, JSON.stringify(point)).toBeUndefined();
      expect(run.end, JSON.stringify(point)).toEqual(calm.end);
    }
  },
);

test("a storm changes nothing about the end of an update, with one manager or two", async () => {
  const count = repetitions("storms over an update in place", 2, 50);
  for (let seed = 11; seed < 11 + count; seed++) {
    for (const managers of [1, 2]) {
      const calm = await rehearse(rehearsalOf("update", String(seed), managers));
      const stormy = await rehearse(rehearsalOf("update", String(seed), managers), STORM);
      expect(stormy.failure, `seed ${seed}, ${managers} managers`).toBeUndefined();
      expect(stormy.end, `seed ${seed}, ${managers} managers`).toEqual(calm.end);
    }
  }
});
