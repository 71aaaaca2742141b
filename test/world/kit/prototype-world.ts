/** A world with a pool whose image is renewed from its machines. */
import { AzureMachinePool, DEFAULT_FEATURES, type Frozen, MachinePool } from "@capstan/api";
import { DEFAULT_SUBSCRIPTION } from "@capstan/azure-sim";
import { simulatedControllers } from "@capstan/cli";
import {
  type Controllers,
  MACHINE_POOL_INVARIANTS,
  NODE_IMAGE_INVARIANTS,
  type World,
  type WorldOptions,
} from "@capstan/sim";
import { get, MINUTE_MS, patch } from "./fleet-world.ts";
import { CLUSTER, createPool, OLD_VERSION, type PoolOptions, poolWorld } from "./pool-world.ts";

export const POOL = "mp";
export const HOUR_MS = 60 * MINUTE_MS;

const NAMES: ReadonlySet<string> = new Set([
  "machinepool",
  "kubeadmconfig",
  "azuremachinepool",
  "azuremachinepoolmachine",
  "nodeprototype",
]);

/** The controllers of pools, their machines and their images. */
export function prototypeControllers(isOn: (start: number) => boolean = () => true): Controllers {
  return (connections) =>
    simulatedControllers(connections, {
      ...DEFAULT_FEATURES,
      NodePrototyping: isOn(connections.start),
    }).filter(({ name }) => NAMES.has(name));
}

/** The image that the pools of these worlds name: one of a community gallery. */
export const BASE_IMAGE = {
  computeGallery: {
    gallery: "ClusterAPI-f72ceb4f-5159-4c26-a0fe-2ea738f0d019",
    name: "capi-ubun2-2404",
    version: OLD_VERSION.slice(1),
  },
};

/** What must hold in every state of these worlds. */
export const INVARIANTS = [...MACHINE_POOL_INVARIANTS, ...NODE_IMAGE_INVARIANTS];

/** A world in a ready cluster, with the feature on. */
export function prototypeWorld(options: Partial<WorldOptions> = {}): Promise<World> {
  return poolWorld({ controllers: prototypeControllers(), invariants: INVARIANTS, ...options });
}

/** Creates a pool whose image is renewed. */
export async function createPrototypePool(
  world: World,
  options: PoolOptions & {
    readonly interval?: string;
    readonly name?: string;
    readonly more?: object;
    readonly diskSizeGB?: number;
  } = {},
): Promise<void> {
  const { interval = "24h", name = POOL, more, spec, diskSizeGB = 128, ...rest } = options;
  const template = {
    osDisk: { osType: "Linux", diskSizeGB, managedDisk: { storageAccountType: "Premium_LRS" } },
    vmSize: "Standard_D2s_v3",
    sshPublicKey: "",
    image: { ...BASE_IMAGE, nodePrototyping: { interval, ...more } },
  };
  await createPool(world, name, { ...rest, spec: { ...spec, template } });
}

/** The pool as a user sees it. */
export function poolNow(world: World, name = POOL): Promise<Frozen<AzureMachinePool>> {
  return get(world, AzureMachinePool, name);
}

/** Runs until the pool has an image of its own, or the time is over. */
export async function untilRenewed(world: World, withinMs = 10 * HOUR_MS, name = POOL): Promise<string> {
  const before = stored(world, name)?.status?.lastImagePrototype;
  const isNewer = (): boolean => stored(world, name)?.status?.lastImagePrototype !== before;
  const isRenewed = await world.until(isNewer, withinMs);
  if (!isRenewed) throw new Error(`no renewal: ${JSON.stringify(stored(world, name)?.status, undefined, 1)}`);
  return stored(world, name)?.status?.lastImagePrototype ?? "";
}

/** The pool in storage, without a request. */
export function stored(world: World, name = POOL): Frozen<AzureMachinePool> | undefined {
  const { group, plural } = AzureMachinePool;
  const key = { resource: `${group}/${plural}`, name, namespace: "default" };
  return world.management.storage.get(key) as Frozen<AzureMachinePool> | undefined;
}

/** Changes the size of the pool. */
export async function scaleTo(world: World, replicas: number, name = POOL): Promise<void> {
  await patch(world, MachinePool, name, { spec: { replicas } });
}

/** The disk of an instance of the pool. */
export function diskOf(world: World, instance: number | string, name = POOL) {
  const set = `/subscriptions/${DEFAULT_SUBSCRIPTION}/resourceGroups/${CLUSTER}/providers/Microsoft.Compute/virtualMachineScaleSets/${name}`;
  const disk = world.azure.core.disk(`${set}/virtualMachines/${instance}`);
  if (!disk) throw new Error(`there is no instance ${instance}`);
  return disk;
}

/** What renewals create for a while: what of it is left in Azure. */
export function leftovers(world: World): readonly string[] {
  const all = ["snapshots", "disks", "virtualMachines", "virtualMachineScaleSets"];
  return all.flatMap((type) => resourcesOf(world, type)).filter((id) => OF_RENEWAL.test(id));
}

const OF_RENEWAL = /\/snapshots\/|-scrub-\d|-canary-\d/;

/** The ids of resources of a type in Azure. */
export function resourcesOf(world: World, type: string): readonly string[] {
  return [...world.azure.core.world.resources.table.entries()]
    .filter(([, one]) => one.type.toLowerCase() === `microsoft.compute/${type}`.toLowerCase())
    .map(([, one]) => one.id);
}
