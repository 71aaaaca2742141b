import { describe, expect, test } from "vitest";
import { planMachineSet } from "./plan.ts";
import type { MachineSetView, SetMachine } from "./view.ts";

const DAY_MS = 24 * 60 * 60_000;

const machine = (name: string, more: Partial<SetMachine> = {}): SetMachine => ({
  name,
  createdMs: 0,
  isDeleting: false,
  hasDeleteAnnotation: false,
  isUpdating: false,
  isUnhealthy: false,
  isAvailable: true,
  ...more,
});

const view = (more: Partial<MachineSetView> = {}): MachineSetView => ({
  namespace: "default",
  name: "workers",
  replicas: 3,
  deletePolicy: "Random",
  machines: [],
  creating: [],
  arriving: [],
  isCreateDisabled: false,
  isCurrent: true,
  preflight: [],
  nowMs: 20 * DAY_MS,
  ...more,
});

/** The actions without waits, as "action target". */
function steps(given: Partial<MachineSetView>): readonly string[] {
  return planMachineSet(view(given)).actions.flatMap(({ action, targets, detail }) =>
    action === "Wait"
      ? []
      : [action === "CreateMachine" ? `${action} ${detail.count}` : `${action} ${targets.join()}`],
  );
}

describe("the number of machines", () => {
  test.each<[string, Partial<MachineSetView>, readonly string[]]>([
    ["missing machines are created at once", {}, ["CreateMachine 3"]],
    ["recorded machines count before the cache shows them", { creating: ["a", "b"] }, ["CreateMachine 1"]],
    [
      "a recorded machine that the cache shows counts once",
      { machines: [machine("a")], creating: ["a"] },
      ["CreateMachine 2"],
    ],
    [
      "a recorded machine that may not exist goes before one that does",
      { replicas: 2, machines: [machine("a"), machine("b")], creating: ["c"] },
      [],
    ],
    [
      "as many machines as replicas stay, one of them only recorded",
      { machines: [machine("a"), machine("b")], creating: ["c"] },
      [],
    ],
    [
      "of a recorded machine and one too many only the latter is deleted",
      {
        replicas: 1,
        machines: [machine("a", { createdMs: 1 }), machine("b", { createdMs: 2 })],
        creating: ["c"],
        deletePolicy: "Newest",
      },
      ["DeleteMachine b"],
    ],
    [
      "a machine that is handed over is there: another one makes room for it",
      {
        replicas: 2,
        machines: [machine("a", { createdMs: 1 }), machine("b", { createdMs: 2 })],
        arriving: ["c"],
        deletePolicy: "Newest",
      },
      ["DeleteMachine b"],
    ],
    [
      "a machine that is being deleted counts until it is gone",
      { replicas: 1, machines: [machine("a", { isDeleting: true })] },
      [],
    ],
    ["a set without replicas is left alone", { replicas: 0 }, []],
  ])("%s", (_, given, expected) => {
    expect(steps(given)).toEqual(expected);
  });

  test("no pass records more names than a status takes, whatever the replicas are", () => {
    expect(steps({ replicas: 1_000_000_000 })).toEqual(["CreateMachine 500"]);
  });
});

describe("the order of deletions", () => {
  const old = machine("old");
  const young = machine("young", { createdMs: 19 * DAY_MS });
  const unhealthy = machine("unhealthy", { isUnhealthy: true });
  const annotated = machine("annotated", { hasDeleteAnnotation: true });
  test.each<[string, Partial<MachineSetView>, readonly string[]]>([
    [
      "a machine that is being updated goes before an unhealthy one, and after an annotated one",
      { replicas: 2, machines: [old, unhealthy, machine("updating", { isUpdating: true }), annotated] },
      ["DeleteMachine annotated", "DeleteMachine updating"],
    ],
    [
      "an annotated machine goes before an unhealthy one",
      { replicas: 2, machines: [old, unhealthy, annotated] },
      ["DeleteMachine annotated"],
    ],
    [
      "an unhealthy machine goes before a healthy one",
      { replicas: 1, machines: [old, unhealthy] },
      ["DeleteMachine unhealthy"],
    ],
    [
      "a machine that is being deleted is one of the surplus",
      { replicas: 1, machines: [old, machine("x", { isDeleting: true })] },
      [],
    ],
    ["Newest", { replicas: 1, deletePolicy: "Newest", machines: [old, young] }, ["DeleteMachine young"]],
    ["Oldest", { replicas: 1, deletePolicy: "Oldest", machines: [old, young] }, ["DeleteMachine old"]],
    [
      "Random is by name, so that a repeated decision is the same",
      { replicas: 1, machines: [machine("b"), machine("a")] },
      ["DeleteMachine a"],
    ],
  ])("%s", (_, given, expected) => {
    expect(steps(given)).toEqual(expected);
  });
});

describe("remediation", () => {
  const marked = (name: string, more: Partial<SetMachine> = {}): SetMachine =>
    machine(name, { remediation: "Unhealthy", isUnhealthy: true, ...more });

  test("machines that a user asked for go first, then the newest, within the limit", () => {
    const machines = [
      marked("old"),
      marked("new", { createdMs: 1 }),
      marked("asked", { remediation: "Requested" }),
    ];
    expect(steps({ machines, maxInFlight: 2 })).toEqual(["Remediate asked", "Remediate new"]);
    expect(planMachineSet(view({ machines, maxInFlight: 2 })).blocked).toMatchObject([
      { reason: "RemediationLimited", targets: ["old"] },
    ]);
  });

  test("machines that are being replaced count towards the limit", () => {
    const machines = [marked("a", { isDeleting: true }), marked("b"), machine("c")];
    expect(steps({ machines, maxInFlight: 1 })).toEqual([]);
  });

  test("a set with an older template replaces no machine: the new one would have that template, too", () => {
    const { actions, blocked } = planMachineSet(
      view({ machines: [marked("a"), machine("b"), machine("c")], isCurrent: false }),
    );
    expect(actions).toEqual([]);
    expect(blocked).toMatchObject([{ reason: "CannotBeRemediated", targets: ["a"] }]);
  });

  test("no machine is taken away while preflight checks allow no new one, and the plan says why", () => {
    const { actions, blocked } = planMachineSet(
      view({ machines: [marked("a"), machine("b"), machine("c")], preflight: ["upgrading"] }),
    );
    expect(actions).toEqual([]);
    expect(blocked).toMatchObject([{ reason: "PreflightCheckFailed", targets: ["a"], why: "upgrading" }]);
  });
});

test.each<[string, Partial<MachineSetView>]>([
  ["PreflightCheckFailed", { preflight: ["the control plane is being upgraded"] }],
  ["MachineCreateDisabled", { isCreateDisabled: true }],
])("%s blocks creations and says why", (reason, given) => {
  const { actions, blocked } = planMachineSet(view(given));
  expect(actions).toEqual([]);
  expect(blocked).toMatchObject([{ reason, targets: ["workers"] }]);
});
