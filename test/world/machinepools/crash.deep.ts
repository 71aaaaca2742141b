import { crashEverywhere, rehearse } from "@capstan/sim";
import { expect, test } from "vitest";
import { machinesIn, rehearsalOf, STORIES } from "./stories.ts";

test.each(Object.entries(STORIES))(
  "%s: a crash before or after any write changes nothing about the end",
  async (name, { machines }) => {
    const rehearsal = rehearsalOf(name, "2");
    const calm = await rehearse(rehearsal);
    expect(calm.failure).toBeUndefined();
    expect(machinesIn(calm.world)).toBe(machines);
    let runs = 0;
    for await (const { point, run } of crashEverywhere(rehearsal, calm)) {
      runs++;
      const where = JSON.stringify(point);
      expect(run.failure, where).toBeUndefined();
      expect(run.world.managers.running()[0]?.process.name, `${where} happens`).toBe("manager-1.2");
      expect(run.end, where).toEqual(calm.end);
    }
    console.log(`${runs} crashes in ${name}`);
  },
);
