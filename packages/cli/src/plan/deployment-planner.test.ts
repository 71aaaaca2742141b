import { controllerReferenceTo, type Frozen, type KubernetesObject } from "@capstan/api";
import { machine, machineDeployment, machineSet } from "@capstan/runtime/testing/builders";
import { expect, test } from "vitest";
import { checkedDump } from "./checked-dump.ts";
import { deploymentPlanner } from "./deployment-planner.ts";
import { sortObjects } from "./given-objects.ts";

const NOW_MS = Date.parse("2026-01-02T00:00:00Z");

/** The plan of objects as kubectl prints them. */
function planOf(...objects: readonly Frozen<KubernetesObject>[]) {
  const given = sortObjects(objects, "default");
  return deploymentPlanner.planDump(checkedDump(given), NOW_MS);
}

const creationTimestamp = "2026-01-01T00:00:00Z";
const deployment = machineDeployment({
  metadata: { uid: "d1", creationTimestamp },
  spec: { replicas: 3, template: { spec: { version: "v1.32.0" } } },
});
const old = machineSet({
  metadata: {
    name: "machines-old",
    uid: "s1",
    creationTimestamp,
    ownerReferences: [controllerReferenceTo(deployment)],
  },
  spec: { replicas: 3, template: { spec: { version: "v1.31.2" } } },
  status: { replicas: 3, availableReplicas: 3 },
});
const machines = ["a", "b", "c"].map((name) =>
  machine({ metadata: { name, creationTimestamp, ownerReferences: [controllerReferenceTo(old)] } }),
);

test("a new version is planned as a MachineSet within the surge", () => {
  const { json, print, isDisruptive } = planOf(deployment, old, ...machines);
  expect(json.actions).toMatchObject([
    { controller: "machinedeployment", action: "CreateMachineSet", detail: { replicas: 1 } },
  ]);
  expect(print("text")).toContain("spec.template.spec changed: version");
  expect(isDisruptive).toBe(false);
});

test("a set with too many machines names the one to delete, and why", () => {
  const smaller = { ...old, spec: { ...old.spec, replicas: 2 } };
  const { json, isDisruptive } = planOf(smaller, ...machines);
  expect(json.actions).toMatchObject([
    {
      action: "DeleteMachine",
      targets: ["a"],
      detail: { cause: "Unhealthy" },
      why: "1 machine more than 2 replicas; this one is not healthy",
    },
  ]);
  expect(isDisruptive).toBe(true);
});

test("a dump without the machines of a set is refused with the command that adds them", () => {
  expect(() => planOf(deployment, old)).toThrow("kubectl get machines");
});
