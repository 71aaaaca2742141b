import { describe, expect, test } from "vitest";
import { machine, pool } from "../plan.fixture.ts";
import { actionsOfPass, planPool } from "../plan.ts";
import type { PoolView } from "../view.ts";

const PLANNED = (view: Partial<PoolView>): readonly string[] =>
  planPool(pool(view)).actions.map(({ action, targets }) => `${action} ${targets.join(" ")}`);

const OTHER_TAGS = { observed: { a: "1", b: "2" }, desired: { a: "1", c: "3" } };
const SWITCH = { isInUse: false, definition: "prototype" };
const RENEWED = { isValid: true, isSuperseded: true, isAlwaysNeeded: true };

describe("tags of the scale set", () => {
  test("that differ are patched, each by its difference", () => {
    expect(planPool(pool({ tags: OTHER_TAGS })).actions).toMatchObject([
      { action: "PatchTags", targets: ["mp"], detail: { set: { c: "3" }, remove: { b: "2" } } },
    ]);
    expect(PLANNED({ tags: { observed: { a: "1" }, desired: { a: "1" } } })).toEqual([]);
  });

  test.each<[string, Partial<PoolView>, readonly string[]]>([
    ["a write of the model carries them", { desiredHash: "B" }, ["PutModel mp"]],
    ["a write runs", { operation: { kind: "PutModel", sinceMs: 0 } }, ["Wait mp"]],
    ["another client changes the scale set", { isSetChanging: true }, []],
    ["the pool is paused", { isPaused: true }, []],
  ])("are not patched while %s", (_, facts, expected) => {
    expect(PLANNED({ tags: OTHER_TAGS, ...facts })).toEqual(expected);
  });
});

describe("the image of new machines", () => {
  test("is switched when the pool has its model and its size", () => {
    expect(planPool(pool({ bootImage: SWITCH })).actions).toMatchObject([
      {
        action: "SwitchImage",
        detail: { definition: "prototype" },
        why: "new machines boot from the image definition prototype, existing ones stay",
      },
    ]);
    expect(PLANNED({ bootImage: { ...SWITCH, isInUse: true } })).toEqual([]);
  });

  test("is switched back to that in the spec", () => {
    expect(planPool(pool({ bootImage: { isInUse: false, definition: undefined } })).actions).toMatchObject([
      { why: "new machines boot from the image in the spec again, existing ones stay" },
    ]);
  });

  test("is switched back also while machines are not available: they may fail because of the image", () => {
    const failing = { machines: [machine(0), machine(1, { isAvailable: false })] };
    const back = { isInUse: false, definition: undefined };
    expect(PLANNED({ ...failing, bootImage: back })).toContain("SwitchImage mp");
    expect(PLANNED({ ...failing, bootImage: SWITCH })).not.toContain("SwitchImage mp");
  });

  test("waits for the rollout and for the size", () => {
    expect(PLANNED({ bootImage: SWITCH, desiredHash: "B" })).toEqual(["PutModel mp"]);
    expect(PLANNED({ bootImage: SWITCH, capacity: 9 })).toEqual([]);
  });
});

describe("bootstrap data", () => {
  test("is renewed where machines are created at any time", () => {
    expect(planPool(pool({ bootstrapData: RENEWED })).actions).toMatchObject([
      {
        action: "RenewBootstrapData",
        detail: { cause: "NewMachines" },
        why: "the bootstrap data was renewed",
      },
    ]);
    expect(PLANNED({ bootstrapData: { ...RENEWED, isAlwaysNeeded: false } })).toEqual([]);
    expect(PLANNED({ bootstrapData: { ...RENEWED, isSuperseded: false } })).toEqual([]);
  });
});

test("of several changes of the scale set one is planned: a write of the model carries the others", () => {
  const all = { bootImage: SWITCH, bootstrapData: RENEWED, tags: OTHER_TAGS };
  expect(PLANNED(all)).toEqual(["SwitchImage mp"]);
  expect(PLANNED({ ...all, bootImage: { ...SWITCH, isInUse: true } })).toEqual(["RenewBootstrapData mp"]);
});

test("an update annotation that the pool controller did not set is reverted", () => {
  const annotated = machine(1, { picked: "update", updatingToHash: "A", isUpdateUnplanned: true });
  const { actions } = planPool(pool({ machines: [machine(0), annotated] }));
  expect(actions.find(({ action }) => action === "RevertUpdateAnnotation")).toMatchObject({
    targets: ["mp-1"],
    why: "1 machine is annotated for an update in place that the pool controller did not plan",
  });
});

test("a surge machine becomes an ordinary one when no machine exceeds the desired number", () => {
  const machines = [machine(0), machine(1, { isSurge: true })];
  expect(PLANNED({ machines })).toEqual(["ClearSurge mp-1"]);
  expect(PLANNED({ machines, desired: 1, instanceUpdate: "InPlace" })).toEqual(["DeleteMachine mp-1"]);
  expect(PLANNED({ machines: [machine(0), machine(1, { isSurge: true, isDeleting: true })] })).not.toContain(
    "ClearSurge mp-1",
  );
});

describe("a pass", () => {
  const facts = { desiredHash: "B", setHash: "B", instanceUpdate: "InPlace", maxUnavailable: 2 } as const;
  const plan = planPool(pool({ ...facts, desired: 4 }));
  const names = (given: typeof plan): readonly string[] => actionsOfPass(given).map(({ action }) => action);

  test("performs one change of the scale set, the first of the plan", () => {
    expect(plan.actions.map(({ action }) => action)).toEqual(["UpdateMachineInPlace", "SetCapacity"]);
    expect(names(plan)).toEqual(["UpdateMachineInPlace"]);
  });

  test("performs none while a write of the scale set runs", () => {
    expect(names({ ...plan, runningWrite: "another client's" })).toEqual([]);
  });
});
