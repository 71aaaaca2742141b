import { KubeadmControlPlane, MachineDeployment } from "@capstan/api";
import { expect, test } from "vitest";
import {
  type Owner,
  ownerMoment,
  ownerNamed,
  ownerProgress,
  type OwnerRollout,
  progressLines,
  readOwner,
} from "./owner-progress.ts";
import { paceAfter } from "./pace.ts";
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

const MINUTE_MS = 60_000;

/** A rollout of a few machines at a minute, each of which takes two minutes. */
function rolloutOf(owner: unknown, { minute = 0, outdated = 2 } = {}): OwnerRollout {
  const course = { outdated, desired: 3, maxSurge: 1, maxUnavailable: 0, isInPlace: false };
  const durationMs = outdated * 2 * MINUTE_MS;
  return {
    owner: owner as Owner,
    machines: [],
    outdated: new Set(Array.from({ length: outdated }, (_, index) => `machine-${index}`)),
    nowMs: minute * MINUTE_MS,
    course: { ...course, time: { typicalMs: durationMs, slowMs: durationMs } },
  };
}

const WATCHING = { isWatching: true };
const progressOf = (owner: unknown) => ownerProgress(rolloutOf(owner), undefined, WATCHING);
const counts = { replicas: 4, upToDateReplicas: 2, readyReplicas: 3, observedGeneration: 2 };

test("a rollout in progress tells its numbers and what holds it up", () => {
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
  expect(progressOf(object)).toMatchObject({
    text: "Waiting for KubeadmControlPlane default/bridge: 2 of 3 up to date, 2 outdated, 3 ready\n  PreflightCheckFailed: Machine a has no Node yet\n",
    code: undefined,
  });
});

test("a rollout of a MachineDeployment says which check of its MachineSet holds it up", () => {
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
  const { text } = progressOf(object);
  expect(text).toContain(`\n  PreflightCheckFailed: ${message}\n`);
});

test("a rollout in place says who makes which change after a drain, and how long the rest takes", () => {
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
  const workers = progressOf(deployment);
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
  const { text } = progressOf(controlPlane);
  expect(text).toContain(
    "\n  in place: Machines a, b by resizer (infraMachine.spec.vmSize, after a drain)\n",
  );
});

test("a complete rollout ends with code 0, but not before the controller has seen the change", () => {
  const complete = { replicas: 3, upToDateReplicas: 3, readyReplicas: 3, observedGeneration: 2 };
  const at = (generation: number) =>
    kubeadmControlPlane({
      metadata: { name: "bridge", generation },
      spec: { replicas: 3 },
      status: complete,
    });
  expect(progressOf(at(2)).code).toBe(0);
  expect(progressOf(at(3)).code).toBeUndefined();
});

test("a rollout ends with the time it took beside its forecast", () => {
  const at = (readyReplicas: number) =>
    machineDeployment({
      metadata: { name: "workers", generation: 2 },
      spec: { replicas: 3 },
      status: { replicas: 3, upToDateReplicas: readyReplicas, readyReplicas, observedGeneration: 2 },
    });
  const begun = rolloutOf(at(1));
  const ended = rolloutOf(at(3), { minute: 5, outdated: 0 });
  const pace = paceAfter(undefined, ownerMoment(begun));
  expect(progressLines(begun, pace).at(-1)).toBe("elapsed 0s, about 4m left");
  expect(ownerProgress(ended, paceAfter(pace, ownerMoment(ended)), WATCHING)).toMatchObject({
    text: "MachineDeployment default/workers is rolled out: 3 of 3 up to date and ready\ntook 5m, forecast 4m\n",
    code: 0,
  });
});

test("an object that does not exist is named", async () => {
  const client = { find: () => Promise.resolve(), list: () => Promise.resolve([]) } as unknown as Client;
  const name = { kind: KubeadmControlPlane, name: "control-plane" };
  await expect(readOwner(client, name, "default")).rejects.toThrow(
    'there is no KubeadmControlPlane "control-plane" in namespace default',
  );
});
