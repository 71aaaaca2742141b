/** Worlds with a KubeadmControlPlane on simulated virtual machines; all controllers are the product's own. */
import {
  AzureMachineTemplate,
  Cluster,
  type Frozen,
  type Kind,
  KubeadmControlPlane,
  Machine,
  MachineHealthCheck,
} from "@capstan/api";
import { simulatedControllers } from "@capstan/cli";
import {
  azureMachineTemplate,
  kubeadmControlPlane,
  machineHealthCheck,
  type Overrides,
} from "@capstan/runtime/testing/builders";
import { CONTROL_PLANE_INVARIANTS, createWorld, type World, type WorldOptions } from "@capstan/sim";
import { GROUP } from "./azuremachine-world.ts";
import { createClusterWith, createIdentity, get, MINUTE_MS, NAMESPACE } from "./fleet-world.ts";
import { CLUSTER, OLD_VERSION } from "./pool-world.ts";

export { CLUSTER, NEW_VERSION } from "./pool-world.ts";

/** The name of the control plane and of its template. */
export const CONTROL_PLANE = "demo-control-plane";

/** Machines that boot quickly. */
export const GUESTS = { boot: { p50: 30, p90: 45 } };

/** A world with a cluster whose control plane is a KubeadmControlPlane. */
export async function controlPlaneWorld(
  spec: Overrides<KubeadmControlPlane["spec"]> = {},
  options: Partial<WorldOptions> = {},
): Promise<World> {
  const world = await createWorld({
    seed: "1",
    controllers: simulatedControllers,
    yieldTo: [KubeadmControlPlane],
    guests: GUESTS,
    invariants: CONTROL_PLANE_INVARIANTS,
    ...options,
  });
  world.start();
  await createControlPlane(world, spec);
  return world;
}

/** Creates a cluster, its KubeadmControlPlane, and a check of the health of its machines. */
export async function createControlPlane(
  world: World,
  spec: Overrides<KubeadmControlPlane["spec"]>,
): Promise<void> {
  const { user } = world;
  await createIdentity(world);
  const reference = (kind: Kind) => ({ apiGroup: kind.group, kind: kind.kind, name: CONTROL_PLANE });
  // From the start: the stand-in would give a Cluster without a reference a kubeconfig of its own.
  const controlPlaneRef = reference(KubeadmControlPlane);
  await createClusterWith(world, CLUSTER, { Cluster: { controlPlaneRef } });
  const metadata = { name: CONTROL_PLANE, namespace: NAMESPACE };
  await world.run(user.create(AzureMachineTemplate, azureMachineTemplate({ metadata })));
  const machineTemplate = { spec: { infrastructureRef: reference(AzureMachineTemplate) } };
  const desired = { replicas: 1, version: OLD_VERSION, machineTemplate, ...spec };
  await world.run(user.create(KubeadmControlPlane, kubeadmControlPlane({ metadata, spec: desired })));
  const health = {
    clusterName: CLUSTER,
    selector: {
      matchLabels: { "cluster.x-k8s.io/cluster-name": CLUSTER, "cluster.x-k8s.io/control-plane": "" },
    },
    checks: {
      unhealthyNodeConditions: ["Unknown", "False"].map((status) => ({
        type: "Ready",
        status,
        timeoutSeconds: 300,
      })),
    },
  } as MachineHealthCheck["spec"];
  await world.run(user.create(MachineHealthCheck, machineHealthCheck({ metadata, spec: health })));
}

/** Sends a user's request about the virtual machine of a Machine to Azure. */
export async function onMachine(world: World, method: string, target: string): Promise<void> {
  const path = `${GROUP}/providers/Microsoft.Compute/virtualMachines/${target}?api-version=2024-07-01`;
  const { status } = await world.arm(method, path);
  if (status >= 300) throw new Error(`${method} ${target}: ${status}`);
}

/** Deletes the virtual machine of the oldest machine in Azure, as a user in the portal would. Returns its name. */
export async function loseMachine(world: World): Promise<string> {
  const [oldest] = await machinesOf(world);
  const name = oldest?.metadata.name ?? "";
  await onMachine(world, "DELETE", name);
  return name;
}

/** The control plane as the user sees it. */
function controlPlaneOf(world: World): Promise<Frozen<KubeadmControlPlane>> {
  return get(world, KubeadmControlPlane, CONTROL_PLANE);
}

/** Runs until the control plane has so many ready, up-to-date machines, and no other; returns whether it has. */
export async function untilReady(world: World, replicas: number, minutes = 120): Promise<boolean> {
  for (let passed = 0; passed < minutes; passed++) {
    const { status, metadata } = await controlPlaneOf(world);
    const isCurrent = status?.observedGeneration === metadata.generation;
    const counts = [status?.replicas, status?.readyReplicas, status?.upToDateReplicas];
    if (isCurrent && counts.every((count) => count === replicas)) return true;
    await world.advance(MINUTE_MS);
  }
  return false;
}

/** The endpoint of the cluster, as guests and kubeconfigs name it. */
export async function endpointOf(world: World): Promise<string> {
  const { spec } = await get(world, Cluster, CLUSTER);
  const { host = "", port = 0 } = spec.controlPlaneEndpoint ?? {};
  return `${host}:${port}`.toLowerCase();
}

/** The Machines of the control plane, oldest first. */
export async function machinesOf(world: World): Promise<readonly Frozen<Machine>[]> {
  const machines = await world.run(world.user.list(Machine, { namespace: NAMESPACE }));
  return machines.filter(({ metadata }) =>
    metadata.ownerReferences?.some(({ name }) => name === CONTROL_PLANE),
  );
}

/** The names of the machines of the control plane. */
export async function namesOf(world: World): Promise<readonly string[]> {
  return (await machinesOf(world)).map(({ metadata }) => metadata.name).toSorted();
}

/** The names of the members of etcd. */
export function membersOf(world: World, endpoint: string): readonly string[] {
  return (world.etcd.at(endpoint).membership()?.members ?? []).map(({ name }) => name).toSorted();
}
