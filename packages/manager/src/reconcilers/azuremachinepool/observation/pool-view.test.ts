import {
  type AzureMachinePool,
  type AzureMachinePoolMachine,
  DELETE_MACHINE_ANNOTATION,
  type MachinePool,
  UPDATE_INSTANCE_ANNOTATION,
} from "@capstan/api";
import {
  azureMachinePool,
  azureMachinePoolMachine,
  machinePool,
  node,
  type Overrides,
} from "@capstan/runtime/testing/builders";
import { describe, expect, test } from "vitest";
import { planPool } from "@capstan/plan";
import { type InstanceFacts, type MachineFacts, vmStateOf } from "./machine-view.ts";
import type { DesiredHash } from "../model/hash.ts";
import { factsFromStatus, hashOfNames, type PoolFacts, poolView, workloadFromStatus } from "./pool-view.ts";

const NOW_MS = Date.parse("2026-01-01T01:00:00Z");
const DESIRED: DesiredHash = { hash: "v1-aa", names: new Set(["v1-aa"]) };
const SET =
  "azure:///subscriptions/s/resourceGroups/rg/providers/Microsoft.Compute/virtualMachineScaleSets/pool";

function resource(id: number, more: Overrides<AzureMachinePoolMachine> = {}): AzureMachinePoolMachine {
  return azureMachinePoolMachine(
    {
      metadata: { name: `pool-${id}`, creationTimestamp: `2026-01-01T00:00:0${id}Z` },
      spec: { providerID: `${SET}/virtualMachines/${id}`, instanceID: String(id) },
      status: {
        ready: true,
        provisioningState: "Succeeded",
        modelHash: DESIRED.hash,
        conditions: [{ type: "Ready", status: "True", lastTransitionTime: "2026-01-01T00:05:00Z" }],
      },
    },
    more,
  );
}

function instance(id: number, more: Partial<InstanceFacts> = {}): InstanceFacts {
  return {
    instanceID: String(id),
    providerID: `${SET}/virtualMachines/${id}`,
    provisioningState: "Succeeded",
    powerState: "running",
    ...more,
  };
}

const READY_NODE = node({
  status: { conditions: [{ type: "Ready", status: "True", lastTransitionTime: "2026-01-01T00:05:00Z" }] },
});

const whole = (id: number, more: Overrides<AzureMachinePoolMachine> = {}): MachineFacts => ({
  machine: resource(id, more),
  instance: instance(id),
  node: READY_NODE,
});

function facts(
  machines: readonly MachineFacts[],
  more: { pool?: AzureMachinePool; machinePool?: MachinePool } & Partial<
    Omit<PoolFacts, "pool" | "machinePool">
  > = {},
): PoolFacts {
  return {
    pool: azureMachinePool(),
    machinePool: machinePool({ spec: { replicas: machines.length } }),
    machines,
    scaleSet: { capacity: machines.length, modelHash: DESIRED.hash },
    desired: DESIRED,
    workload: { isReachable: true, nodes: machines.length, notReady: 0 },
    nowMs: NOW_MS,
    ...more,
  };
}

describe("the view of a pool", () => {
  test("of which all is as it should be leads to no plan", () => {
    const view = poolView(facts([whole(0), whole(1)]));
    expect(view).toMatchObject({
      desired: 2,
      capacity: 2,
      maxSurge: 1,
      maxUnavailable: 0,
      setHash: DESIRED.hash,
    });
    expect(view.machines.map(({ isAvailable }) => isAvailable)).toEqual([true, true]);
    expect(planPool(view)).toMatchObject({ actions: [], blocked: [] });
  });

  test("from statuses alone is the same as from Azure and the Nodes", () => {
    const live = poolView(facts([whole(0), whole(1)]));
    const dumped = poolView(facts([factsFromStatus(resource(0)), factsFromStatus(resource(1))]));
    expect(dumped).toEqual(live);
  });

  test.each([
    // Ready since 00:05, and it is 01:00.
    [54 * 60, true],
    [56 * 60, false],
  ])("from statuses is the same with minReadySeconds %i, too", (minReadySeconds, isAvailable) => {
    const more = {
      machinePool: machinePool({ spec: { replicas: 1, template: { spec: { minReadySeconds } } } }),
    };
    const live = poolView(facts([whole(0)], more));
    expect(live.machines[0]?.isAvailable).toBe(isAvailable);
    expect(poolView(facts([factsFromStatus(resource(0))], more))).toEqual(live);
  });

  test.each<[string, MachineFacts, object]>([
    [
      "a user deleted",
      whole(0, { metadata: { deletionTimestamp: "2026-01-01T00:59:00Z" } }),
      { isDeleting: true, deletedByUser: true, isAvailable: false, picked: undefined },
    ],
    [
      "a user has marked",
      whole(0, { metadata: { annotations: { [DELETE_MACHINE_ANNOTATION]: "" } } }),
      { hasDeleteAnnotation: true, isAvailable: true },
    ],
    [
      "is updated in place",
      whole(0, { metadata: { annotations: { [UPDATE_INSTANCE_ANNOTATION]: "v1-0a" } } }),
      { picked: "update", updatingToHash: "v1-0a", isAvailable: false },
    ],
    [
      "bears junk where an update is asked for",
      whole(0, { metadata: { annotations: { [UPDATE_INSTANCE_ANNOTATION]: "please" } } }),
      { picked: undefined, updatingToHash: undefined, isAvailable: true },
    ],
    [
      "has no resource yet",
      { instance: instance(0, { provisioningState: "Creating", createdMs: 7, modelHash: "v1-0a" }) },
      { name: undefined, instanceID: "0", vmState: "Creating", createdMs: 7, modelHash: "v1-0a" },
    ],
    [
      "lost its instance",
      { machine: resource(0) },
      { name: "pool-0", instanceID: undefined, vmState: "Unknown" },
    ],
    [
      "has not said anything yet",
      { machine: resource(0, { status: undefined }), instance: instance(0) },
      { isAvailable: false, unavailableSinceMs: Date.parse("2026-01-01T00:00:00Z"), modelHash: "unknown" },
    ],
    [
      "does not work, which its Node tells by a clock that is ahead of ours",
      {
        ...whole(0, {
          status: {
            ready: false,
            conditions: [{ type: "Ready", status: "False", lastTransitionTime: "2026-01-01T00:30:00Z" }],
          },
        }),
        node: node({
          status: {
            conditions: [{ type: "Ready", status: "Unknown", lastTransitionTime: "2026-01-01T01:30:00Z" }],
          },
        }),
      },
      { isAvailable: false, unavailableSinceMs: Date.parse("2026-01-01T00:30:00Z") },
    ],
  ])("shows a machine that %s", (_, machine, expected) => {
    expect(poolView(facts([machine])).machines[0]).toMatchObject(expected);
  });

  test("takes what was picked from the status of the pool", () => {
    const pool = azureMachinePool({ status: { pickedForDeletion: ["pool-1"] } });
    const deleted = { metadata: { deletionTimestamp: "2026-01-01T00:59:00Z" } };
    const view = poolView(facts([whole(1, deleted), whole(2)], { pool }));
    expect(view.machines.map(({ picked, deletedByUser }) => [picked, deletedByUser])).toEqual([
      ["delete", false],
      [undefined, false],
    ]);
  });

  test("remembers a removal that was too large only for the same machines", () => {
    const gone = [0, 1, 2].map((id) => ({ machine: resource(id) }));
    const blockedRemoval = {
      hash: hashOfNames(["pool-0", "pool-1", "pool-2"]),
      count: 3,
      confirmations: 1,
      lastConfirmedAt: "2026-01-01T00:30:00Z",
    };
    const pool = azureMachinePool({ status: { blockedRemoval } });
    expect(poolView(facts(gone, { pool })).removalGuard).toEqual({
      missing: ["pool-0", "pool-1", "pool-2"],
      confirmations: 1,
      lastCountedMs: Date.parse("2026-01-01T00:30:00Z"),
    });
    expect(poolView(facts(gone.slice(1), { pool })).removalGuard).toBeUndefined();
  });

  test.each([
    [{}, undefined],
    [{ "capstan.dev/allow-removal": "12" }, 12],
    [{ "capstan.dev/allow-removal": "all" }, undefined],
  ])("with the annotations %j allows %s removals", (annotations, expected) => {
    expect(
      poolView(facts([], { pool: azureMachinePool({ metadata: { annotations } }) })).allowedRemovals,
    ).toBe(expected);
  });

  test("of an externally scaled pool wants what the scale set was set to", () => {
    const annotations = { "cluster.x-k8s.io/replicas-managed-by": "cluster-autoscaler" };
    const scaled = machinePool({ metadata: { annotations }, spec: { replicas: 2 } });
    const scaleSet = { capacity: 7, modelHash: DESIRED.hash };
    const view = poolView(facts([], { machinePool: scaled, scaleSet }));
    expect(view).toMatchObject({ desired: 7, isExternallyScaled: true });
  });
});

describe("the Nodes of a cluster, as machines tell of them", () => {
  const nodeRef = { kind: "Node", name: "pool000000" };
  const since = { lastTransitionTime: "2026-01-01T00:50:00Z" };
  const drained = (status: "True" | "False") => [{ type: "Drained", status, reason: "Draining", ...since }];
  const deallocated = [{ type: "VMRunning", status: "False" as const, reason: "VMDeallocated", ...since }];
  test.each<[string, Overrides<AzureMachinePoolMachine>["status"], object]>([
    ["works", { nodeRef }, { nodes: 1, notReady: 0 }],
    ["does not work", { nodeRef, ready: false }, { nodes: 1, notReady: 1 }],
    ["has not joined", { ready: false }, { nodes: 0, notReady: 0 }],
    ["is being drained", { nodeRef, ready: false, conditions: drained("False") }, { nodes: 1, notReady: 0 }],
    ["is drained", { nodeRef, ready: false, conditions: drained("True") }, { nodes: 0, notReady: 0 }],
    ["is off", { nodeRef, ready: false, conditions: deallocated }, { nodes: 0, notReady: 0 }],
  ])("are counted by one that %s", (_, status, expected) => {
    const machine = factsFromStatus(resource(0, { status }));
    expect(workloadFromStatus([machine])).toEqual({ isReachable: true, ...expected });
  });
});

test.each([
  ["Creating", "unknown", "Creating"],
  ["Succeeded", "running", "Running"],
  ["Succeeded", "unknown", "Running"],
  ["Succeeded", "stopped", "Stopped"],
  ["Succeeded", "deallocated", "Deallocated"],
  ["Failed", "running", "Failed"],
  ["Deleting", "running", "Deleting"],
  ["", "running", "Unknown"],
] as const)("a VM that is %s and %s is %s", (provisioningState, powerState, expected) => {
  expect(vmStateOf({ provisioningState, powerState })).toBe(expected);
});
