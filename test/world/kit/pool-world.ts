/** A cluster with pools of workers in a simulated world, run by the product's own controllers. */
import {
  AzureCluster,
  AzureMachinePool,
  AzureMachinePoolMachine,
  Cluster,
  type Frozen,
  type Kind,
  KubeadmConfig,
  MachinePool,
  Node,
} from "@capstan/api";
import { DEFAULT_SUBSCRIPTION } from "@capstan/azure-sim";
import { simulatedControllers } from "@capstan/cli";
import { Failure, isNotFound } from "@capstan/runtime";
import { azureMachinePool, kubeadmConfig, machinePool } from "@capstan/runtime/testing/builders";
import { createWorld, MACHINE_POOL_INVARIANTS, type World, type WorldOptions } from "@capstan/sim";
import { idIn, LOCATION, portal } from "./network-world.ts";
import { createCluster, createIdentity, get, MINUTE_MS, NAMESPACE, patch } from "./fleet-world.ts";
import { noContest } from "./no-contest.ts";
import { poolControllers } from "./pool-controllers.ts";

export const CLUSTER = "demo";
/** The two versions that simulated Azure has images of. */
export const OLD_VERSION = "v1.33.5";
export const NEW_VERSION = "v1.34.1";
/** The longest time that a story waits for one of its steps. */
const PATIENCE_MS = 60 * MINUTE_MS;

/** A world with a cluster whose network is being built; pools can be created at once. */
export async function clusterWorld(options: Partial<WorldOptions> = {}): Promise<World> {
  const world = await createWorld({
    seed: "1",
    controllers: simulatedControllers,
    invariants: [...MACHINE_POOL_INVARIANTS, noContest],
    ...options,
  });
  world.start();
  await buildCluster(world);
  return world;
}

/** A world with pools only, in a ready cluster. */
export async function poolWorld(options: Partial<WorldOptions> = {}): Promise<World> {
  const guests = { boot: { p50: 20, p90: 30 } };
  const world = await createWorld({
    seed: "1",
    controllers: poolControllers,
    invariants: [...MACHINE_POOL_INVARIANTS, noContest],
    guests,
    ...options,
  });
  world.start();
  await plantCluster(world);
  return world;
}

/** Creates the cluster that pools are in. */
async function buildCluster(world: World): Promise<void> {
  await createIdentity(world);
  await createCluster(world, CLUSTER);
}

/**
 * A ready cluster that the test creates: in a world of pools alone no test waits for its network, and no crash is
 * spent on it.
 */
export async function plantCluster(world: World): Promise<void> {
  await createIdentity(world);
  await createCluster(world, CLUSTER);
  await patch(world, Cluster, CLUSTER, { spec: { controlPlaneEndpoint: ENDPOINT } });
  const lastTransitionTime = new Date(world.scheduler.wallMs).toISOString();
  const initialized = { type: "ControlPlaneInitialized", status: "True", reason: "Initialized" };
  const conditions = [{ ...initialized, lastTransitionTime }];
  await say(world, Cluster, {
    initialization: { infrastructureProvisioned: true, controlPlaneInitialized: true },
    deprecated: { v1beta1: { conditions } },
  });
  await say(world, AzureCluster, { ready: true });
  await portal(world, "PUT", idIn(CLUSTER), { location: LOCATION });
  await portal(world, "PUT", idIn(CLUSTER, "virtualNetworks/demo-vnet"), NETWORK);
}

const ENDPOINT = { host: "demo.default.capstan.internal", port: 6443 };
const NETWORK = {
  location: LOCATION,
  properties: {
    addressSpace: { addressPrefixes: ["10.0.0.0/8"] },
    subnets: ["control-plane", "node"].map((name, index) => ({
      name,
      properties: { addressPrefix: `10.${index}.0.0/16` },
    })),
  },
};

async function say(world: World, kind: Kind, status: object): Promise<void> {
  const place = { name: CLUSTER, namespace: NAMESPACE };
  await world.run(world.user.patch(kind, place, { type: "merge", subresource: "status", body: { status } }));
}

/** The differences to a pool of three that is rolled one by one. */
export interface PoolOptions {
  readonly replicas?: number;
  readonly version?: string;
  readonly strategy?: NonNullable<AzureMachinePool["spec"]["strategy"]>["rollingUpdate"];
  readonly spec?: Partial<AzureMachinePool["spec"]>;
  readonly annotations?: Record<string, string>;
  readonly failureDomains?: string[];
}

/** Creates a pool of workers as a user does. */
export async function createPool(world: World, name: string, options: PoolOptions = {}): Promise<void> {
  const { replicas = 3, version = OLD_VERSION, strategy, spec, annotations, failureDomains } = options;
  const reference = (kind: Kind) => ({ apiGroup: kind.group, kind: kind.kind, name });
  const template = {
    spec: {
      clusterName: CLUSTER,
      version,
      bootstrap: { configRef: reference(KubeadmConfig) },
      infrastructureRef: reference(AzureMachinePool),
    },
  };
  const { user } = world;
  const metadata = { name, namespace: NAMESPACE };
  await world.run(
    user.create(
      MachinePool,
      machinePool({
        metadata: { ...metadata, ...(annotations && { annotations }) },
        spec: { clusterName: CLUSTER, replicas, template, ...(failureDomains && { failureDomains }) },
      }),
    ),
  );
  await world.run(user.create(KubeadmConfig, kubeadmConfig({ metadata, spec: {} })));
  const desired = { ...spec, ...(strategy && { strategy: { rollingUpdate: strategy } }) };
  await world.run(user.create(AzureMachinePool, azureMachinePool({ metadata, spec: desired })));
}

/** The machines of a pool, in the order of their names. */
export async function machinesOf(
  world: World,
  pool: string,
): Promise<readonly Frozen<AzureMachinePoolMachine>[]> {
  const all = await world.run(world.user.list(AzureMachinePoolMachine, { namespace: NAMESPACE }));
  const label = "azuremachinepool.infrastructure.cluster.x-k8s.io/machine-pool";
  return all.filter(({ metadata }) => metadata.labels?.[label] === pool);
}

/** The names of the machines of a pool that are Ready. */
export async function readyMachines(world: World, pool: string): Promise<readonly string[]> {
  const machines = await machinesOf(world, pool);
  return machines.filter(({ status }) => status?.ready === true).map(({ metadata }) => metadata.name);
}

/** The Nodes of the workload cluster. */
export async function nodesOf(world: World): Promise<readonly Frozen<Node>[]> {
  const client = world.workload(`${NAMESPACE}-${CLUSTER}`) ?? world.workload(CLUSTER);
  if (!client) throw new Error("the cluster has no API server");
  return world.run(client.list(Node));
}

/** Waits until a pool has the desired number of Ready machines of a version, and is settled. */
export async function settled(world: World): Promise<void> {
  await world.settle({ quietMs: 12 * MINUTE_MS, limitMs: PATIENCE_MS });
}

/** The pool and its MachinePool as the user sees them. */
export async function poolOf(
  world: World,
  name: string,
): Promise<{ readonly pool: Frozen<AzureMachinePool>; readonly machinePool: Frozen<MachinePool> }> {
  return { pool: await get(world, AzureMachinePool, name), machinePool: await get(world, MachinePool, name) };
}

/** The names of the machines of a pool. */
export async function namesOf(world: World, pool: string): Promise<readonly string[]> {
  return (await machinesOf(world, pool)).map(({ metadata }) => metadata.name);
}

/** The controllers' requests to Azure in order: verb and path. */
export function armCalls(world: World): readonly string[] {
  return world.azure.core.journal.since(0).map(({ method, path }) => `${method} ${path}`);
}

const SETS = `/subscriptions/${DEFAULT_SUBSCRIPTION}/resourceGroups/${CLUSTER}/providers/Microsoft.Compute/virtualMachineScaleSets`;

/** Another client, such as an autoscaler or a user in the portal, changes the scale set of a pool. */
export async function onSet(world: World, method: string, path: string, body: object): Promise<void> {
  const { status } = await world.run(world.arm(method, `${SETS}/${path}?api-version=2024-11-01`, body));
  if (status >= 300) throw new Error(`${method} ${path} was answered with ${status}`);
}

/** The scale set of a pool as Azure has it. */
export function setBody(world: World, pool: string): object {
  return world.azure.core.world.resources.get(`${SETS}/${pool}`)?.body ?? {};
}

/** The name of all metadata that users put on a pool: a label, an annotation, a taint and a tag. */
export const MARK = "user.example.com/note";
export const MARK_TAG = "user-note";

/** Users put their own metadata on a pool, its machines and their Nodes, and on its scale set. */
export async function leaveMarks(world: World, pool: string): Promise<void> {
  const { user } = world;
  const workload = world.workload(CLUSTER);
  const body = { metadata: { labels: { [MARK]: "theirs" }, annotations: { [MARK]: "theirs" } } };
  const onObject = (kind: Kind, name: string): Promise<unknown> =>
    user.patch(kind, { name, namespace: NAMESPACE }, { type: "merge", body }).catch(unlessChanged);
  for (const kind of [MachinePool, AzureMachinePool]) await world.run(onObject(kind, pool));
  for (const name of await namesOf(world, pool)) await world.run(onObject(AzureMachinePoolMachine, name));
  for (const { metadata, spec } of workload ? await nodesOf(world) : []) {
    const { name, resourceVersion } = metadata;
    const taints = [...(spec?.taints ?? []), { key: MARK, effect: "PreferNoSchedule" }];
    const marked = { metadata: { ...body.metadata, resourceVersion }, spec: { taints } };
    const change = { type: "merge", body: marked } as const;
    if (workload) await world.run(workload.patch(Node, { name }, change).catch(unlessChanged));
  }
  const tags = { operation: "Merge", properties: { tags: { [MARK_TAG]: "theirs" } } };
  const path = `${SETS}/${pool}/providers/Microsoft.Resources/tags/default?api-version=2021-04-01`;
  await world.run(world.arm("PATCH", path, tags));
}

/** An object that is gone or changed meanwhile is skipped, which happens in a storm. */
function unlessChanged(error: unknown): undefined {
  if (!isNotFound(error) && !(error instanceof Failure && error.failure === "Conflict")) throw error;
}
