import { KubeadmControlPlane, MachineDeployment } from "@capstan/api";
import { expect, test } from "vitest";
import { ownerNamed, ownerProgress } from "./owner-progress.ts";
import type { Client } from "@capstan/runtime";
import { kubeadmControlPlane, machineDeployment } from "@capstan/runtime/testing/builders";

test.each([
  ["kcp/bridge", { kind: KubeadmControlPlane, name: "bridge" }],
  ["KubeadmControlPlane/bridge", { kind: KubeadmControlPlane, name: "bridge" }],
  ["md/workers", { kind: MachineDeployment, name: "workers" }],
  ["workers", undefined],
  ["mp/workers", undefined],
  ["fleet/workers", undefined],
  ["kcp/", undefined],
  ["kcp/a/b", undefined],
])("%s names %j", (given, owner) => {
  expect(ownerNamed(given)).toEqual(owner);
});

/** A client of a server with one object, or none. */
function clientWith(object: unknown): Client {
  return { find: () => Promise.resolve(object), list: () => Promise.resolve([]) } as unknown as Client;
}

const OWNER = { kind: KubeadmControlPlane, name: "control-plane" };
const PLACE = { namespace: "default", isWatching: true };
const counts = { replicas: 4, upToDateReplicas: 2, readyReplicas: 3, observedGeneration: 2 };

test("a rollout in progress tells its numbers and what holds it up", async () => {
  const conditions = [
    {
      type: "MachinesCreated",
      status: "False" as const,
      reason: "PreflightCheckFailed",
      message: "Machine a has no Node yet",
      lastTransitionTime: "",
    },
  ];
  const object = kubeadmControlPlane({
    metadata: { name: "bridge", generation: 2 },
    spec: { replicas: 3 },
    status: { ...counts, deprecated: { v1beta1: { conditions } } },
  });
  expect(await ownerProgress(clientWith(object), OWNER, PLACE)).toMatchObject({
    text: "Waiting for KubeadmControlPlane default/bridge: 2 of 3 up to date, 2 outdated, 3 ready\n  PreflightCheckFailed: Machine a has no Node yet\n",
    code: undefined,
  });
});

test("a rollout of a MachineDeployment says which check of its MachineSet holds it up", async () => {
  const message = "MachineSet workers-x: the control plane is being upgraded (ControlPlaneIsStable)";
  const conditions = [
    {
      type: "RolloutComplete",
      status: "False" as const,
      reason: "PreflightCheckFailed",
      message,
      lastTransitionTime: "",
    },
  ];
  const object = machineDeployment({
    metadata: { name: "workers", generation: 2 },
    spec: { replicas: 3 },
    status: { ...counts, deprecated: { v1beta1: { conditions } } },
  });
  const owner = { kind: MachineDeployment, name: "workers" };
  const { text } = await ownerProgress(clientWith(object), owner, PLACE);
  expect(text).toContain(`\n  PreflightCheckFailed: ${message}\n`);
});

test("a rollout in place says who makes which change after a drain, and how long the rest takes", async () => {
  const resizer = { name: "resizer", changes: ["infraMachine.spec.vmSize"], needsDrain: true };
  const decision = { key: "k", result: "Covered" as const, updaters: [resizer], message: "why" };
  const deployment = machineDeployment({
    metadata: { name: "workers", generation: 2 },
    spec: { replicas: 4 },
    status: {
      ...counts,
      inPlace: { machineSet: "workers-new", decisions: [{ ...decision, machineSet: "workers-old" }] },
    },
  });
  const workers = await ownerProgress(
    clientWith(deployment),
    { kind: MachineDeployment, name: "workers" },
    PLACE,
  );
  expect(workers.text).toContain(
    "\n  in place: MachineSet workers-old by resizer (infraMachine.spec.vmSize, after a drain)\n  how long updates in place take is not known before 5 of them have ended\n",
  );
  const controlPlane = kubeadmControlPlane({
    metadata: { name: "bridge", generation: 2 },
    spec: { replicas: 4 },
    status: {
      ...counts,
      inPlace: { key: "k", decisions: ["a", "b"].map((machine) => ({ ...decision, machine })) },
    },
  });
  const { text } = await ownerProgress(clientWith(controlPlane), OWNER, PLACE);
  expect(text).toContain(
    "\n  in place: Machines a, b by resizer (infraMachine.spec.vmSize, after a drain)\n",
  );
});

test("a complete rollout ends with code 0, but not before the controller has seen the change", async () => {
  const complete = { replicas: 3, upToDateReplicas: 3, readyReplicas: 3, observedGeneration: 2 };
  const at = (generation: number) =>
    kubeadmControlPlane({
      metadata: { name: "bridge", generation },
      spec: { replicas: 3 },
      status: complete,
    });
  expect((await ownerProgress(clientWith(at(2)), OWNER, PLACE)).code).toBe(0);
  expect((await ownerProgress(clientWith(at(3)), OWNER, PLACE)).code).toBeUndefined();
});

test("an object that does not exist is named", async () => {
  await expect(ownerProgress(clientWith(undefined), OWNER, PLACE)).rejects.toThrow(
    'there is no KubeadmControlPlane "control-plane" in namespace default',
  );
});
