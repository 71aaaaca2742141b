import { crashPointsOf, faultOf, rehearse } from "@capstan/sim";
import { expect, test } from "vitest";
import { machinesIn, rehearsalOf, STORIES } from "./stories.ts";

const SAMPLE = 3;

test.each(Object.entries(STORIES))(
  "%s: the end is the same with a crash at any of a sample of its writes",
  async (name, { machines }) => {
    const rehearsal = rehearsalOf(name, "1");
    const calm = await rehearse(rehearsal);
    expect(calm.failure).toBeUndefined();
    expect(machinesIn(calm.world)).toBe(machines);
    const points = crashPointsOf(calm);
    // The cluster comes to be in the first half; an odd stride is before some writes and after others.
    const step = Math.floor(points.length / 2 / SAMPLE) | 1;
    for (let index = points.length - 2; index > points.length / 2; index -= step) {
      const point = points[index] ?? { write: 1, isApplied: false };
      const where = JSON.stringify(point);
      const run = await rehearse(rehearsal, [faultOf(point)]);
      expect(run.failure, where).toBeUndefined();
      expect(run.world.managers.running()[0]?.process.name, `${where} happens`).toBe("manager-1.2");
      expect(run.end, where).toEqual(calm.end);
    }
  },
);
