import { type Machine, UPDATE_IN_PROGRESS_ANNOTATION } from "@capstan/api";
import { machine, type Overrides } from "@capstan/runtime/testing/builders";
import { describe, expect, test } from "vitest";
import {
  countMachines,
  machinesReady,
  machinesUpToDate,
  remediating,
  sumVersions,
  versionsOfMachines,
} from "./machines.ts";
import { rollingOut, scalingDown, scalingUp } from "./owner.ts";

const AT = "2026-01-01T00:00:00Z";
type Status = "True" | "False" | "Unknown";

/** A machine with these conditions of v1beta2. */
function having(states: Readonly<Record<string, Status>>, overrides: Overrides<Machine> = {}): Machine {
  const conditions = Object.entries(states).map(([type, status]) => ({
    type,
    status,
    reason: type,
    message: "",
    lastTransitionTime: AT,
  }));
  return machine({ status: { conditions } }, overrides);
}

const GOOD = { Ready: "True", Available: "True", UpToDate: "True" } as const;

describe("counters", () => {
  test("follow the conditions of the machines", () => {
    const machines = [having(GOOD), having({ ...GOOD, Available: "False" }), having({ Ready: "Unknown" })];
    expect(countMachines(machines)).toEqual({ readyReplicas: 2, availableReplicas: 1, upToDateReplicas: 2 });
  });

  test.each<[string, Overrides<Machine>]>([
    ["is deleted", { metadata: { deletionTimestamp: AT } }],
    ["updaters work on", { metadata: { annotations: { [UPDATE_IN_PROGRESS_ANNOTATION]: "" } } }],
  ])("leave out a machine that %s, before its own conditions say so", (_, overrides) => {
    expect(countMachines([having(GOOD, overrides)])).toEqual({
      readyReplicas: 0,
      availableReplicas: 0,
      upToDateReplicas: 0,
    });
  });

  test("read conditions that a version before v1beta2 has written", () => {
    const conditions = ["Ready", "Available"].map((type) => ({
      type,
      status: "True" as const,
      lastTransitionTime: AT,
    }));
    const before = machine({ status: { deprecated: { v1beta1: { conditions } } } });
    expect(countMachines([before])).toMatchObject({ readyReplicas: 1, availableReplicas: 1 });
  });
});

describe("MachinesReady", () => {
  test.each<[string, Status[], string]>([
    ["is True without machines", [], "True NoReplicas"],
    ["is True if all are Ready", ["True", "True"], "True Ready"],
    ["is Unknown if one is not known", ["True", "Unknown"], "Unknown ReadyUnknown"],
    ["is False if one is not Ready", ["Unknown", "False"], "False NotReady"],
  ])("%s", (_, statuses, expected) => {
    const { status, reason } = machinesReady(
      statuses.map((ready) => having({ Ready: ready })),
      undefined,
    );
    expect(`${status} ${reason}`).toBe(expected);
  });

  test("tells the number of machines, and what a user must mend", () => {
    const machines = [having({ Ready: "False" }), having({ Ready: "True" })];
    expect(machinesReady(machines, "Machine a: quota").message).toBe(
      "Not Ready: 1 of 2 machines; Machine a: quota",
    );
  });
});

test("MachinesUpToDate leaves out new machines that were not judged yet", () => {
  expect(machinesUpToDate([having({ Ready: "True" })]).reason).toBe("NoReplicas");
  expect(machinesUpToDate([having({}), having({ UpToDate: "False" })])).toMatchObject({
    status: "False",
    reason: "NotUpToDate",
    message: "Not up to date: 1 of 1 machine",
  });
});

test("Remediating names the first machines that are replaced", () => {
  const machines = ["d", "b", "c", "a"].map((name) => machine({ metadata: { name } }));
  expect(remediating(machines, () => true).message).toBe("Replacing machines a, b, c and 1 more");
  expect(remediating(machines, () => false)).toMatchObject({ status: "False", reason: "NotRemediating" });
});

describe("versions", () => {
  test("are those of kubelets, and the desired one until a machine has a Node; the oldest first", () => {
    const nodeInfo = { kubeletVersion: "v1.9.0" } as NonNullable<NonNullable<Machine["status"]>["nodeInfo"]>;
    const machines = [
      machine({ spec: { version: "v1.10.0" } }),
      machine({ spec: { version: "v1.10.0" }, status: { nodeInfo } }),
      machine({ spec: { version: "v1.10.0" } }),
    ];
    expect(versionsOfMachines(machines)).toEqual([
      { version: "v1.9.0", replicas: 1 },
      { version: "v1.10.0", replicas: 2 },
    ]);
  });

  test("of several owners are added up", () => {
    const one = [{ version: "v1.34.1", replicas: 2 }];
    expect(sumVersions([one, undefined, [{ version: "v1.33.0", replicas: 1 }], one])).toEqual([
      { version: "v1.33.0", replicas: 1 },
      { version: "v1.34.1", replicas: 4 },
    ]);
  });
});

describe("the size of an owner", () => {
  test.each([
    [3, 3, "False NotScalingUp", "False NotScalingDown"],
    [5, 3, "True ScalingUp", "False NotScalingDown"],
    [1, 3, "False NotScalingUp", "True ScalingDown"],
  ])("with %i desired of %i", (desired, replicas, up, down) => {
    const text = ({ status, reason }: { status: string; reason: string }): string => `${status} ${reason}`;
    expect([text(scalingUp({ desired, replicas })), text(scalingDown({ desired, replicas }))]).toEqual([
      up,
      down,
    ]);
  });

  test("tells why it does not change", () => {
    expect(
      scalingUp({ desired: 2, replicas: 1, blocked: ["the control plane is upgraded first"] }).message,
    ).toBe("Scaling up from 1 to 2 replicas is blocked:\n* the control plane is upgraded first");
    expect(rollingOut({ outdated: 1, replicas: 3 }, ["paused"]).message).toBe(
      "Rolling out 1 of 3 machines is blocked:\n* paused",
    );
  });
});
