import type { Cluster, Condition } from "@capstan/api";
import { cluster, type Overrides } from "@capstan/runtime/testing/builders";
import { describe, expect, test } from "vitest";
import { type ClusterFacts, clusterConditions } from "./cluster.ts";
import type { ConditionState } from "./combine.ts";

const AT = "2026-01-01T00:00:00Z";

function old(type: string, status: Condition["status"], reason: string, message = ""): Condition {
  return { type, status, reason, message, lastTransitionTime: AT };
}

const WELL = [
  old("InfrastructureReady", "True", "Ready"),
  old("ControlPlaneInitialized", "True", "Initialized"),
  old("ControlPlaneReady", "True", "Ready"),
];

const FACTS: ClusterFacts = {
  missing: [],
  controlPlane: undefined,
  controlPlaneMachines: [],
  workers: [],
  workerMachines: [],
  isMarked: () => false,
  probe: { isAnswering: true, message: "" },
  deletion: undefined,
};

function judge(
  facts: Partial<ClusterFacts>,
  { conditions = WELL, ...overrides }: Overrides<Cluster> & { conditions?: Condition[] } = {},
) {
  const object = cluster({ status: { deprecated: { v1beta1: { conditions } } } }, overrides);
  const list = clusterConditions(object, { ...FACTS, ...facts });
  return Object.fromEntries(
    list.map(({ type, status, reason, message }) => [type, `${status} ${reason} ${message}`.trim()]),
  );
}

const owner = (text: string, states: Readonly<Record<string, ConditionState>>) => ({
  text,
  conditions: Object.entries(states).map(([type, state]) => ({ type, ...state })),
});

test("a cluster that is well, without workers, has every condition of Cluster API", () => {
  expect(judge({})).toEqual({
    InfrastructureReady: "True Ready",
    ControlPlaneInitialized: "True Initialized",
    ControlPlaneAvailable: "True Available",
    ControlPlaneMachinesReady: "True NoReplicas",
    ControlPlaneMachinesUpToDate: "True NoReplicas",
    RemoteConnectionProbe: "True ProbeSucceeded",
    WorkersAvailable: "True NoWorkers",
    WorkerMachinesReady: "True NoReplicas",
    WorkerMachinesUpToDate: "True NoReplicas",
    RollingOut: "False NotRollingOut",
    ScalingUp: "False NotScalingUp",
    ScalingDown: "False NotScalingDown",
    Remediating: "False NotRemediating",
    Deleting: "False NotDeleting",
    Available: "True Available",
  });
});

describe("Available is False", () => {
  test.each<[string, Partial<ClusterFacts>, string]>([
    [
      "if workers are not available",
      { workers: [owner("MachineDeployment a", { Available: { status: "False", message: "1 of 3" } })] },
      "* WorkersAvailable:\n  * MachineDeployment a: 1 of 3",
    ],
    [
      "if the API server does not answer",
      { probe: { isAnswering: false, message: "no route" } },
      "* RemoteConnectionProbe: no route",
    ],
    [
      "if the control plane says so",
      {
        controlPlane: owner("KubeadmControlPlane c", {
          Available: { status: "False", message: "no leader" },
        }),
      },
      "* ControlPlaneAvailable: no leader",
    ],
  ])("%s", (_, facts, message) => {
    expect(judge(facts)["Available"]).toBe(`False NotAvailable ${message}`);
  });

  test("while it is deleted, with what that waits for", () => {
    const deletion = { reason: "WaitingForWorkersDeletion", message: "Waiting until a is gone" };
    const conditions = judge({ deletion }, { metadata: { deletionTimestamp: AT } });
    expect(conditions["Deleting"]).toBe("True WaitingForWorkersDeletion Waiting until a is gone");
    expect(conditions["Available"]).toBe("False NotAvailable * Deleting: Waiting until a is gone");
  });
});

test("a change of one owner of machines is a change of the cluster", () => {
  const rolling = { RollingOut: { status: "True", message: "Rolling out 1 of 3 machines" } } as const;
  expect(
    judge({ workers: [owner("MachinePool a", {}), owner("MachinePool b", rolling)] })["RollingOut"],
  ).toBe("True RollingOut * MachinePool b: Rolling out 1 of 3 machines");
});

test("a control plane that does not exist is told as such", () => {
  const conditions = [old("ControlPlaneReady", "False", "WaitingForControlPlane", "c does not exist")];
  const judged = judge({ missing: ["controlPlane"], probe: undefined }, { conditions });
  expect(judged["ControlPlaneAvailable"]).toBe("False ObjectDoesNotExist c does not exist");
  expect(judged["ControlPlaneInitialized"]).toMatch(/^Unknown ObjectDoesNotExist/);
  expect(judged["InfrastructureReady"]).toMatch(/^Unknown ReadyUnknown/);
});
