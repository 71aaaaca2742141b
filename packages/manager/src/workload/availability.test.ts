import { type AzureMachinePoolMachine, type Node, UPDATE_INSTANCE_ANNOTATION } from "@capstan/api";
import { azureMachinePoolMachine, node, type Overrides } from "@capstan/runtime/testing/builders";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { PowerState } from "@capstan/azure";
import { availabilityOf, type AvailabilityFacts, updateOf } from "./availability.ts";

const NOW_MS = Date.parse("2026-01-01T01:00:00Z");
const READY_MS = NOW_MS - 100_000;

function nodeOf(overrides: Overrides<Node> = {}, status: "True" | "False" | "Unknown" = "True"): Node {
  const lastTransitionTime = new Date(READY_MS).toISOString();
  return node(
    { metadata: { name: "n" }, status: { conditions: [{ type: "Ready", status, lastTransitionTime }] } },
    overrides,
  );
}

function machineOf(overrides: Overrides<AzureMachinePoolMachine> = {}): AzureMachinePoolMachine {
  return azureMachinePoolMachine(overrides);
}

const WELL: AvailabilityFacts = {
  instance: { provisioningState: "Succeeded", powerState: "running" },
  node: nodeOf(),
  machine: machineOf(),
  minReadySeconds: 60,
  nowMs: NOW_MS,
};

const UPDATING = { metadata: { annotations: { [UPDATE_INSTANCE_ANNOTATION]: "v1-aa" } } };
const instance = (provisioningState: string, powerState: PowerState = "running") => ({
  instance: { provisioningState, powerState },
});

describe("a machine is available", () => {
  test.each<[string, Partial<AvailabilityFacts>]>([
    ["that runs with a Ready Node", {}],
    ["although Azure reports a failure", instance("Failed")],
    ["while Azure updates it", instance("Updating")],
    ["while Azure does not report its power state", instance("Succeeded", "unknown")],
    ["with an invalid update annotation", { machine: machineOf(junk("yes")) }],
  ])("%s", (_, facts) => {
    expect(availabilityOf({ ...WELL, ...facts })).toEqual({
      isAvailable: true,
      sinceMs: READY_MS + 60_000,
      why: "pool-0 runs and its Node is Ready",
    });
  });
});

test("without minReadySeconds a Ready Node is available at once, also for a manager whose clock is an hour behind", () => {
  const nowMs = READY_MS - 3_600_000;
  expect(availabilityOf({ ...WELL, minReadySeconds: 0, nowMs })).toMatchObject({ isAvailable: true });
  expect(availabilityOf({ ...WELL, nowMs })).toMatchObject({ isAvailable: false });
});

describe("a machine is not available", () => {
  test.each<[string, Partial<AvailabilityFacts>, string]>([
    ["that is stopped", instance("Succeeded", "stopped"), "Azure says that its instance is stopped"],
    ["that is being created", instance("Creating"), "Azure says that its instance is Creating"],
    ["that is being deleted in Azure", instance("Deleting"), "Azure says that its instance is Deleting"],
    [
      "that is being deleted",
      { machine: machineOf({ metadata: { deletionTimestamp: "2026-01-01T00:00:00Z" } }) },
      "it is being deleted",
    ],
    ["that was picked for an update", { machine: machineOf(UPDATING) }, "it is being updated in place"],
    [
      "that is updated",
      { machine: machineOf({ status: { instanceUpdate: { modelHash: "v1-aa" } } }) },
      "it is being updated in place",
    ],
    ["whose Node is not Ready", { node: nodeOf({}, "False") }, "its Node n is not Ready"],
    ["whose Node has stopped reporting", { node: nodeOf({}, "Unknown") }, "its Node n is not Ready"],
    ["that is cordoned", { node: nodeOf({ spec: { unschedulable: true } }) }, "its Node n takes no pods"],
    [
      "that the cloud provider has not initialized",
      {
        node: nodeOf({
          spec: { taints: [{ key: "node.cloudprovider.kubernetes.io/uninitialized", effect: "NoSchedule" }] },
        }),
      },
      "its Node n takes no pods",
    ],
    [
      "whose Node is being deleted",
      { node: nodeOf({ metadata: { deletionTimestamp: "2026-01-01T00:00:00Z" } }) },
      "its Node n takes no pods",
    ],
  ])("%s", (_, facts, why) => {
    expect(availabilityOf({ ...WELL, ...facts })).toMatchObject({ isAvailable: false, why });
  });

  test("that has no instance or no Node", () => {
    const { instance: _, ...noInstance } = WELL;
    const { node: __, ...noNode } = WELL;
    expect(availabilityOf(noInstance)).toMatchObject({ isAvailable: false, why: "it has no instance" });
    expect(availabilityOf(noNode)).toMatchObject({ isAvailable: false, why: "it has no Node" });
  });

  test("before its Node has been Ready for long enough, and reports when it will be", () => {
    expect(availabilityOf({ ...WELL, minReadySeconds: 101 })).toMatchObject({
      isAvailable: false,
      availableAtMs: NOW_MS + 1000,
    });
    expect(availabilityOf({ ...WELL, minReadySeconds: 100 })).toMatchObject({ isAvailable: true });
  });

  test("since the transition time of its Node, or of its own condition", () => {
    expect(availabilityOf({ ...WELL, node: nodeOf({}, "False") }).sinceMs).toBe(READY_MS);
    const lastTransitionTime = "2026-01-01T00:30:00Z";
    const conditions = [{ type: "Ready", status: "False", reason: "VMStopped", lastTransitionTime } as const];
    const machine = machineOf({ status: { conditions: [...conditions] } });
    const facts = { ...WELL, ...instance("Succeeded", "stopped"), machine };
    expect(availabilityOf(facts).sinceMs).toBe(Date.parse(lastTransitionTime));
  });
});

test("a machine that is available stays available while only time passes", () => {
  fc.assert(
    fc.property(fc.nat(1_000), fc.nat(10_000_000), (minReadySeconds, laterMs) => {
      const before = availabilityOf({ ...WELL, minReadySeconds });
      const after = availabilityOf({ ...WELL, minReadySeconds, nowMs: NOW_MS + laterMs });
      expect(after.isAvailable).toBe(
        before.isAvailable || (before.availableAtMs ?? Infinity) <= NOW_MS + laterMs,
      );
    }),
  );
});

function junk(value: string): Overrides<AzureMachinePoolMachine> {
  return { metadata: { annotations: { [UPDATE_INSTANCE_ANNOTATION]: value } } };
}

test.each([
  ["v1-0af3", "v1-0af3"],
  ["v12-aa", "v12-aa"],
  ["true", undefined],
  ["", undefined],
  ["v1-XY", undefined],
  ["v1-", undefined],
  [" v1-aa", undefined],
])("the annotation %j requests an update to %j", (value, hash) => {
  expect(updateOf(machineOf(junk(value)))).toBe(hash);
});
