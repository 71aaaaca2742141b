import { crashAt, crashPointsOf, failureReport, faultsOf, rehearse, ViolationError } from "@capstan/sim";
import { next } from "@capstan/runtime";
import { describe, expect, test } from "vitest";
import { BROKEN, brokenController } from "./broken-controllers.ts";
import { proofRehearsal } from "./harness.ts";
import { proofController } from "./proof-controller.ts";

const GOOD_END = { machines: 0, sets: 0, slots: 0, reservations: [1] };

describe("the proof controller in the whole world", () => {
  test("completes its story, and the same seed gives the same run", async () => {
    const run = await rehearse(proofRehearsal({ seed: "1" }));
    expect(run.failure).toBeUndefined();
    expect(run.end).toEqual(GOOD_END);
    const again = await rehearse(proofRehearsal({ seed: "1" }));
    expect(again.world.trace.hash).toBe(run.world.trace.hash);
    const other = await rehearse(proofRehearsal({ seed: "2" }));
    expect(other.world.trace.hash).not.toBe(run.world.trace.hash);
  });

  test("ends the same after a crash before or after any of its writes", async () => {
    const rehearsal = proofRehearsal({ seed: "1" });
    const calm = await rehearse(rehearsal);
    let points = 0;
    for await (const { point, run } of crashAt(crashPointsOf(calm), rehearsal)) {
      points++;
      expect(run.failure, JSON.stringify(point)).toBeUndefined();
      expect(run.end, JSON.stringify(point)).toEqual(calm.end);
      const crashes = run.world.trace.events.filter(
        ({ happening }) => happening.kind === "process" && happening.event === "crashed",
      );
      expect(crashes, JSON.stringify(point)).toHaveLength(1);
    }
    expect(points).toBe(2 * calm.writes);
  });

  test("completes its story in storms of all kinds, alone and with a second manager", async () => {
    for (let seed = 1; seed <= 12; seed++) {
      const faults = faultsOf("swarm", String(seed));
      const run = await rehearse(proofRehearsal({ seed: String(seed), managers: 1 + (seed % 2) }), faults);
      expect(run.failure, `seed ${seed}`).toBeUndefined();
      expect(run.end, `seed ${seed}`).toEqual(GOOD_END);
    }
  });
});

describe("a controller that", () => {
  test.each(Object.entries(BROKEN))("%s is detected, with a story", async (_, broken) => {
    const { managers } = broken;
    const run = await rehearse(
      proofRehearsal({
        seed: "1",
        ...(managers !== undefined && { managers }),
        controller: (connections) => brokenController(connections, broken),
      }),
      broken.faults,
    );
    expect(run.failure).toBeInstanceOf(ViolationError);
    const { invariant } = run.failure as ViolationError;
    expect(invariant.name).toBe(broken.caughtBy);
    const report = failureReport({ invariant, events: run.world.trace.events, command: "replay" });
    expect(report).toContain(`${broken.caughtBy} does not hold: ${invariant.says}`);
    expect(report).toMatch(/at step \d+, \d\d:\d\d:\d\d: /);
  });
});

test("a controller that removes a user's fields is detected", async () => {
  const rehearsal = proofRehearsal({
    seed: "1",
    controller: (connections) =>
      proofController(connections.connect("https://depot"), {
        first: [
          ({ set }) => {
            delete set.metadata.annotations?.["user.example.com/note"];
            return next;
          },
        ],
      }),
  });
  const edit = { fault: "user-edit", when: { moments: { everyMs: 60_000 } } };
  expect((await rehearse(rehearsal, [edit])).failure?.message).toMatch(
    /^nothing-lost: MachineSet fleet has lost/,
  );
});
