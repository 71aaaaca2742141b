import { describe, expect, test } from "vitest";
import type { PoolAction } from "./action.ts";
import { NOW_MS, machine, pool, unavailable } from "./plan.fixture.ts";
import { planPool } from "./plan.ts";
import type { MachineView, PoolView } from "./view.ts";

const range = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index);

/** The planned actions in short form: `DeleteMachine mp-0 mp-1`, `SetCapacity 4`. */
function deeds(view: PoolView): readonly string[] {
  return planPool(view)
    .actions.filter(({ action }) => action !== "Wait")
    .map((action) => `${action.action} ${objectOf(action)}`);
}

function objectOf(action: PoolAction): string {
  if (action.action === "SetCapacity") return String(action.detail.to);
  if (action.action === "PutModel") return `${action.detail.hash} ${action.detail.to}`;
  return action.targets.join(" ");
}

function reasons(view: PoolView): readonly string[] {
  return planPool(view).blocked.map(({ reason }) => reason);
}

describe("a plan", () => {
  test("of a settled pool is empty", () => {
    expect(planPool(pool())).toMatchObject({ actions: [], blocked: [] });
  });

  test("has the shape that capstan plan prints", () => {
    expect(planPool(pool({ desired: 4 })).actions).toEqual([
      {
        controller: "azuremachinepool",
        object: { kind: "AzureMachinePool", namespace: "default", name: "mp" },
        action: "SetCapacity",
        targets: ["mp"],
        detail: { from: 3, to: 4 },
        why: "adding 1 machine: 4 desired, 3 exist",
      },
    ]);
  });

  test("does nothing while the pool is paused, and says so", () => {
    const view = pool({ isPaused: true, desired: 9, desiredHash: "B" });
    expect(deeds(view)).toEqual([]);
    expect(reasons(view)).toEqual(["Paused"]);
  });

  test.each<[string, Partial<PoolView>, readonly string[]]>([
    [
      "a machine that is deleted",
      { machines: [machine(0, { isDeleting: true }), machine(1)], desired: 1 },
      ["Deletion mp-0"],
    ],
    [
      "a machine that is updated in place",
      { machines: [machine(0, { picked: "update", updatingToHash: "A" }), machine(1)] },
      ["Update mp-0"],
    ],
    ["a machine that is not available", { machines: [unavailable(0, 1), machine(1)] }, ["Availability mp-0"]],
    ["nothing when it is settled", {}, []],
  ])("waits for %s", (_, differences, expected) => {
    const waits = planPool(pool(differences)).actions.flatMap((action) =>
      action.action === "Wait" ? [`${action.detail.for} ${action.targets.join(" ")}`] : [],
    );
    expect(waits).toEqual(expected);
  });

  test("sends no second PUT while one runs, but still deletes machines", () => {
    const operation = { kind: "SetCapacity", sinceMs: NOW_MS - 5000 } as const;
    expect(deeds(pool({ desired: 5, operation }))).toEqual([]);
    expect(deeds(pool({ desired: 1, operation }))).toEqual(["DeleteMachine mp-0 mp-1"]);
  });

  test("does not raise the capacity for machines that the scale set counts but its list does not show", () => {
    const view = pool({ desired: 4, capacity: 4 });
    expect(deeds(view)).toEqual([]);
    expect(reasons(view)).toEqual(["CapacityMismatch"]);
    expect(deeds({ ...view, desired: 5 })).toEqual(["SetCapacity 5"]);
  });

  describe("decides again about a pick that remains after a crash or a refused deletion", () => {
    const left = machine(2, { picked: "delete", modelHash: "A" });
    const outdated = { machines: [machine(0), machine(1), left], setHash: "B", desiredHash: "B" };
    const rolled = { ...outdated, maxSurge: 0, maxUnavailable: 1 };

    test.each<[string, Partial<PoolView>, readonly string[]]>([
      ["it is deleted before equal candidates", rolled, ["DeleteMachine mp-2"]],
      [
        "it is deleted when the pool scales down",
        { machines: outdated.machines, desired: 2 },
        ["DeleteMachine mp-2"],
      ],
      ["it stays when its model is desired again", { machines: outdated.machines }, []],
      ["it stays when all machines are desired again", { machines: outdated.machines, desired: 3 }, []],
      [
        "it stays when too few others are available by now",
        { ...rolled, machines: [machine(0), unavailable(1, 1), left] },
        [],
      ],
      [
        "it stays when the workload cluster is unreachable",
        { ...rolled, workload: { isReachable: false, nodes: 0, notReady: 0 } },
        [],
      ],
    ])("%s", (_, differences, expected) => {
      expect(deeds(pool(differences))).toEqual(expected);
    });

    test("its resource is deleted when its instance is gone", () => {
      const gone = machine(0, { picked: "delete", instanceID: undefined });
      expect(deeds(pool({ desired: 2, machines: [gone, machine(1), machine(2)] }))).toEqual([
        "DeleteMachineResource mp-0",
      ]);
    });
  });

  test("adopts an instance without a resource and leaves a deleting one alone", () => {
    const machines = [machine(0, { name: undefined }), machine(1, { name: undefined, vmState: "Deleting" })];
    expect(deeds(pool({ desired: 1, machines }))).toEqual(["CreateMachineResource mp-0"]);
  });

  test("ignores machines of a pool whose name has the same prefix", () => {
    const foreign = range(5).map((id) => machine(id, { pool: "mp-10", name: `mp-10-${id}`, modelHash: "Z" }));
    expect(
      planPool(pool({ desired: 3, capacity: 3, machines: [...foreign, ...pool().machines] })).actions,
    ).toEqual([]);
  });
});

describe("the budget", () => {
  const old = (count: number): readonly MachineView[] =>
    range(count).map((id) => machine(id, { modelHash: "O" }));

  test.each<[string, Partial<PoolView>, readonly string[]]>([
    ["surges before it replaces", { maxSurge: 1, maxUnavailable: 0 }, ["SetCapacity 5"]],
    ["takes as many as may be unavailable", { maxSurge: 0, maxUnavailable: 2 }, ["DeleteMachine mp-0 mp-1"]],
    ["does both at once", { maxSurge: 1, maxUnavailable: 1 }, ["DeleteMachine mp-0", "SetCapacity 5"]],
    ["rounds surge up", { maxSurge: "26%", maxUnavailable: 0 }, ["SetCapacity 6"]],
    ["rounds unavailability down", { maxSurge: 0, maxUnavailable: "49%" }, ["DeleteMachine mp-0"]],
    ["moves one when percentages round to 0", { maxSurge: 0, maxUnavailable: "10%" }, ["DeleteMachine mp-0"]],
    [
      "updates a wave in place",
      { instanceUpdate: "InPlace", maxUnavailable: 2 },
      ["UpdateMachineInPlace mp-0 mp-1"],
    ],
    ["surges first in place when none may be missing", { instanceUpdate: "InPlace" }, ["SetCapacity 5"]],
  ])("%s", (_name, differences, expected) => {
    expect(deeds(pool({ machines: old(4), ...differences }))).toEqual(expected);
  });

  test("counts what is picked, deleting or updating as unavailable, even if its Node is Ready", () => {
    for (const taken of [
      { picked: "update" },
      { picked: "delete", isDeleting: true },
      { isDeleting: true },
    ] as const) {
      const machines = [machine(0, { modelHash: "O", ...taken }), ...old(4).slice(1)];
      expect(planPool(pool({ machines, maxSurge: 0, maxUnavailable: 1 })).budget).toMatchObject({
        available: 3,
        disruptionsLeft: 0,
      });
      expect(deeds(pool({ machines, maxSurge: 0, maxUnavailable: 1 }))).toEqual([]);
    }
  });

  test("waits for the whole wave before it updates more in place", () => {
    const machines = [machine(0, { modelHash: "O", picked: "update" }), ...old(4).slice(1)];
    expect(deeds(pool({ machines, maxUnavailable: 3, instanceUpdate: "InPlace" }))).toEqual([]);
  });

  test("does not grow beyond the ceiling while old machines drain", () => {
    const machines = [machine(0, { modelHash: "O", isDeleting: true }), ...old(4).slice(1), machine(4)];
    expect(deeds(pool({ desired: 4, machines }))).toEqual([]);
  });

  test("is not spent while a machine that a user deleted is leaving", () => {
    const machines = [machine(0, { isDeleting: true, deletedByUser: true }), ...old(4).slice(1)];
    const view = pool({ machines, maxSurge: 0, maxUnavailable: 3 });
    expect(deeds(view)).toEqual([]);
    expect(reasons(view)).toEqual(["UserDeletion"]);
  });

  test("a broken machine that a user deleted takes no place of those that are replaced as stuck", () => {
    const broken = (id: number, more: Partial<MachineView> = {}) =>
      unavailable(id, 30, { vmState: "Failed", ...more });
    const machines = [
      broken(0, { isDeleting: true, deletedByUser: true }),
      broken(1),
      ...range(4).map((id) => machine(id + 2)),
    ];
    expect(deeds(pool({ machines }))).toContain("DeleteMachine mp-1");
    const ours = [broken(0, { isDeleting: true }), ...machines.slice(1)];
    expect(deeds(pool({ machines: ours }))).not.toContain("DeleteMachine mp-1");
  });

  test("is not spent while up-to-date machines are not available", () => {
    const view = pool({ machines: [...old(4), unavailable(4, 11)], desired: 4, maxUnavailable: 3 });
    expect(deeds(view)).toEqual([]);
    expect(reasons(view)).toEqual(["NewMachinesNotAvailable"]);
  });

  test("does not replace an available machine only because Azure calls it failed", () => {
    expect(deeds(pool({ machines: [machine(0, { vmState: "Failed" }), machine(1)] }))).toEqual([]);
  });

  test("deletes an annotated machine that does not work without budget, but one at a time", () => {
    const broken = (id: number) => unavailable(id, 1, { hasDeleteAnnotation: true });
    const strategy = { maxSurge: 2, maxUnavailable: 0, desired: 3, capacity: 4 } as const;
    const working = [machine(0), machine(1), machine(2)];
    expect(deeds(pool({ ...strategy, machines: [...working, broken(3)] }))).toContain("DeleteMachine mp-3");
    const leaving = machine(4, { isDeleting: true, isAvailable: false });
    const view = pool({ ...strategy, machines: [...working, broken(3), leaving], capacity: 5 });
    expect(deeds(view)).not.toContain("DeleteMachine mp-3");
  });

  test("deletes an annotated machine at once at scale-down, and otherwise after a surge", () => {
    const machines = [machine(0), machine(1), machine(2, { hasDeleteAnnotation: true })];
    expect(deeds(pool({ machines, desired: 2 }))).toEqual(["DeleteMachine mp-2"]);
    expect(deeds(pool({ machines }))).toEqual(["SetCapacity 4"]);
    expect(deeds(pool({ machines: [...machines, machine(3)], desired: 3 }))).toEqual(["DeleteMachine mp-2"]);
    expect(deeds(pool({ machines, maxUnavailable: 1 }))).toEqual(["DeleteMachine mp-2", "SetCapacity 4"]);
  });

  test("neither adds nor removes machines of a pool that an external autoscaler scales", () => {
    expect(deeds(pool({ isExternallyScaled: true, desired: 2 }))).toEqual([]);
    const view = pool({ isExternallyScaled: true, machines: old(3), instanceUpdate: "InPlace" });
    expect([deeds(view), reasons(view)]).toEqual([[], ["ExternallyScaled"]]);
  });
});

describe("scale-down", () => {
  const machines = [
    machine(0),
    machine(1, { modelHash: "O" }),
    unavailable(2, 1),
    unavailable(3, 1, { modelHash: "O" }),
    unavailable(4, 1, { vmState: "Failed" }),
    machine(5),
  ];

  test.each([
    [5, "mp-3"],
    [0, "mp-3 mp-4 mp-2 mp-1 mp-0 mp-5"],
  ])("to %i deletes by priority", (desired, expected) => {
    expect(deeds(pool({ desired, machines, maxSurge: 0 }))).toEqual([`DeleteMachine ${expected}`]);
  });

  test("chooses randomly by the seed alone", () => {
    const drawn = (seed: string, of: readonly MachineView[]): readonly string[] =>
      deeds(pool({ desired: 5, machines: of, deletePolicy: "Random", seed }));
    const ten = range(10).map((id) => machine(id));
    expect(drawn("a", ten)).toEqual(drawn("a", ten.toReversed()));
    expect(new Set(["a", "b", "c", "d"].map((seed) => drawn(seed, ten).join(""))).size).toBeGreaterThan(1);
  });
});

describe("unavailable machines", () => {
  const failed = (id: number, minutes: number): MachineView =>
    unavailable(id, minutes, { vmState: "Failed" });
  const twenty = range(20).map((id) => machine(id));

  test.each<[string, MachineView, readonly string[]]>([
    ["failed for 11 minutes is deleted", failed(0, 11), ["DeleteMachine mp-0"]],
    ["failed for 10 minutes stays", failed(0, 10), []],
    ["stopped goes", unavailable(0, 11, { vmState: "Stopped" }), ["DeleteMachine mp-0"]],
    ["deallocated goes", unavailable(0, 11, { vmState: "Deallocated" }), ["DeleteMachine mp-0"]],
    ["unready and outdated is deleted", unavailable(0, 11, { modelHash: "O" }), ["DeleteMachine mp-0"]],
    ["unready and up to date stays", unavailable(0, 11), []],
  ])("%s", (_name, broken, expected) => {
    const view = pool({ machines: [broken, ...twenty.slice(1)], maxSurge: 0, maxUnavailable: 1 });
    expect(deeds(view)).toEqual(expected);
  });

  test("are deleted a tenth of the pool at a time, running deletions included", () => {
    const machines = [...range(5).map((id) => failed(id, 11)), ...twenty.slice(5)];
    const view = (first: Partial<MachineView>): PoolView =>
      pool({
        machines: [{ ...failed(0, 11), ...first }, ...machines.slice(1)],
        maxSurge: 0,
        maxUnavailable: 1,
      });
    expect(deeds(view({}))).toEqual(["DeleteMachine mp-0 mp-1"]);
    expect(deeds(view({ isDeleting: true, picked: "delete" }))).toEqual(["DeleteMachine mp-1"]);
  });

  test("are deleted although one that worked until it was picked takes long to drain", () => {
    const leaving = { isDeleting: true, picked: "delete", isAvailable: false } as const;
    const deletingSinceMs = NOW_MS - 30 * 60_000;
    const view = (unavailableMinutes: number): PoolView => {
      const first = unavailable(0, unavailableMinutes, { ...leaving, deletingSinceMs });
      return pool({ desired: 2, machines: [first, failed(1, 11), machine(2)], maxSurge: 1 });
    };
    expect(deeds(view(30))).toContain("DeleteMachine mp-1");
    expect(deeds(view(41))).not.toContain("DeleteMachine mp-1");
  });

  test.each([
    [{ isReachable: false, nodes: 20, notReady: 0 }, ["WorkloadUnreachable"]],
    [{ isReachable: true, nodes: 20, notReady: 9 }, ["WorkloadUnhealthy"]],
    [{ isReachable: true, nodes: 20, notReady: 8 }, []],
  ])("stay while the cluster is unhealthy: %j", (workload, expected) => {
    const view = pool({
      machines: [failed(0, 11), ...twenty.slice(1)],
      maxSurge: 0,
      maxUnavailable: 1,
      workload,
    });
    expect(reasons(view)).toEqual(expected);
    expect(deeds(view)).toEqual(expected.length === 0 ? ["DeleteMachine mp-0"] : []);
  });
});

describe("a scale set whose last change has failed", () => {
  test("is written once more when there is no other action", () => {
    expect(deeds(pool({ isSetFailed: true }))).toEqual(["PutModel A 3"]);
    expect(planPool(pool({ isSetFailed: true })).actions[0]?.why).toContain("has failed");
  });

  test.each<[string, Partial<PoolView>]>([
    ["something else is written", { desired: 4 }],
    ["an operation runs", { operation: { kind: "DeleteInstances", sinceMs: NOW_MS } }],
    ["it is paused", { isPaused: true }],
    [
      "a machine is not available yet",
      { machines: [machine(0), machine(1), machine(2, { isAvailable: false })] },
    ],
  ])("is left alone while %s", (_, differences) => {
    const { actions } = planPool(pool({ ...differences, isSetFailed: true }));
    expect(actions).toEqual(planPool(pool(differences)).actions);
  });
});

describe("models", () => {
  const of = (models: number): readonly MachineView[] =>
    range(models).map((id) => machine(id, { modelHash: `M${id}` }));

  test("are put with the machines they need, in one PUT", () => {
    expect(deeds(pool({ desiredHash: "B" }))).toEqual(["PutModel B 4"]);
    expect(deeds(pool({ machines: [], desired: 3, setHash: undefined, capacity: 0 }))).toEqual([
      "PutModel A 3",
    ]);
  });

  test("wait when there would be more than ten, while machines move to the model of the scale set", () => {
    const view = pool({ machines: of(10), setHash: "M9", desiredHash: "B", maxSurge: 0, maxUnavailable: 1 });
    expect(deeds(view)).toEqual(["DeleteMachine mp-0"]);
    expect(reasons(view)).toEqual(["TooManyModels"]);
  });

  test("make room with the machines of the rarest model, so that no machine moves twice", () => {
    const machines = [...of(10), machine(10, { modelHash: "M0" }), machine(11, { modelHash: "M1" })];
    const view = pool({ machines, setHash: "M9", desiredHash: "B", maxSurge: 0, maxUnavailable: 5 });
    expect(deeds(view)).toEqual(["DeleteMachine mp-2"]);
  });

  test("wait for room while surge machines get the model of the scale set", () => {
    const machines = [...of(10), machine(10, { modelHash: "M0" })];
    const view = pool({ machines, setHash: "M9", desiredHash: "B", maxSurge: 5 });
    expect(deeds(view)).toEqual(["SetCapacity 12"]);
  });

  test("count also when no machine has them yet: the model of the scale set may be the tenth", () => {
    const view = pool({ machines: of(9), setHash: "A", desiredHash: "B", maxSurge: 0, maxUnavailable: 1 });
    expect(deeds(view)).toEqual(["DeleteMachine mp-0"]);
    expect(reasons(view)).toEqual(["TooManyModels"]);
  });

  describe("that Azure refuses because it counts more of them than the planner", () => {
    const refused = { desiredHash: "B", isModelRejected: true, maxSurge: 0, maxUnavailable: 1 } as const;
    const edition = (id: number, isLatestModel: boolean): MachineView => machine(id, { isLatestModel });

    test("wait, and machines of other models move to the model of the scale set", () => {
      const machines = [machine(0), machine(1), machine(2, { modelHash: "C" })];
      const view = pool({ ...refused, machines });
      expect(deeds(view)).toEqual(["DeleteMachine mp-2"]);
      expect(reasons(view)).toEqual(["TooManyModels"]);
    });

    test("wait, and if all have that model, machines with an earlier edition are deleted", () => {
      const machines = [edition(0, true), edition(1, false), edition(2, true)];
      expect(deeds(pool({ ...refused, machines }))).toEqual(["DeleteMachine mp-1"]);
      // An update in place would change nothing: the machine already has the desired model.
      expect(deeds(pool({ ...refused, machines, instanceUpdate: "InPlace" }))).toEqual([
        "DeleteMachine mp-1",
      ]);
    });

    test("do not wait when the scale set has them", () => {
      const machines = [edition(0, false), edition(1, false), edition(2, false)];
      expect(deeds(pool({ ...refused, desiredHash: "A", machines }))).toEqual([]);
    });
  });

  test("keep the pool from growing when there are more than ten", () => {
    const view = pool({
      machines: of(11),
      setHash: "M0",
      desiredHash: "M0",
      desired: 12,
      maxSurge: 0,
      maxUnavailable: 1,
    });
    expect(deeds(view)).toEqual([]);
    expect(reasons(view)).toEqual(["TooManyModels"]);
  });
});
