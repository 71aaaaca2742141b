import { Cluster, Event, Lease, Machine, MachineSet, Namespace } from "@capstan/api";
import { createApiServer } from "@capstan/apiserver";
import { Scheduler, VirtualProcess } from "@capstan/env";
import { again, type Context, defineReconciler, WorkQueue } from "@capstan/runtime";
import { conditionMatchers } from "@capstan/runtime/testing/matchers";
import { ControllerTestBed } from "@capstan/runtime/testing/test-bed";
import { describe, expect, test } from "vitest";
import { machineSet } from "../proof/proof-world.ts";
import { createTroubledWorld } from "./troubled-world.ts";

expect.extend(conditionMatchers);

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const YEAR = 365 * DAY;
const fleet = { name: "fleet", namespace: "default" };

describe.each([
  ["forward", YEAR, []],
  // Timestamps in the future: if they were kept, no duration would pass within a year.
  ["back", -YEAR, [expect.stringMatching(/^PATCH .*\/machinesets\/fleet\/status/)]],
])("a wall clock that jumps a year %s", (_, jumpMs, corrections) => {
  test("in the middle of a pass neither stops it nor repeats a write", async () => {
    const { world, depot } = createTroubledWorld({ lease: true });
    await world.apply(MachineSet, machineSet("fleet", 3));
    world.start();
    for (let jump = 0; jump < 4; jump++) {
      await world.scheduler.advance(5_000);
      world.scheduler.jumpWallClock(jump % 2 === 0 ? jumpMs : -jumpMs);
    }
    await world.settle();
    expect(await world.get(MachineSet, fleet)).toHaveCondition("Ready", "True", "Reconciled");
    expect(await world.run(world.client.list(Machine))).toHaveLength(3);
    expect([...depot.begun.values()]).toEqual([1]);
  });

  test("after everything is settled causes no write except of timestamps in the future and of the Lease", async () => {
    const { world } = createTroubledWorld({ lease: true });
    await world.apply(MachineSet, machineSet("fleet", 3));
    world.start();
    await world.settle();
    const before = world.writes.length;
    world.scheduler.jumpWallClock(jumpMs);
    await world.scheduler.advance(30 * MINUTE);
    expect(world.writes.slice(before)).toEqual(corrections);
    const lease = await world.get(Lease, { name: "capstan", namespace: "kube-system" });
    expect(Math.abs(Date.parse(lease.spec?.renewTime ?? "") - world.scheduler.wallMs)).toBeLessThan(5_000);
    await world.apply(MachineSet, machineSet("fleet", 4));
    await world.settle();
    expect(await world.run(world.client.list(Machine))).toHaveLength(4);
  });
});

describe("an interval of 30 days", () => {
  test("in the queue is kept to the millisecond, although setTimeout could not hold it", async () => {
    const scheduler = new Scheduler({ seed: "1" });
    const queue = new WorkQueue({ env: new VirtualProcess(scheduler, "manager"), name: "sets" });
    queue.addAfter("fleet", 30 * DAY);
    await scheduler.run({ until: () => queue.depth > 0 });
    expect(scheduler.monotonicMs).toBe(30 * DAY);
  });

  test("requested by a reconciler is kept in spite of the resyncs", async () => {
    const actions: number[] = [];
    const patient = defineReconciler<MachineSet, Context<MachineSet>>({
      name: "patient",
      for: MachineSet,
      scope: (context) => context,
      normal: [
        ({ env }) => {
          const last = actions.at(-1) ?? -Infinity;
          const dueMs = last + 30 * DAY;
          if (env.clock.monotonic() >= dueMs) actions.push(env.clock.monotonic());
          return again((actions.at(-1) ?? 0) + 30 * DAY - env.clock.monotonic(), "Patience");
        },
      ],
    });
    const world = new ControllerTestBed({
      server: (env) =>
        createApiServer({ env, kinds: [Namespace, Event, Lease, Cluster, Machine, MachineSet] }).handle,
      reconcilers: () => [patient],
    });
    await world.apply(MachineSet, machineSet("fleet", 1));
    world.start();
    await world.scheduler.advance(MINUTE);
    await world.scheduler.advance(31 * DAY);
    expect(actions).toHaveLength(2);
    const [first = 0, second = 0] = actions;
    expect(second - first).toBeGreaterThanOrEqual(30 * DAY);
    expect(second - first).toBeLessThan(30 * DAY + 1000);
  });
});
