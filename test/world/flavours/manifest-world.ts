/** Clusters from manifests, in a world with all controllers of the product. */
import {
  AzureManagedControlPlane,
  Cluster,
  type Features,
  isTrue,
  KubeadmControlPlane,
  type KubernetesObject,
  Machine,
  MachineDeployment,
  MachinePool,
  olderConditionsOf,
  parseYaml,
  Secret,
  servedKind,
} from "@capstan/api";
import { simulatedControllers } from "@capstan/cli";
import { createWorld, type World } from "@capstan/sim";
import { GUESTS } from "../kit/control-plane-world.ts";
import { get, MINUTE_MS, NAMESPACE } from "../kit/fleet-world.ts";

/** The objects of a manifest. */
export function objectsIn(text: string): readonly KubernetesObject[] {
  return text.split(/^---$/m).map((part) => parseYaml(part) as KubernetesObject);
}

interface ManifestWorldOptions {
  /** What exists in Azure before. */
  readonly before?: ((world: World) => Promise<void>) | undefined;
  readonly features?: Features;
}

/** A world to which a user has applied manifests, each object in its own version. */
export async function manifestWorld(
  objects: readonly KubernetesObject[],
  { before, features }: ManifestWorldOptions = {},
): Promise<World> {
  const world = await createWorld({
    seed: "1",
    controllers: (connections) => simulatedControllers(connections, features),
    yieldTo: [KubeadmControlPlane, AzureManagedControlPlane],
    guests: GUESTS,
    ...(features && { features }),
  });
  await before?.(world);
  world.start();
  for (const object of objects) {
    const kind = object.kind === Secret.kind ? Secret : servedKind(object.apiVersion, object.kind);
    if (!kind) throw new Error(`no kind for ${object.kind}`);
    await world.run(world.user.create(kind, object));
  }
  return world;
}

/** How many workers have a Node that is Ready. */
async function readyWorkers(world: World): Promise<number> {
  const options = { namespace: NAMESPACE };
  const deployments = await world.run(world.user.list(MachineDeployment, options));
  const pools = await world.run(world.user.list(MachinePool, options));
  return [...deployments, ...pools].reduce((sum, { status }) => sum + (status?.readyReplicas ?? 0), 0);
}

/** How many Machines are Ready: those of control planes and of MachineDeployments. */
async function readyMachines(world: World): Promise<number> {
  const machines = await world.run(world.user.list(Machine, { namespace: NAMESPACE }));
  return machines.filter(({ status }) => isTrue(status?.conditions, "Ready")).length;
}

/** What is there when a cluster is up. */
interface Expected {
  /** Nodes of MachineDeployments and of pools. */
  readonly workers: number;
  /** Machines; pools have none. */
  readonly machines?: number;
}

/** Whether a Cluster becomes Ready with all its machines within an hour. */
export async function comesUp(world: World, name: string, { workers, machines }: Expected): Promise<boolean> {
  for (let minutes = 0; minutes < 60; minutes++) {
    const { status } = await get(world, Cluster, name);
    const isReady =
      isTrue(olderConditionsOf({ status }), "Ready") &&
      (await readyWorkers(world)) === workers &&
      (machines === undefined || (await readyMachines(world)) === machines);
    if (isReady) return true;
    await world.advance(MINUTE_MS);
  }
  return false;
}
