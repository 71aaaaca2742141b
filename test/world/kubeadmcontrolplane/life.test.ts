import { Cluster, isTrue, Node, olderConditionsOf, Pod } from "@capstan/api";
import { expect, test } from "vitest";
import { get } from "../kit/fleet-world.ts";
import { CLUSTER, controlPlaneWorld, machinesOf, untilReady } from "../kit/control-plane-world.ts";

test("a control plane with one machine initializes its cluster", async () => {
  const world = await controlPlaneWorld();
  expect(await untilReady(world, 1)).toBe(true);
  const workload = world.workload(CLUSTER);
  const nodes = workload ? await world.run(workload.list(Node)) : [];
  expect(nodes.map(({ metadata }) => metadata.labels)).toMatchObject([
    { "node-role.kubernetes.io/control-plane": "" },
  ]);
  const pods = workload ? await world.run(workload.list(Pod, { namespace: "kube-system" })) : [];
  expect(pods.map(({ metadata }) => metadata.labels?.["component"])).toEqual([
    "etcd",
    "kube-apiserver",
    "kube-controller-manager",
    "kube-scheduler",
  ]);
  expect((await machinesOf(world)).map(({ status }) => status?.phase)).toEqual(["Running"]);
  const cluster = await get(world, Cluster, CLUSTER);
  expect(isTrue(olderConditionsOf(cluster), "ControlPlaneInitialized")).toBe(true);
});
