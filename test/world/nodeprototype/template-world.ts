/** A world with a MachineDeployment whose template renews its image from its machines. */
import {
  AzureMachine,
  AzureMachineTemplate,
  DEFAULT_FEATURES,
  type Frozen,
  type Kind,
  KubeadmConfigTemplate,
  Machine,
  MachineDeployment,
} from "@capstan/api";
import { simulatedControllers } from "@capstan/cli";
import {
  azureMachineTemplate,
  kubeadmConfigTemplate,
  machineDeployment,
} from "@capstan/runtime/testing/builders";
import {
  type Controllers,
  createWorld,
  NODE_IMAGE_INVARIANTS,
  type World,
  type WorldOptions,
} from "@capstan/sim";
import { NAMESPACE, patch } from "../kit/fleet-world.ts";
import { CLUSTER, OLD_VERSION, plantCluster } from "../kit/pool-world.ts";
import { GROUP } from "../kit/azuremachine-world.ts";
import { BASE_IMAGE, HOUR_MS } from "../kit/prototype-world.ts";

export const WORKERS = "workers";

const NAMES: ReadonlySet<string> = new Set([
  "machinedeployment",
  "machineset",
  "machine",
  "kubeadmconfig",
  "azuremachine",
  "azuremachinetemplate",
  "templateprototype",
]);

/** The controllers of Machines and of the images of their templates. */
export const templateControllers: Controllers = (connections) =>
  simulatedControllers(connections, { ...DEFAULT_FEATURES, NodePrototyping: true }).filter(({ name }) =>
    NAMES.has(name),
  );

/** How long the guests of these worlds boot. */
export const GUESTS = { boot: { p50: 20, p90: 30 } };

/** A world in a ready cluster, with the feature on. */
export async function templateWorld(options: Partial<WorldOptions> = {}): Promise<World> {
  const world = await createWorld({
    seed: "1",
    controllers: templateControllers,
    guests: GUESTS,
    invariants: NODE_IMAGE_INVARIANTS,
    ...options,
  });
  world.start();
  await plantCluster(world);
  return world;
}

/** Creates a MachineDeployment of two; `caching` is how its template asks for renewals. */
export async function createWorkers(
  world: World,
  caching: { readonly annotations?: Record<string, string>; readonly nodeCachingMode?: object },
  { replicas = 2, name = WORKERS }: { readonly replicas?: number; readonly name?: string } = {},
): Promise<void> {
  const { user } = world;
  const { annotations, ...settings } = caching;
  const metadata = { name, namespace: NAMESPACE };
  const reference = (kind: Kind) => ({ apiGroup: kind.group, kind: kind.kind, name });
  const template = azureMachineTemplate({
    metadata: { ...metadata, ...(annotations && { annotations }) },
    spec: { template: { spec: { image: BASE_IMAGE, ...settings } } },
  });
  await world.run(user.create(AzureMachineTemplate, template));
  await world.run(user.create(KubeadmConfigTemplate, kubeadmConfigTemplate({ metadata })));
  const machines = {
    spec: {
      clusterName: CLUSTER,
      version: OLD_VERSION,
      bootstrap: { configRef: reference(KubeadmConfigTemplate) },
      infrastructureRef: reference(AzureMachineTemplate),
    },
  };
  const spec = { clusterName: CLUSTER, replicas, template: machines };
  await world.run(user.create(MachineDeployment, machineDeployment({ metadata, spec })));
  await untilReady(world, replicas, name);
}

/** Runs until the MachineDeployment has so many ready machines. */
async function untilReady(world: World, replicas: number, name: string): Promise<void> {
  const isReady = (): boolean => {
    const { status } = stored<MachineDeployment>(world, MachineDeployment, name) ?? {};
    return status?.readyReplicas === replicas && status.replicas === replicas;
  };
  if (!(await world.until(isReady, 4 * HOUR_MS)))
    throw new Error(`not ready: ${JSON.stringify(stored(world, MachineDeployment, name), undefined, 1)}`);
}

/** Changes the number of machines, and waits for them. */
export async function scaleWorkers(world: World, replicas: number, name = WORKERS): Promise<void> {
  await patch(world, MachineDeployment, name, { spec: { replicas } });
  await untilReady(world, replicas, name);
}

/** Runs until the template has an image of its own. */
export async function untilTemplateRenewed(world: World, name = WORKERS): Promise<void> {
  const before = templateStored(world, name)?.status?.lastImagePrototype;
  const isNewer = (): boolean => templateStored(world, name)?.status?.lastImagePrototype !== before;
  if (!(await world.until(isNewer, 10 * HOUR_MS)))
    throw new Error(`no renewal: ${JSON.stringify(templateStored(world, name), undefined, 1)}`);
}

/** The template in storage, without a request. */
export function templateStored(world: World, name = WORKERS): Frozen<AzureMachineTemplate> | undefined {
  return stored<AzureMachineTemplate>(world, AzureMachineTemplate, name);
}

function stored<T>(world: World, { group, plural }: Kind, name: string): Frozen<T> | undefined {
  const key = { resource: `${group}/${plural}`, name, namespace: NAMESPACE };
  return world.management.storage.get(key) as Frozen<T> | undefined;
}

/** The AzureMachines, the oldest first. */
export async function clonesIn(world: World): Promise<readonly Frozen<AzureMachine>[]> {
  const all = await world.run(world.user.list(AzureMachine, { namespace: NAMESPACE }));
  return all.toSorted((a, b) =>
    `${a.metadata.creationTimestamp}${a.metadata.name}` < `${b.metadata.creationTimestamp}${b.metadata.name}`
      ? -1
      : 1,
  );
}

/** The Machines. */
export function machinesIn(world: World): Promise<readonly Frozen<Machine>[]> {
  return world.run(world.user.list(Machine, { namespace: NAMESPACE }));
}

/** The disk of a virtual machine. */
export function diskOfMachine(world: World, name: string) {
  const disk = world.azure.core.disk(`${GROUP}/providers/Microsoft.Compute/virtualMachines/${name}`);
  if (!disk) throw new Error(`there is no virtual machine ${name}`);
  return disk;
}
