import { controllerReferenceTo, type Frozen, type KubernetesObject } from "@capstan/api";
import { machine, machineDeployment, machineSet } from "@capstan/runtime/testing/builders";
import { expect, test } from "vitest";
import { checkedDump } from "../read/checked-dump.ts";
import { deploymentPlanner } from "./deployment-planner.ts";
import { sortObjects } from "../read/given-objects.ts";

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
  expect(isDisruptive, "the machines are replaced later").toBe(true);
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

/** A deployment that updates in place, after its controller has asked the updaters. */
function decided(
  decision: object,
  {
    strategy = {},
    machineSet: name = "machines-new",
    others = [],
  }: { strategy?: object; machineSet?: string; others?: readonly object[] } = {},
): Frozen<KubernetesObject> {
  const decisions = [{ machineSet: "machines-old", key: "k", ...decision }, ...others] as never;
  return machineDeployment({
    metadata: { uid: "d1", creationTimestamp },
    spec: {
      replicas: 3,
      rollout: { strategy: { type: "InPlace", ...strategy } },
      template: { spec: { version: "v1.32.0" } },
    },
    status: { inPlace: { machineSet: name, decisions } },
  });
}

const target = machineSet({
  metadata: {
    name: "machines-new",
    uid: "s2",
    creationTimestamp,
    ownerReferences: [controllerReferenceTo(deployment)],
  },
  spec: { replicas: 0, template: { spec: { version: "v1.32.0" } } },
});
const ready = machines.map((one) =>
  machine(one, {
    status: {
      nodeRef: { name: one.metadata.name },
      deprecated: {
        v1beta1: {
          conditions: ["Ready", "Available"].map((type) => ({
            type,
            status: "True" as const,
            reason: "Because",
            lastTransitionTime: creationTimestamp,
          })),
        },
      },
    },
  }),
);

test("machines that updaters cover are planned one by one, with the updaters and the paths", () => {
  const updaters = [{ name: "kubeadm-upgrade", changes: ["machine.spec.version"] }];
  const planned = planOf(decided({ result: "Covered", updaters, message: "why" }), old, target, ...ready);
  const actions = planned.json.actions as { action: string }[];
  expect(actions.filter(({ action }) => /Machine(InPlace)?$/.test(action))).toMatchObject([
    { action: "MoveMachine", targets: ["a"], detail: { from: "machines-old", to: "machines-new" } },
    {
      controller: "machine",
      action: "UpdateMachineInPlace",
      object: { kind: "Machine", name: "a" },
      detail: { updaters: ["kubeadm-upgrade"], paths: ["machine.spec.version"] },
    },
  ]);
  expect(planned.isDisruptive).toBe(true);
  expect(planned.print("text")).toContain(
    "  how long updates in place take is not known before 5 of them have ended\n",
  );
  expect(planned.print("text")).toContain(
    "  in place: 3 machines of MachineSet machines-old by kubeadm-upgrade (machine.spec.version)\n",
  );
});

test("a drain before an update, and a set that no updater covers beside one that is covered, are shown", () => {
  const updaters = [
    {
      name: "resizer",
      changes: ["infraMachine.spec.vmSize"],
      needsDrain: true,
      affectsAvailability: false,
    },
  ];
  const two = machineSet(old, { spec: { replicas: 2 }, status: { replicas: 2 } });
  const other = machineSet(old, {
    metadata: { name: "machines-other", uid: "s3" },
    spec: { replicas: 1 },
    status: { replicas: 1 },
  });
  const [first, ...rest] = ready;
  if (!first) throw new Error("there is no machine");
  const moved = machine(first, { metadata: { ownerReferences: [controllerReferenceTo(other)] } });
  const uncovered = {
    machineSet: "machines-other",
    key: "k",
    result: "Uncovered",
    message: "no updater changes it",
  };
  const given = decided({ result: "Covered", updaters, message: "why" }, { others: [uncovered] });
  const planned = planOf(given, two, other, target, moved, ...rest);
  const text = planned.print("text");
  expect(text).toContain(
    "  in place: 2 machines of MachineSet machines-old by resizer (infraMachine.spec.vmSize, after a drain; the machine stays available, which counts only from Cluster API 1.15)\n",
  );
  expect(text).toContain("  blocked: 1 machine of MachineSet machines-other: no updater changes it\n");
  expect(text).toContain("2 machines updated in place, 1 not changed");
  expect(planned.json.actions).toContainEqual(
    expect.objectContaining({
      action: "MoveMachine",
      detail: expect.objectContaining({ needsDrain: true }) as unknown,
    }),
  );
});

test("a change that no updater covers is planned as blocked, or as a replacement with a fallback", () => {
  const decision = {
    result: "Uncovered",
    uncovered: ["infraMachine.spec.vmSize"],
    message: "no updater changes it",
  };
  // The name of a set depends on its template alone.
  const [creation] = planOf(deployment, old, ...ready).json.actions as { targets: string[] }[];
  const name = creation?.targets[0] ?? "";
  const blocked = planOf(decided(decision, { machineSet: name }), old, ...ready);
  expect(blocked.json.blocked).toMatchObject([{ reason: "ChangesNotCovered" }]);
  expect(blocked.json.actions).toEqual([]);
  expect(blocked.print("text")).toContain(
    "  blocked: 3 machines of MachineSet machines-old: no updater changes it\n",
  );
  const strategy = { fallbackRollingUpdate: { maxSurge: 1, maxUnavailable: 0 } };
  const replaced = planOf(decided(decision, { strategy, machineSet: name }), old, ...ready);
  expect(replaced.json.actions).toMatchObject([{ action: "CreateMachineSet", detail: { replicas: 1 } }]);
  expect(replaced.print("text")).toContain("  replaced: 3 machines of MachineSet machines-old");
});
