import { describe, expect, test } from "vitest";
import { machine, NOW_MS, pool } from "../plan.fixture.ts";
import { planPool } from "../plan.ts";
import type { PoolView } from "../view.ts";
import type { DrainedMachine } from "./drained-machine.ts";
import { deleting, updating } from "./instances.fixture.ts";
import { planInstanceOperations } from "./operations.ts";

const MINUTE_MS = 60_000;
const EXPIRED = { isValid: false, isSuperseded: false, isAlwaysNeeded: false };

function viewOf(
  drained: readonly DrainedMachine[],
  { startedMs = [], ...differences }: Partial<PoolView> & { readonly startedMs?: readonly number[] } = {},
): PoolView {
  return pool({ instances: { drained, operationsStartedMs: startedMs }, ...differences });
}

/** The operations that start, in a short form. */
function started(view: PoolView): readonly string[] {
  return planInstanceOperations(view).actions.flatMap((one) =>
    one.action === "StartInstanceOperation"
      ? [`${one.detail.operation} ${one.detail.instanceIDs.join(" ")}`]
      : [],
  );
}

describe("drained machines", () => {
  test("are deleted, upgraded and re-imaged with one request for each operation", () => {
    const reimaged = updating(4, { isLatestModel: true, isReimageRecorded: true });
    const machines = [0, 1, 2, 3, 4].map((id) => machine(id));
    expect(started(viewOf([deleting(0), deleting(1), updating(2), reimaged], { machines }))).toEqual([
      "delete 0 1",
      "upgrade 2",
      "reimage 4",
    ]);
  });

  test("with the image of the scale set are upgraded apart from others, and re-imaged next", () => {
    const { actions } = planInstanceOperations(viewOf([updating(0, { hasImageOfSet: true }), updating(1)]));
    expect(actions).toMatchObject([
      { detail: { operation: "upgrade", instanceIDs: ["0"], isReimagedNext: true } },
      { detail: { operation: "upgrade", instanceIDs: ["1"] } },
    ]);
  });

  test("with an undrained Node stay, and block the others not", () => {
    const plan = planInstanceOperations(viewOf([deleting(0, { hasUndrainedNode: true }), deleting(1)]));
    expect(plan.actions).toMatchObject([{ targets: ["mp-1"] }]);
    expect(plan.blocked).toMatchObject([{ reason: "NodeNotDrained", targets: ["mp-0"] }]);
  });

  test("of a paused pool wait", () => {
    expect(started(viewOf([deleting(0)], { isPaused: true }))).toEqual([]);
  });

  test("of a pool with a wrong spec are deleted and not updated", () => {
    const view = viewOf([deleting(0), updating(1)], { specProblem: "spec.x: wrong", maxSurge: "wrong" });
    expect(planPool(view)).toMatchObject({
      actions: [{ action: "StartInstanceOperation", targets: ["mp-0"] }],
      blocked: [{ reason: "InvalidSpec", why: "spec.x: wrong" }],
    });
  });
});

describe("expired bootstrap data", () => {
  test("holds up updates and is renewed for them; deletions continue", () => {
    const { actions, blocked } = planPool(
      viewOf([deleting(0), updating(1)], { bootstrapData: EXPIRED, desired: 2, machines: [machine(1)] }),
    );
    expect(actions.map(({ action }) => action)).toEqual(["SetCapacity", "StartInstanceOperation"]);
    expect(blocked).toMatchObject([{ reason: "BootstrapDataExpired", targets: ["mp-1"] }]);
    const settled = planPool(viewOf([updating(1)], { bootstrapData: EXPIRED }));
    expect(settled.actions).toMatchObject([{ action: "RenewBootstrapData", detail: { cause: "Updates" } }]);
  });

  test("is renewed before the machines of a wave are annotated", () => {
    const view = pool({
      desiredHash: "B",
      setHash: "B",
      maxSurge: 0,
      maxUnavailable: 1,
      instanceUpdate: "InPlace",
      bootstrapData: EXPIRED,
    });
    expect(planPool(view).actions.map(({ action }) => action)).toEqual([
      "RenewBootstrapData",
      "UpdateMachineInPlace",
    ]);
  });
});

describe("the limits of operations on instances", () => {
  const hundred = Array.from({ length: 150 }, (_, id) => deleting(id));
  const machines = hundred.map((_, id) => machine(id));

  test("are a hundred instances in one request", () => {
    const { actions } = planInstanceOperations(viewOf(hundred, { machines }));
    expect(actions.map(({ targets }) => targets.length)).toEqual([100]);
  });

  test("are three at once, not counting those that hang", () => {
    const justNow = [NOW_MS, NOW_MS, NOW_MS];
    expect(started(viewOf([deleting(0)], { startedMs: justNow }))).toEqual([]);
    expect(started(viewOf([deleting(0)], { startedMs: justNow.slice(1) }))).toEqual(["delete 0"]);
    const hanging = justNow.map((atMs) => atMs - 6 * MINUTE_MS);
    expect(started(viewOf([deleting(0)], { startedMs: hanging }))).toEqual(["delete 0"]);
  });

  test("are twenty including those that hang", () => {
    const startedMs = Array.from({ length: 20 }, () => 0);
    expect(started(viewOf([deleting(0)], { startedMs }))).toEqual([]);
  });

  test("are one in fifty machines while another operation runs", () => {
    expect(started(viewOf([deleting(0), deleting(1)], { machines, startedMs: [NOW_MS] }))).toEqual([]);
    expect(started(viewOf(hundred.slice(0, 3), { machines, startedMs: [NOW_MS] }))).toEqual(["delete 0 1 2"]);
    expect(started(viewOf([deleting(0)], { machines }))).toEqual(["delete 0"]);
  });
});
