import { KubeadmControlPlane, MachineHealthCheck } from "@capstan/api";
import { machineHealthCheck } from "@capstan/runtime/testing/builders";
import type { World } from "@capstan/sim";
import { expect, test } from "vitest";
import { GROUP } from "../azuremachine/azuremachine-world.ts";
import { MINUTE_MS, NAMESPACE, patch } from "../fleet/fleet-world.ts";
import {
  CLUSTER,
  CONTROL_PLANE,
  controlPlaneWorld,
  endpointOf,
  machinesOf,
  untilReady,
} from "./control-plane-world.ts";

async function createHealthCheck(world: World): Promise<void> {
  const unhealthyConditions = ["Unknown", "False"].map((status) => ({
    type: "Ready",
    status,
    timeout: "5m",
  }));
  const spec = {
    clusterName: CLUSTER,
    selector: {
      matchLabels: { "cluster.x-k8s.io/cluster-name": CLUSTER, "cluster.x-k8s.io/control-plane": "" },
    },
    unhealthyConditions,
  } as MachineHealthCheck["spec"];
  const metadata = { name: CONTROL_PLANE, namespace: NAMESPACE };
  await world.run(world.user.create(MachineHealthCheck, machineHealthCheck({ metadata, spec })));
}

async function namesOf(world: World): Promise<readonly string[]> {
  return (await machinesOf(world)).map(({ metadata }) => metadata.name).toSorted();
}

function membersOf(world: World, endpoint: string): readonly string[] {
  return (world.etcd.at(endpoint).membership()?.members ?? []).map(({ name }) => name).toSorted();
}

async function onMachine(world: World, method: string, name: string, action = ""): Promise<void> {
  const path = `${GROUP}/providers/Microsoft.Compute/virtualMachines/${name}${action}?api-version=2024-07-01`;
  const { status } = await world.arm(method, path);
  expect(status).toBeLessThan(300);
}

test("a virtual machine that is deleted in Azure is replaced, and its member leaves etcd", async () => {
  const world = await controlPlaneWorld({ replicas: 3 });
  await createHealthCheck(world);
  expect(await untilReady(world, 3)).toBe(true);
  const endpoint = await endpointOf(world);
  const before = await namesOf(world);
  const [lost = ""] = before;
  await onMachine(world, "DELETE", lost);
  await world.advance(15 * MINUTE_MS);
  expect(await untilReady(world, 3)).toBe(true);
  await world.advance(2 * MINUTE_MS);
  const after = await namesOf(world);
  expect(after).toHaveLength(3);
  expect(after).not.toContain(lost);
  expect(membersOf(world, endpoint)).toEqual(after);
});

test("without a quorum nothing is created or deleted, and everything goes on when the machines return", async () => {
  const world = await controlPlaneWorld({ replicas: 3 });
  await createHealthCheck(world);
  expect(await untilReady(world, 3)).toBe(true);
  const endpoint = await endpointOf(world);
  const before = await namesOf(world);
  const [first = "", second = ""] = before;
  await onMachine(world, "POST", first, "/powerOff");
  await onMachine(world, "POST", second, "/powerOff");
  await world.advance(60 * MINUTE_MS);
  expect(world.etcd.at(endpoint).isServing()).toBe(false);
  expect(await namesOf(world)).toEqual(before);
  expect(membersOf(world, endpoint)).toEqual(before);
  await onMachine(world, "POST", first, "/start");
  await onMachine(world, "POST", second, "/start");
  await world.advance(30 * MINUTE_MS);
  expect(await untilReady(world, 3)).toBe(true);
  expect(world.etcd.at(endpoint).isServing()).toBe(true);
});

test("a control plane is scaled to one machine and to five", async () => {
  const world = await controlPlaneWorld({ replicas: 3 });
  expect(await untilReady(world, 3)).toBe(true);
  const endpoint = await endpointOf(world);
  for (const replicas of [1, 5]) {
    await patch(world, KubeadmControlPlane, CONTROL_PLANE, { spec: { replicas } });
    await world.advance(1000);
    expect(await untilReady(world, replicas)).toBe(true);
    await world.advance(2 * MINUTE_MS);
    expect(membersOf(world, endpoint)).toEqual(await namesOf(world));
  }
});

test("after spec.rolloutAfter has passed, all older machines are replaced", async () => {
  const world = await controlPlaneWorld({ replicas: 3 });
  expect(await untilReady(world, 3)).toBe(true);
  const before = await namesOf(world);
  const rolloutAfter = `${new Date(world.scheduler.wallMs + 10 * MINUTE_MS).toISOString().slice(0, 19)}Z`;
  await patch(world, KubeadmControlPlane, CONTROL_PLANE, { spec: { rolloutAfter } });
  await world.advance(9 * MINUTE_MS);
  expect(await namesOf(world)).toEqual(before);
  await world.advance(60 * MINUTE_MS);
  expect(await untilReady(world, 3)).toBe(true);
  expect((await namesOf(world)).filter((name) => before.includes(name))).toEqual([]);
});
