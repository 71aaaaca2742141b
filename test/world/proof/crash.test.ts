import { createHash } from "node:crypto";
import { MachineSet } from "@capstan/api";
import { describe, expect, test } from "vitest";
import { crashesOf, runStory } from "./crash-sweep.ts";
import { createProofWorld, machineSet } from "./proof-world.ts";

function summary(state: unknown): string {
  const { machines, slots, reservations } = state as {
    machines: boolean[];
    slots: number;
    reservations: number[];
  };
  expect(machines.every(Boolean), "every machine has the owner").toBe(true);
  expect(reservations, "one reservation, never repeated").toEqual([1]);
  return `${machines.length} ${machines.length === 1 ? "machine" : "machines"}, ${slots} ${slots === 1 ? "slot" : "slots"}`;
}

describe("a crash", () => {
  test("before or after any write does not change the result", async () => {
    for (const seed of ["1", "2", "3"]) {
      const calm = await runStory(seed);
      expect(calm.states.map(summary)).toEqual([
        "3 machines, 1 slot",
        "1 machine, 1 slot",
        "2 machines, 1 slot",
        "0 machines, 0 slots",
      ]);
      for (const crash of crashesOf(calm)) {
        const story = await runStory(seed, crash);
        expect(story.crashed, `seed ${seed}: write ${crash.write} happens`).toBe(true);
        expect(story.states, `seed ${seed}, ${crash.fate} write ${crash.write}`).toEqual(calm.states);
      }
    }
  });
});

async function traceOf(seed: string): Promise<string> {
  const hash = createHash("sha256");
  const { world } = createProofWorld({ seed, onStep: (atMs, label) => hash.update(`${atMs} ${label}\n`) });
  for (const name of ["a", "b", "c", "d"]) await world.apply(MachineSet, machineSet(name, 3));
  world.start();
  await world.settle();
  return hash.digest("hex");
}

describe("a virtual run", () => {
  test("is the same step for step with the same seed, and another with another", async () => {
    expect(await traceOf("1")).toBe(await traceOf("1"));
    expect(await traceOf("1")).not.toBe(await traceOf("2"));
  });
});
