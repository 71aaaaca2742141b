import { type Condition, type Machine, UPDATE_IN_PROGRESS_ANNOTATION } from "@capstan/api";
import { machine, type Overrides } from "@capstan/runtime/testing/builders";
import { describe, expect, test } from "vitest";
import { machineConditions } from "./machine.ts";

const AT = "2026-01-01T00:00:00Z";

/** A condition of v1beta1. */
function old(type: string, status: Condition["status"], reason: string, message = ""): Condition {
  return { type, status, reason, message, lastTransitionTime: AT };
}

const WELL = [
  old("BootstrapReady", "True", "Ready"),
  old("InfrastructureReady", "True", "Ready"),
  old("NodeHealthy", "True", "NodeReady"),
  old("Available", "True", "Available"),
  old("UpToDate", "True", "UpToDate"),
];

/** A machine with conditions of v1beta1 in place of those of one that is well. */
function withOld(changed: readonly Condition[], overrides: Overrides<Machine> = {}): Machine {
  const others = WELL.filter(({ type }) => changed.every((one) => one.type !== type));
  return machine({ status: { deprecated: { v1beta1: { conditions: [...others, ...changed] } } } }, overrides);
}

function judge(object: Machine, facts: Partial<Parameters<typeof machineConditions>[1]> = {}) {
  const conditions = machineConditions(object, { missing: [], ...facts });
  return Object.fromEntries(
    conditions.map(({ type, status, reason, message }) => [type, `${status} ${reason} ${message}`.trim()]),
  );
}

test("a machine that is well has every condition of Cluster API", () => {
  expect(judge(withOld([]))).toEqual({
    BootstrapConfigReady: "True Ready",
    InfrastructureReady: "True Ready",
    NodeHealthy: "True NodeHealthy",
    NodeReady: "True NodeReady",
    UpToDate: "True UpToDate",
    Updating: "False NotUpdating",
    Deleting: "False NotDeleting",
    Ready: "True Ready",
    Available: "True Available",
  });
});

describe("the condition of a part says in Cluster API's words", () => {
  test.each<[string, Condition, "bootstrap" | "infrastructure" | undefined, string, string]>([
    [
      "that the bootstrap config does not exist",
      old("BootstrapReady", "False", "WaitingForBootstrap", "KubeadmConfig x does not exist"),
      "bootstrap",
      "BootstrapConfigReady",
      "False ObjectDoesNotExist KubeadmConfig x does not exist",
    ],
    [
      "that the user gave the data",
      old("BootstrapReady", "True", "DataSecretProvided"),
      undefined,
      "BootstrapConfigReady",
      "True DataSecretProvided",
    ],
    [
      "that the infrastructure is not ready",
      old("InfrastructureReady", "False", "WaitingForInfrastructure"),
      undefined,
      "InfrastructureReady",
      "False NotReady",
    ],
    [
      "that the infrastructure was deleted",
      old("InfrastructureReady", "False", "ReferencedObjectDeleted", "gone"),
      "infrastructure",
      "InfrastructureReady",
      "False ObjectDeleted gone",
    ],
    [
      "what the provider says itself",
      old("InfrastructureReady", "False", "QuotaExceeded", "no cores left"),
      undefined,
      "InfrastructureReady",
      "False QuotaExceeded no cores left",
    ],
    [
      "that no Node has joined yet",
      old("NodeHealthy", "False", "NodeProvisioning", "waiting"),
      undefined,
      "NodeReady",
      "Unknown InspectionFailed waiting",
    ],
    [
      "that the Node was deleted",
      old("NodeHealthy", "False", "NodeNotFound", "Node n no longer exists"),
      undefined,
      "NodeHealthy",
      "False NodeDeleted Node n no longer exists",
    ],
    [
      "that the Node is not Ready",
      old("NodeHealthy", "False", "NodeConditionsFailed", "n is not Ready"),
      undefined,
      "NodeReady",
      "False NodeNotReady n is not Ready",
    ],
    [
      "that the kubelet has another version",
      old("UpToDate", "False", "KubeletVersionDiffers", "v1.33.5"),
      undefined,
      "UpToDate",
      "False Updating v1.33.5",
    ],
    [
      "that the template has changed",
      old("UpToDate", "False", "NotUpToDate", "version"),
      undefined,
      "UpToDate",
      "False NotUpToDate version",
    ],
  ])("%s", (_, condition, missing, type, expected) => {
    expect(judge(withOld([condition]), { missing: missing ? [missing] : [] })[type]).toBe(expected);
  });
});

describe("Ready", () => {
  test("is False with the messages of all bad conditions", () => {
    const object = withOld([
      old("InfrastructureReady", "False", "QuotaExceeded", "no cores left"),
      old("NodeHealthy", "Unknown", "WaitingForNodes", "not listed"),
    ]);
    expect(judge(object)["Ready"]).toBe(
      "False NotReady * InfrastructureReady: no cores left\n* NodeHealthy: not listed",
    );
  });

  test("is Unknown while a condition was not observed, and nothing is bad", () => {
    expect(judge(machine({}))["Ready"]).toMatch(/^Unknown ReadyUnknown /);
  });

  test("is False while updaters work, and after one has failed", () => {
    const annotations = { metadata: { annotations: { [UPDATE_IN_PROGRESS_ANNOTATION]: "" } } };
    const running = judge(withOld([old("Updating", "True", "UpdatingInPlace", "2 calls")], annotations));
    expect(running["Updating"]).toBe("True InPlaceUpdating 2 calls");
    expect(running["Ready"]).toBe("False NotReady * Updating: 2 calls");
    const failed = judge(withOld([old("Updating", "False", "UpdateFailed", "broken")], annotations));
    expect(failed["Updating"]).toBe("True InPlaceUpdateFailed broken");
  });

  test("counts a failed health check, and gates of either polarity", () => {
    const conditions = [
      { type: "HealthCheckSucceeded", status: "False", reason: "UnhealthyNode", message: "bad disk" },
      { type: "example.com/Burning", status: "True", reason: "Fire", message: "hot" },
    ].map((condition) => ({ ...condition, lastTransitionTime: AT }));
    const gates = [{ conditionType: "example.com/Burning", polarity: "Negative" as const }];
    const object = withOld([], {
      spec: { readinessGates: gates },
      status: { conditions },
    } as Overrides<Machine>);
    expect(judge(object)["Ready"]).toBe(
      "False NotReady * example.com/Burning: hot\n* HealthCheckSucceeded: bad disk",
    );
  });
});

describe("the stage of a deletion is", () => {
  const deleted = { metadata: { deletionTimestamp: AT } };
  const waiting = (reason: string) => ({ waitsFor: { reason, message: "waits" } });
  test.each<[string, string, object]>([
    ["DrainingNode", "DrainBlocked", {}],
    ["WaitingForPreDrainHook", "WaitingExternalHook", {}],
    ["WaitingForPreTerminateHook", "WaitingExternalHook", { waitForPreTerminateHookStartTime: AT }],
    ["WaitingForVolumeDetach", "WaitingForVolumes", { waitForNodeVolumeDetachStartTime: AT }],
    ["WaitingForInfrastructureDeletion", "WaitingForInfrastructureDeletion", {}],
    ["DeletingNode", "WaitingForNodeDeletion", {}],
  ])("%s when it waits with %s", (stage, reason, deletion) => {
    const object = withOld([], { ...deleted, status: { deletion } });
    expect(judge(object, waiting(reason))["Deleting"]).toBe(`True ${stage} waits`);
    expect(judge(object, waiting(reason))["Ready"]).toMatch(/^False NotReady \* Deleting: waits/);
  });
});
