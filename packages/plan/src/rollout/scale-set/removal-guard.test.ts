import { describe, expect, test } from "vitest";
import { machine, pool } from "./plan.fixture.ts";
import { planPool } from "./plan.ts";
import { isGuarded, observeMissing } from "./removal-guard.ts";
import type { PoolView } from "./view.ts";

const MINUTE_MS = 60_000;

/** A pool of 20 whose first machines have lost their instance. */
function losing(lost: number, differences: Partial<PoolView> = {}): PoolView {
  const machines = Array.from({ length: 20 }, (_, id) =>
    machine(id, id < lost ? { instanceID: undefined, isAvailable: false } : {}),
  );
  return pool({ machines, capacity: 20 - lost, ...differences });
}

const firstDeed = (view: PoolView): string | undefined => planPool(view).actions[0]?.action;

describe("the removal guard", () => {
  test.each([
    [2, 2, false],
    [3, 3, true],
    [3, 29, true],
    [3, 30, false],
    [100, 1000, false],
    [101, 1000, true],
  ])("for %i of %i is active: %s", (missing, total, expected) => {
    expect(isGuarded(missing, total)).toBe(expected);
  });

  test("lets the controller remove and replace few resources at once", () => {
    expect(planPool(losing(2)).actions).toMatchObject([
      { action: "DeleteMachineResource", targets: ["mp-0", "mp-1"] },
      { action: "SetCapacity", detail: { from: 18, to: 20 } },
    ]);
  });

  test("stops every other action when a list would remove many", () => {
    expect(planPool(losing(3, { desiredHash: "B", desired: 30 }))).toMatchObject({
      actions: [],
      blocked: [{ reason: "RemovalBlocked", targets: ["mp-0", "mp-1", "mp-2"] }],
    });
  });

  test("allows exactly the number in the annotation of a user", () => {
    expect(firstDeed(losing(3, { allowedRemovals: 3 }))).toBe("DeleteMachineResource");
    expect(firstDeed(losing(4, { allowedRemovals: 3 }))).toBeUndefined();
  });

  test("allows the removal after two more lists that agree, each five minutes after the last", () => {
    const missing = ["mp-0", "mp-1", "mp-2"];
    const first = observeMissing(undefined, missing, 0);
    const early = observeMissing(first, missing, 4 * MINUTE_MS);
    const second = observeMissing(early, missing, 5 * MINUTE_MS);
    const third = observeMissing(second, missing, 10 * MINUTE_MS);
    const deeds = [first, early, second, third].map((removalGuard) => firstDeed(losing(3, { removalGuard })));
    expect(deeds).toEqual([undefined, undefined, undefined, "DeleteMachineResource"]);
  });

  test("starts over when a list differs, and resets when no instance is missing", () => {
    const twice = { missing: ["mp-0", "mp-1", "mp-2"], confirmations: 2, lastCountedMs: 0 };
    expect(firstDeed(losing(4, { removalGuard: twice }))).toBeUndefined();
    expect(observeMissing(twice, ["mp-0"], MINUTE_MS)).toMatchObject({ confirmations: 0 });
    expect(observeMissing(twice, [], MINUTE_MS)).toBeUndefined();
  });
});
