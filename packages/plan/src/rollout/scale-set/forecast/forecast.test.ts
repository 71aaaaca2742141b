import { resolveRolloutBudget } from "@capstan/api";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { machine, pool, unavailable } from "../plan.fixture.ts";
import { type MachineView, type PoolView } from "../view.ts";
import { type Forecast, forecastPool } from "./forecast.ts";
import type { RolloutStep, StepTimes } from "./step-times.ts";

const SECOND = 1000;
const SECONDS: Readonly<Record<RolloutStep, number>> = {
  put: 1,
  create: 40,
  boot: 60,
  minReady: 0,
  drain: 30,
  delete: 10,
  update: 20,
  notice: 0,
  list: 0,
};
const TIMES: StepTimes = (step) => SECONDS[step] * SECOND;
const MADE = 101;
const GONE = 40;
const UPDATED = 110;

const forecast = (differences: Partial<PoolView>): Forecast => forecastPool(pool(differences), TIMES);
const pickedIn = ({ waves }: Forecast): string[] =>
  waves.map(({ actions }) =>
    actions
      .filter(({ action }) => action.action === "DeleteMachine" || action.action === "UpdateMachineInPlace")
      .flatMap(({ action }) => action.targets)
      .join(" "),
  );

describe("a forecast", () => {
  test("of a settled pool is empty", () => {
    expect(forecast({})).toEqual({
      waves: [],
      totals: {
        waves: 0,
        durationMs: 0,
        created: 0,
        deleted: 0,
        updatedInPlace: 0,
        puts: 0,
        lowestAvailable: 3,
        mostMachines: 3,
      },
      isReached: true,
      blocked: [],
    });
  });

  test.each([
    { maxSurge: 1, maxUnavailable: 0, instanceUpdate: "Replace" },
    { maxSurge: 4, maxUnavailable: 3, instanceUpdate: "Replace" },
    { maxSurge: 0, maxUnavailable: 5, instanceUpdate: "InPlace" },
  ] as const)("of the first waves tells how long all take: %o", (strategy) => {
    const machines = Array.from({ length: 120 }, (_, id) => machine(id));
    const view = pool({ ...strategy, desiredHash: "B", machines });
    const { totals } = forecastPool(view, TIMES);
    const begun = forecastPool(view, TIMES, { mostWaves: 10 });
    expect(begun.waves).toHaveLength(10);
    for (const name of ["durationMs", "waves", "deleted", "updatedInPlace", "created", "puts"] as const)
      expect(Math.abs(begun.totals[name] / totals[name] - 1) || 0, name).toBeLessThan(0.08);
  });

  test.each<[string, Partial<PoolView>, Partial<Forecast["totals"]> & { readonly seconds: number }]>([
    [
      "replaces one by one with a surge of one",
      { desiredHash: "B" },
      // The controller requests the next machine as soon as Azure no longer counts the drained one.
      { waves: 3, created: 3, deleted: 3, puts: 3, seconds: MADE + 2 * (30 + MADE) + GONE },
    ],
    [
      "replaces one by one with one machine unavailable",
      { desiredHash: "B", maxSurge: 0, maxUnavailable: 1 },
      { waves: 3, created: 3, deleted: 3, puts: 4, seconds: 1 + 3 * (30 + MADE), lowestAvailable: 2 },
    ],
    [
      "updates in place one by one",
      { desiredHash: "B", instanceUpdate: "InPlace", maxSurge: 0, maxUnavailable: 1 },
      { waves: 3, created: 0, deleted: 0, updatedInPlace: 3, puts: 1, seconds: 1 + 3 * UPDATED },
    ],
    [
      "adds a machine, updates in place, and removes it last",
      { desiredHash: "B", instanceUpdate: "InPlace" },
      { waves: 4, created: 1, deleted: 1, updatedInPlace: 3, seconds: MADE + 3 * UPDATED + GONE },
    ],
    [
      "creates a pool at once",
      { machines: [], setHash: undefined, desired: 5, capacity: 0 },
      { waves: 1, created: 5, puts: 1, seconds: MADE, lowestAvailable: 0, mostMachines: 5 },
    ],
    ["scales down at once", { desired: 1 }, { waves: 1, deleted: 2, puts: 0, seconds: GONE }],
  ])("%s", (_, differences, { seconds, ...totals }) => {
    const { totals: seen, isReached, blocked } = forecast(differences);
    expect(seen).toMatchObject({ ...totals, durationMs: seconds * SECOND });
    expect([isReached, blocked]).toEqual([true, []]);
  });

  test("names the machines of each wave in the order that the planner picks them in", () => {
    expect(pickedIn(forecast({ desiredHash: "B" }))).toEqual(["mp-0", "mp-1", "mp-2"]);
    expect(pickedIn(forecast({ desiredHash: "B", deletePolicy: "Newest" }))).toEqual([
      "mp-2",
      "mp-1",
      "mp-0",
    ]);
    expect(pickedIn(forecast({ desiredHash: "B", maxUnavailable: 2 }))).toEqual(["mp-0 mp-1", "mp-2"]);
  });

  test("begins with the running operations", () => {
    const leaving = machine(0, { isDeleting: true, picked: "delete" });
    const updating = machine(1, { picked: "update", updatingToHash: "A", modelHash: "old" });
    const deleted = machine(2, { vmState: "Deleting", isDeleting: true });
    const booting = unavailable(3, 1);
    const creating = unavailable(4, 1, { vmState: "Creating" });
    const { totals, isReached } = forecast({
      machines: [leaving, updating, deleted, booting, creating],
      desired: 4,
      capacity: 4,
      maxSurge: 0,
      maxUnavailable: 1,
      instanceUpdate: "InPlace",
    });
    expect(isReached).toBe(true);
    expect(totals).toMatchObject({ created: 1, deleted: 0, updatedInPlace: 0 });
    expect(totals.durationMs).toBeLessThanOrEqual((30 + MADE) * SECOND);
  });

  test("replaces a broken machine after the stuck time, and keeps one that may recover", () => {
    const broken = unavailable(0, 1, { vmState: "Failed" });
    const { totals, isReached } = forecast({ machines: [broken, machine(1), machine(2)] });
    expect([totals.deleted, isReached]).toEqual([1, true]);
    expect(forecast({ machines: [unavailable(0, 1), machine(1), machine(2)] }).totals.deleted).toBe(0);
  });

  test.each<[string, Partial<PoolView>]>([
    ["Paused", { isPaused: true, desiredHash: "B" }],
    [
      "WorkloadUnreachable",
      {
        desiredHash: "B",
        workload: { isReachable: false, nodes: 3, notReady: 0 },
        maxSurge: 0,
        maxUnavailable: 1,
      },
    ],
    [
      "RemovalBlocked",
      { machines: [0, 1, 2].map((id) => ({ ...machine(id), instanceID: undefined })), capacity: 3 },
    ],
    ["ExternallyScaled", { desiredHash: "B", instanceUpdate: "InPlace", isExternallyScaled: true }],
  ])("that cannot reach its end reports %s", (reason, differences) => {
    const { isReached, blocked } = forecast(differences);
    expect([isReached, blocked.map((one) => one.reason)]).toEqual([false, [reason]]);
  });
});

describe("every forecast of a healthy pool", () => {
  const limits = fc.constantFrom([1, 0], [0, 1], ["25%", 0], [2, 2], ["10%", "30%"], [5, 1]);
  const machines = fc.array(fc.constantFrom("A", "B", "C"), { maxLength: 12 });

  test("ends in the desired state, and stays within the budget", () => {
    fc.assert(
      fc.property(machines, limits, fc.nat(12), fc.boolean(), (models, [surge, down], desired, isInPlace) => {
        const all: MachineView[] = models.map((modelHash, id) => machine(id, { modelHash }));
        const view = pool({
          machines: all,
          setHash: models.length === 0 ? undefined : "A",
          desiredHash: "B",
          desired,
          maxSurge: surge ?? 0,
          maxUnavailable: down ?? 0,
          instanceUpdate: isInPlace ? "InPlace" : "Replace",
        });
        const { totals, isReached, waves } = forecastPool(view, TIMES);
        expect(isReached).toBe(true);
        const { maxSurge, maxUnavailable } = resolveRolloutBudget(view, desired);
        expect(totals.mostMachines).toBeLessThanOrEqual(Math.max(desired + maxSurge, all.length));
        expect(totals.lowestAvailable).toBeGreaterThanOrEqual(Math.min(desired - maxUnavailable, all.length));
        expect(all.length + totals.created - totals.deleted).toBe(desired);
        expect(waves.reduce((sum, { durationMs }) => sum + durationMs, 0)).toBe(totals.durationMs);
      }),
    );
  });
});
