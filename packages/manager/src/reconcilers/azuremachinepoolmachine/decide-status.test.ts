import type { AzureMachinePoolMachine, NodeCondition } from "@capstan/api";
import type { Overrides } from "@capstan/runtime/testing/builders";
import { describe, expect, test } from "vitest";
import type { ScaleSetInstance } from "@capstan/azure";
import { BOOTSTRAP_SUCCEEDED, NODE_HEALTHY, VM_RUNNING } from "../../pools/machine-conditions.ts";
import { decideStatus, type MachineStatusView } from "./decide-status.ts";
import type { NodeLookup } from "../../workload/find-node.ts";
import { instanceOf, machineOf, nodeOf } from "../../pools/machine.fixture.ts";

const FOUND: NodeLookup = { state: "found", node: nodeOf() };
const NONE: NodeLookup = { state: "none" };
const UNKNOWN: NodeLookup = { state: "unknown", reason: "WorkloadClusterUnreachable", message: "silent" };
const FAILED = {
  provisioningState: "Failed",
  instanceView: { statuses: [{ code: "ProvisioningState/failed/OSProvisioningTimedOut", message: "slow" }] },
};

const PROVISIONED = "2026-01-01T00:01:00Z";
const PROVISIONED_MS = Date.parse(PROVISIONED);
const TEN_MINUTES_MS = 10 * 60_000;
const BOOTED = instanceOf({
  instanceView: { statuses: [{ code: "ProvisioningState/succeeded", time: PROVISIONED }] },
});

const view = (parts: Partial<MachineStatusView> = {}): MachineStatusView => ({
  machine: machineOf(),
  instance: instanceOf(),
  node: FOUND,
  nowMs: PROVISIONED_MS,
  ...parts,
});

/** One condition in short form. */
function reported(type: string, parts: Partial<MachineStatusView>): string | undefined {
  const condition = decideStatus(view(parts)).conditions.find((one) => one.type === type);
  return (
    condition &&
    [condition.status, condition.reason, condition.severity].filter((word) => word !== undefined).join(" ")
  );
}

describe("the status of a machine", () => {
  test("reports its instance and its Node", () => {
    expect(decideStatus(view()).fields).toEqual({
      instanceID: "0",
      instanceName: "pool_0",
      provisioningState: "Succeeded",
      latestModelApplied: true,
      ready: true,
      initialization: { provisioned: true },
      version: "v1.34.1",
      nodeRef: { apiVersion: "v1", kind: "Node", name: "pool000000", uid: "new-uid" },
    });
  });

  test("reports once and for all that its VM was provisioned, whatever becomes of its Node", () => {
    const creating = instanceOf({ provisioningState: "Creating" });
    const provisioned = (parts: Partial<MachineStatusView>) =>
      decideStatus(view(parts)).fields.initialization;
    expect(provisioned({ instance: creating, node: NONE })).toBeUndefined();
    expect(provisioned({ node: NONE })).toEqual({ provisioned: true });
    const known = machineOf({ status: { initialization: { provisioned: true } } });
    expect(provisioned({ machine: known, instance: instanceOf(FAILED), node: NONE })).toEqual({
      provisioned: true,
    });
  });

  test("has the model from the pool's annotation until a list shows the model", () => {
    const made = { metadata: { annotations: { "capstan.dev/model-hash": "v1-aa" } } };
    const modelOf = (...overrides: Overrides<AzureMachinePoolMachine>[]) =>
      decideStatus(view({ machine: machineOf(...overrides) })).fields.modelHash;
    expect(modelOf(made)).toBe("v1-aa");
    expect(modelOf(made, { status: { modelHash: "v1-bb" } })).toBe("v1-bb");
  });

  test("says why Azure failed", () => {
    expect(decideStatus(view({ instance: instanceOf(FAILED) })).fields).toMatchObject({
      failureReason: "OSProvisioningTimedOut",
      failureMessage: "slow",
    });
  });

  test("reports a Node that a user has cordoned, and once that it no longer is", () => {
    const type = "NodeSchedulable";
    const cordoned = (annotations = {}): Partial<MachineStatusView> => ({
      node: { state: "found", node: nodeOf({ metadata: { annotations }, spec: { unschedulable: true } }) },
    });
    expect(reported(type, {})).toBeUndefined();
    expect(reported(type, cordoned())).toBe("False NodeCordoned Info");
    expect(reported(type, cordoned({ "capstan.dev/cordoned": "true" }))).toBeUndefined();
    const lastTransitionTime = "2026-01-01T00:00:00Z";
    const known = machineOf({ status: { conditions: [{ type, status: "False", lastTransitionTime }] } });
    expect(reported(type, { machine: known })).toBe("True NodeTakesPods");
  });

  test("keeps the reported Node while the workload cluster does not answer", () => {
    const { fields } = decideStatus(view({ node: UNKNOWN }));
    expect(Object.keys(fields)).not.toEqual(expect.arrayContaining(["ready"]));
    expect(fields).not.toHaveProperty("nodeRef");
  });
});

test.each<[string, ScaleSetInstance, string]>([
  ["runs", instanceOf(), "True Running"],
  ["runs while it is updated", instanceOf({ provisioningState: "Updating" }), "True Running"],
  ["is being created", instanceOf({ provisioningState: "Creating" }, "starting"), "False Creating Info"],
  ["is being deleted", instanceOf({ provisioningState: "Deleting" }), "False VMDeleting Info"],
  ["has failed", instanceOf(FAILED), "False VMProvisionFailed Error"],
  ["is stopped", instanceOf({}, "stopped"), "False VMStopped Warning"],
  ["is deallocated", instanceOf({}, "deallocated"), "False VMDeallocated Warning"],
])("a VM that %s", (_, instance, expected) => {
  expect(reported(VM_RUNNING, { instance })).toBe(expected);
});

const condition = (type: string, status: NodeCondition["status"]): NodeCondition => ({ type, status });
const found = (...conditions: NodeCondition[]): NodeLookup => ({
  state: "found",
  node: nodeOf({ status: { conditions } }),
});
const KNOWN = machineOf({ status: { nodeRef: { name: "pool000000" } } });
const CREATING = instanceOf({ provisioningState: "Creating" });
const ready = condition("Ready", "True");

test.each<[string, Partial<MachineStatusView>, string | undefined]>([
  [
    "that is Ready",
    { node: found(ready, condition("MemoryPressure", "False")) },
    "True NodeConditionsHealthy",
  ],
  ["that is not", { node: found(condition("Ready", "False")) }, "False NodeConditionsFailed Warning"],
  [
    "that has stopped reporting",
    { node: found(condition("Ready", "Unknown")) },
    "False NodeConditionsFailed Warning",
  ],
  ["without conditions", { node: found() }, "False NodeConditionsFailed Warning"],
  [
    "under pressure",
    { node: found(ready, condition("DiskPressure", "True")) },
    "False NodeConditionsFailed Warning",
  ],
  ["with an unknown condition", { node: found(ready, condition("X", "True")) }, "True NodeConditionsHealthy"],
  [
    "that is missing while its VM is created",
    { node: NONE, instance: CREATING },
    "False WaitingForNodeRef Info",
  ],
  ["that is missing", { node: NONE }, "False NodeProvisioning Info"],
  ["that is gone", { node: NONE, machine: KNOWN }, "False NodeNotFound Error"],
  ["of another machine", { node: { state: "impostor", message: "x" } }, "False NodeDisputed Warning"],
  ["that two claim to be", { node: { state: "disputed", message: "x" } }, "False NodeDisputed Warning"],
  ["in a cluster that does not answer", { node: UNKNOWN }, "Unknown WorkloadClusterUnreachable"],
])("a Node %s", (_, parts, expected) => {
  expect(reported(NODE_HEALTHY, parts)).toBe(expected);
});

const JOINED = machineOf({
  status: {
    conditions: [
      { type: BOOTSTRAP_SUCCEEDED, status: "True", reason: "x", lastTransitionTime: "2026-01-01T00:00:00Z" },
    ],
  },
});

test.each<[string, Partial<MachineStatusView>, string | undefined]>([
  ["succeeded with a Node", {}, "True NodeJoined"],
  ["is in progress without one", { node: NONE }, "False BootstrapInProgress Info"],
  ["failed in the guest", { node: NONE, instance: instanceOf(FAILED) }, "False BootstrapFailed Error"],
  ["has succeeded once, and stays so", { node: NONE, machine: JOINED }, undefined],
])("bootstrapping %s", (_, parts, expected) => {
  expect(reported(BOOTSTRAP_SUCCEEDED, parts)).toBe(expected);
});

test.each<[string, Partial<MachineStatusView>, string]>([
  ["a second before", { nowMs: PROVISIONED_MS + TEN_MINUTES_MS - 1000 }, "False BootstrapInProgress Info"],
  ["then", { nowMs: PROVISIONED_MS + TEN_MINUTES_MS }, "False NodeNotJoined Warning"],
  [
    "then, while the workload cluster does not answer",
    { nowMs: PROVISIONED_MS + TEN_MINUTES_MS, node: UNKNOWN },
    "False BootstrapInProgress Info",
  ],
  [
    "then, while Azure creates it",
    { nowMs: PROVISIONED_MS + TEN_MINUTES_MS, instance: CREATING },
    "False BootstrapInProgress Info",
  ],
])("a machine that has not joined ten minutes after its VM is provisioned: %s", (_, parts, expected) => {
  expect(reported(BOOTSTRAP_SUCCEEDED, { node: NONE, instance: BOOTED, ...parts })).toBe(expected);
});
