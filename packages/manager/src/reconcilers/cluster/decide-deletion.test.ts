import { CONTROL_PLANE_LABEL, controllerReferenceTo } from "@capstan/api";
import {
  cluster,
  machine,
  machineDeployment,
  machinePool,
  machineSet,
} from "@capstan/runtime/testing/builders";
import { describe, expect, test } from "vitest";
import { decideDeletion, type DeletionStep, type Remains } from "./decide-deletion.ts";

const DELETED = "2026-01-01T00:00:00Z";
const going = cluster({ metadata: { name: "demo", deletionTimestamp: DELETED } });
const spec = { clusterName: "demo" };
const pool = machinePool({ metadata: { name: "pool", uid: "p", finalizers: ["f"] }, spec });
const deployment = machineDeployment({ metadata: { name: "md", uid: "d" }, spec });
const set = machineSet({
  metadata: { name: "ms", uid: "s", ownerReferences: [controllerReferenceTo(deployment)] },
  spec,
});
const worker = machine({
  metadata: { name: "m", uid: "m", ownerReferences: [controllerReferenceTo(set)] },
  spec,
});
const leader = machine({ metadata: { name: "cp", uid: "c", labels: { [CONTROL_PLANE_LABEL]: "" } }, spec });

function step(remains: Partial<Remains>, afterMs = 0): string {
  const nowMs = Date.parse(DELETED) + afterMs;
  const next: DeletionStep | undefined = decideDeletion(going, { descendants: [], nowMs, ...remains });
  return next
    ? `${next.waitsFor}: ${next.remove.map(({ metadata }) => metadata.name).join(" ")} | ${next.left.join(", ")}`
    : "through";
}

describe("a deletion", () => {
  test("goes step by step, and leaves objects with a controller to that controller", () => {
    const all = {
      descendants: [pool, deployment, set, worker, leader],
      controlPlane: "KCP x",
      infrastructure: "AzureCluster x",
    };
    expect(step(all)).toBe("machinePools: pool | MachinePool pool");
    expect(step({ ...all, descendants: [deployment, set, worker, leader] })).toBe(
      "machines: md | Machine m, MachineDeployment md, MachineSet ms",
    );
    expect(step({ ...all, descendants: [set, worker, leader] })).toBe(
      "machines: ms | Machine m, MachineSet ms",
    );
    expect(step({ ...all, descendants: [leader] })).toBe("controlPlane:  | KCP x");
    expect(step({ infrastructure: "AzureCluster x", descendants: [leader] })).toBe(
      "controlPlane: cp | Machine cp",
    );
    expect(step({ infrastructure: "AzureCluster x" })).toBe("infrastructure:  | AzureCluster x");
    expect(step({})).toBe("through");
  });

  test("deletes no object twice", () => {
    const reported = machinePool(pool, { metadata: { deletionTimestamp: DELETED } });
    expect(step({ descendants: [reported] })).toBe("machinePools:  | MachinePool pool");
  });

  test("waits until the controller of a pool has seen it, for a limited time", () => {
    const fresh = machinePool({ metadata: { name: "fresh", uid: "f" }, spec });
    expect(step({ descendants: [fresh] })).toBe("machinePools:  | MachinePool fresh");
    expect(step({ descendants: [fresh] }, 3 * 60_000)).toBe("machinePools: fresh | MachinePool fresh");
  });

  test.each([
    { spec: { clusterName: "demo-1" } },
    { spec: { clusterName: "dem" } },
    { metadata: { namespace: "other" } },
  ])("ignores %j", (other) => {
    expect(step({ descendants: [machinePool(pool, other)] })).toBe("through");
  });
});
