import { readFileSync } from "node:fs";
import { join } from "node:path";
import { MACHINE_POOL_INVARIANTS, rehearse, type Rehearsal, ViolationError } from "@capstan/sim";
import { expect, test } from "vitest";
import { poolControllers } from "../kit/pool-controllers.ts";
import { plantCluster } from "../kit/pool-world.ts";
import { SEEDED_BUGS, type SeededBug, withBug } from "./seeded-bugs.ts";

const SCORECARD = readFileSync(join(import.meta.dirname, "../../../docs/seeded-bugs.md"), "utf8");

function rehearsalOf({ act }: SeededBug, controllers = poolControllers): Rehearsal {
  return {
    world: { seed: "1", controllers, invariants: MACHINE_POOL_INVARIANTS },
    story: async (world) => {
      await plantCluster(world);
      await act(world);
    },
  };
}

test.each(Object.entries(SEEDED_BUGS))(
  "%s: caught, and the scorecard says by whom and when",
  async (name, bug) => {
    const { failure, world } = await rehearse(rehearsalOf(bug, withBug(bug)), bug.faults);
    expect(failure).toBeInstanceOf(ViolationError);
    expect((failure as ViolationError).invariant.name).toBe(bug.caughtBy);
    const step = world.trace.events.find(({ happening }) => happening.kind === "violation")?.step ?? 0;
    const row = `| ${name} | ${bug.mistake} | \`${bug.caughtBy}\` |`;
    const line = SCORECARD.split("\n").find((one) => one.startsWith(row));
    expect(line, `${row} ${step} |`).toBeDefined();
    // Every change of a controller moves the steps; the test only limits how late a bug is detected.
    expect(step).toBeLessThan(2 * Number(line?.slice(row.length).replaceAll(/[|,]/g, "")));
  },
);

test.each(Object.entries(SEEDED_BUGS))("%s: without it the same story succeeds", async (_, bug) => {
  const { failure } = await rehearse(rehearsalOf(bug), bug.faults);
  expect(failure).toBeUndefined();
});
