/** What the deletion of a machine waits for, and what it does not wait for. */
import {
  CONTROL_PLANE_LABEL,
  getCondition,
  KubeadmControlPlane,
  Machine,
  Node,
  olderConditionsOf,
} from "@capstan/api";
import { machine as machineOf, node as nodeOf } from "@capstan/runtime/testing/builders";
import type { World } from "@capstan/sim";
import { expect, test } from "vitest";
import { create, find, get, MINUTE_MS, NAMESPACE, patch, remove } from "../kit/cluster-world.ts";
import { CLUSTER, deploymentWorld, nodesIn, PATIENCE_MS, referenceTo } from "../kit/deployment-world.ts";
import { foreign, foreignKind, install, say } from "../kit/foreign-kinds.ts";

const WORKER = "worker";

/** Infrastructure without a controller: its objects are as a user writes them. */
const Rack = foreignKind("infrastructure.example.com", "Rack", "racks");

interface MachineToCreate {
  readonly labels?: Record<string, string>;
  readonly isProvisioned?: boolean;
}

async function createMachine(
  world: World,
  name: string,
  { labels = {}, isProvisioned = true }: MachineToCreate = {},
): Promise<void> {
  await create(world, Rack, foreign(Rack, name, { providerID: `rack://${name}` }));
  if (isProvisioned) await say(world, Rack, name, { initialization: { provisioned: true } });
  const spec = {
    clusterName: CLUSTER,
    bootstrap: { dataSecretName: "data" },
    infrastructureRef: referenceTo(Rack, name),
  };
  await create(world, Machine, machineOf({ metadata: { name, labels }, spec }));
  await world.rest(PATIENCE_MS);
}

async function createNode(world: World, name: string): Promise<void> {
  const workload = world.workload(CLUSTER);
  const object = nodeOf({ metadata: { name }, spec: { providerID: `rack://${name}` } });
  if (workload) await world.run(workload.create(Node, object));
}

/** A machine of a workload cluster that stops answering. */
async function workerWithoutServer(prepare: (world: World) => Promise<void>): Promise<World> {
  const world = await deploymentWorld();
  await install(world, Rack);
  await createMachine(world, WORKER);
  await createNode(world, WORKER);
  await world.rest(PATIENCE_MS);
  expect((await get(world, Machine, WORKER)).status?.nodeRef?.name).toBe(WORKER);
  await prepare(world);
  world.addFault({ fault: "workload-unreachable", when: { trigger: {} } });
  return world;
}

async function deleteWorker(world: World): Promise<void> {
  await remove(world, Machine, WORKER);
  await world.advance(10 * MINUTE_MS);
}

test.each<[string, (world: World) => Promise<void>]>([
  ["that has no machine left", () => Promise.resolve()],
  [
    "that is being deleted",
    async (world) => {
      await createMachine(world, "server", { labels: { [CONTROL_PLANE_LABEL]: "" } });
      const body = { metadata: { finalizers: ["example.com/stays"] } };
      const name = { name: CLUSTER, namespace: NAMESPACE };
      await world.run(world.user.patch(KubeadmControlPlane, name, { type: "merge", body }));
      await world.run(world.user.delete(KubeadmControlPlane, name));
    },
  ],
])("a worker does not wait for the API server of a control plane %s", async (_, prepare) => {
  const world = await workerWithoutServer(prepare);
  await deleteWorker(world);
  expect(await find(world, Machine, WORKER)).toBeUndefined();
});

test("a worker waits for the API server of a control plane that has a machine", async () => {
  const world = await workerWithoutServer((made) =>
    createMachine(made, "server", { labels: { [CONTROL_PLANE_LABEL]: "" } }),
  );
  await deleteWorker(world);
  expect(await find(world, Machine, WORKER)).toBeDefined();
});

test("a worker that need not be drained waits for its Node while the API server does not answer", async () => {
  const world = await workerWithoutServer(async (made) => {
    await createMachine(made, "server", { labels: { [CONTROL_PLANE_LABEL]: "" } });
    const annotations = {
      "machine.cluster.x-k8s.io/exclude-node-draining": "",
      "machine.cluster.x-k8s.io/exclude-wait-for-node-volume-detach": "",
    };
    const spec = { deletion: { nodeDeletionTimeoutSeconds: 0 } };
    await patch(made, Machine, WORKER, { metadata: { annotations }, spec });
  });
  await deleteWorker(world);
  const { status } = await get(world, Machine, WORKER);
  expect(getCondition(olderConditionsOf({ status }), "Ready")?.reason).toBe("WaitingForNodeDeletion");
});

test("the Node of a machine that is deleted before its infrastructure is ready goes with it", async () => {
  const world = await deploymentWorld();
  await install(world, Rack);
  await createMachine(world, "early", { isProvisioned: false });
  expect((await get(world, Machine, "early")).spec.providerID).toBeUndefined();
  await createNode(world, "early");
  await remove(world, Machine, "early");
  await world.rest(PATIENCE_MS);
  expect(await find(world, Machine, "early")).toBeUndefined();
  expect((await nodesIn(world)).map(({ metadata }) => metadata.name)).not.toContain("early");
});
