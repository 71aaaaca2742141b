import {
  controllerReferenceTo,
  type Frozen,
  KubeadmControlPlane,
  type KubernetesObject,
  type Machine,
  withDefaults,
} from "@capstan/api";
import { desiredKey } from "@capstan/manager";
import { kubeadmControlPlane, machine } from "@capstan/runtime/testing/builders";
import { expect, test } from "vitest";
import { checkedDump } from "../read/checked-dump.ts";
import { controlPlanePlanner } from "./control-plane-planner.ts";
import { sortObjects } from "../read/given-objects.ts";

const NOW_MS = Date.parse("2026-01-02T00:00:00Z");
const creationTimestamp = "2026-01-01T00:00:00Z";
const HEALTHY = [
  "NodeHealthy",
  "APIServerPodHealthy",
  "ControllerManagerPodHealthy",
  "SchedulerPodHealthy",
  "EtcdPodHealthy",
  "EtcdMemberHealthy",
];

function planOf(...objects: readonly Frozen<KubernetesObject>[]) {
  return controlPlanePlanner.planDump(checkedDump(sortObjects(objects, "default")), NOW_MS);
}

const controlPlane = kubeadmControlPlane({
  metadata: { uid: "k1", creationTimestamp },
  spec: { replicas: 3, version: "v1.34.1" },
  status: { initialization: { controlPlaneInitialized: true }, replicas: 3 },
});

function machineNamed(name: string, version: string, status: "True" | "False" = "True"): Machine {
  const conditions = HEALTHY.map((type) => ({
    type,
    status,
    reason: "X",
    lastTransitionTime: creationTimestamp,
  }));
  return machine({
    metadata: { name, creationTimestamp, ownerReferences: [controllerReferenceTo(controlPlane)] },
    spec: { version },
    status: { nodeRef: { name }, deprecated: { v1beta1: { conditions } } },
  });
}

test("an upgrade begins with one more machine", () => {
  const machines = ["a", "b", "c"].map((name) => machineNamed(name, "v1.33.5"));
  const { json, print, isDisruptive } = planOf(controlPlane, ...machines);
  expect(json.actions).toMatchObject([
    { controller: "kubeadmcontrolplane", action: "CreateMachine", detail: { role: "join" } },
  ]);
  expect(print("text")).toContain("Machine a is outdated: version v1.33.5 is not v1.34.1");
  expect(isDisruptive, "the machines are replaced later").toBe(true);
});

test("an upgrade continues with the deletion of an old machine when the new one is healthy", () => {
  const machines = [
    machineNamed("a", "v1.33.5"),
    ...["b", "c", "d"].map((name) => machineNamed(name, "v1.34.1")),
  ];
  const { json, isDisruptive } = planOf(controlPlane, ...machines);
  expect(json.actions).toMatchObject([
    { action: "DeleteMachine", targets: ["a"], detail: { cause: "Outdated" } },
  ]);
  expect(isDisruptive).toBe(true);
});

test("an unhealthy machine holds an upgrade up, and the plan names the machine and the part", () => {
  const machines = [
    ...["a", "b"].map((name) => machineNamed(name, "v1.33.5")),
    machineNamed("c", "v1.33.5", "False"),
  ];
  const { json } = planOf(controlPlane, ...machines);
  expect(json.actions).toEqual([]);
  expect(json.blocked).toMatchObject([{ reason: "PreflightCheckFailed" }]);
});

/** A control plane whose updaters have answered about its machines. */
function decided(result: "Covered" | "Uncovered", names: readonly string[]): KubeadmControlPlane {
  const spec = { ...controlPlane.spec, rollout: { strategy: { type: "InPlace" as const } } };
  const paths = ["machine.spec.version"];
  const answer =
    result === "Covered"
      ? { updaters: [{ name: "kubeadm-upgrade", changes: paths }], message: "kubeadm-upgrade changes it" }
      : { uncovered: paths, message: "no updater changes machine.spec.version" };
  const decisions = names.map((machineName) => ({ machine: machineName, key: "k", result, ...answer }));
  const inPlace = {
    key: desiredKey(withDefaults(KubeadmControlPlane, { ...controlPlane, spec })),
    decisions,
  };
  return { ...controlPlane, spec, status: { ...controlPlane.status, inPlace } };
}

test("an update in place names the machine, its updaters and the fields that they change", () => {
  const machines = ["a", "b", "c"].map((name) => machineNamed(name, "v1.33.5"));
  const { json, print, isDisruptive } = planOf(decided("Covered", ["a", "b", "c"]), ...machines);
  expect(json.actions).toMatchObject([
    {
      action: "UpdateMachineInPlace",
      targets: ["a"],
      detail: { updaters: ["kubeadm-upgrade"], paths: ["machine.spec.version"] },
    },
  ]);
  expect(print("text")).toContain("in place: Machines a, b, c by kubeadm-upgrade (machine.spec.version)");
  expect(print("text")).toContain("UpdateMachineInPlace a, machine.spec.version by kubeadm-upgrade");
  expect(isDisruptive).toBe(true);
});

test("changes that no updater makes are blocked, and nothing is replaced", () => {
  const machines = ["a", "b", "c"].map((name) => machineNamed(name, "v1.33.5"));
  const { json, print } = planOf(decided("Uncovered", ["a", "b", "c"]), ...machines);
  expect(json.actions).toEqual([]);
  expect(json.blocked).toMatchObject([{ reason: "ChangesNotCovered", targets: ["a"] }]);
  expect(print("text")).toContain("blocked: Machines a, b, c: no updater changes machine.spec.version");
});

test("a dump without the machines is refused with the command that adds them", () => {
  expect(() => planOf(controlPlane)).toThrow("kubectl get machines");
});
