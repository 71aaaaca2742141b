import { Cluster, isTrue, Node, Pod } from "@capstan/api";
import { expect, test } from "vitest";
import { get } from "../fleet/fleet-world.ts";
import { CLUSTER, controlPlaneOf, controlPlaneWorld, machinesOf, untilReady } from "./control-plane-world.ts";

test("a control plane with one machine initializes its cluster", async () => {
  const world = await controlPlaneWorld();
  const ok = await untilReady(world, 1, 60);
  if (!ok) {
    console.log(JSON.stringify((await controlPlaneOf(world)).status, null, 1));
    console.log(JSON.stringify((await machinesOf(world)).map((m) => m.status), null, 1));
    console.log(JSON.stringify((await get(world, Cluster, CLUSTER)).status, null, 1));
    console.log(JSON.stringify(world.guests.list()));
  }
  expect(ok).toBe(true);
  const workload = world.workload(CLUSTER);
  expect(workload).toBeDefined();
  if (!workload) return;
  const nodes = await world.run(workload.list(Node));
  expect(nodes.map(({ metadata }) => metadata.labels)).toMatchObject([{ "node-role.kubernetes.io/control-plane": "" }]);
  const pods = await world.run(workload.list(Pod, { namespace: "kube-system" }));
  expect(pods).toHaveLength(4);
  const cluster = await get(world, Cluster, CLUSTER);
  expect(isTrue(cluster.status?.conditions, "ControlPlaneInitialized")).toBe(true);
});
