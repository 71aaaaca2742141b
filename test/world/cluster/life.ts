import { AzureMachinePool, Cluster, KubeadmConfig, type Kind, MachinePool, Node } from "@capstan/api";
import {
  azureMachinePool,
  kubeadmConfig,
  machinePool,
  node,
  type Overrides,
} from "@capstan/runtime/testing/builders";
import type { Rehearsal, World } from "@capstan/sim";
import { controllers, create, createCluster, find, MINUTE_MS, patch, remove } from "../kit/cluster-world.ts";
import { machineIDs } from "../kit/providers.ts";

const PATIENCE_MS = 15 * MINUTE_MS;

/** Creates a pool with its bootstrap config and its infrastructure. */
export async function createPool(
  world: World,
  name: string,
  clusterName: string,
  overrides: Overrides<MachinePool> = {},
): Promise<void> {
  const reference = (kind: Kind) => ({ apiGroup: kind.group, kind: kind.kind, name });
  const template = {
    spec: {
      clusterName,
      bootstrap: { configRef: reference(KubeadmConfig) },
      infrastructureRef: reference(AzureMachinePool),
    },
  };
  await create(
    world,
    MachinePool,
    machinePool({ metadata: { name }, spec: { clusterName, template } }, overrides),
  );
  await create(world, KubeadmConfig, kubeadmConfig({ metadata: { name } }));
  await create(world, AzureMachinePool, azureMachinePool({ metadata: { name } }));
}

/** Creates a Node in the workload cluster for each machine that has none yet. */
export async function bootNodes(world: World, cluster: string, ids: readonly string[]): Promise<void> {
  const workload = world.workload(cluster);
  if (!workload) throw new Error(`there is no workload cluster ${cluster}`);
  for (const providerID of ids) {
    const name = providerID.slice("sim://".length).replace("/", "-");
    if (await world.run(workload.find(Node, { name }))) continue;
    await world.run(workload.create(Node, node({ metadata: { name }, spec: { providerID } })));
    await setReady(world, cluster, name, "True");
  }
}

/** Sets whether a Node is Ready, as its kubelet would. */
export async function setReady(
  world: World,
  cluster: string,
  name: string,
  status: "True" | "False",
): Promise<void> {
  const lastTransitionTime = new Date(world.scheduler.wallMs).toISOString();
  const conditions = [{ type: "Ready", status, lastTransitionTime }];
  const body = { status: { conditions } };
  const workload = world.workload(cluster);
  if (workload)
    await world.run(workload.patch(Node, { name }, { type: "merge", subresource: "status", body }));
}

async function build(world: World): Promise<void> {
  await createCluster(world, "demo");
  await world.rest(PATIENCE_MS);
  await createPool(world, "pool", "demo", { spec: { replicas: 2 } });
  await world.rest(PATIENCE_MS);
  await bootNodes(world, "demo", machineIDs("pool", 2));
  await patch(world, MachinePool, "pool", { spec: { replicas: 3 } });
  await world.rest(PATIENCE_MS);
  await bootNodes(world, "demo", machineIDs("pool", 3));
  await world.rest(PATIENCE_MS);
}

/** A user creates a cluster and a pool, and scales the pool up. */
export function building(seed: string, managers = 1): Rehearsal {
  return { world: { seed, controllers, managers }, story: build };
}

/** The same, and a user deletes everything. */
export function life(seed: string): Rehearsal {
  return {
    world: { seed, controllers },
    story: async (world) => {
      await build(world);
      await remove(world, MachinePool, "pool");
      await world.rest(PATIENCE_MS);
      await createPool(world, "second", "demo");
      await remove(world, Cluster, "demo");
      await world.rest(PATIENCE_MS);
      if (await find(world, Cluster, "demo")) throw new Error("the Cluster is still there");
    },
  };
}
