import {
  AzureCluster,
  AzureMachinePool,
  Cluster,
  type Frozen,
  isTrue,
  type Kind,
  KubeadmConfig,
  MachinePool,
} from "@capstan/api";
import { simulatedControllers } from "@capstan/cli";
import { azureMachinePool, kubeadmConfig, machinePool } from "@capstan/runtime/testing/builders";
import { createWorld, type World } from "@capstan/sim";
import { createCluster, createIdentity, MINUTE_MS, NAMESPACE, patch } from "../../world/kit/fleet-world.ts";

export const HOUR_MS = 60 * MINUTE_MS;
const OLD_VERSION = "v1.33.5";
const NEW_VERSION = "v1.34.1";
const PATIENCE_MS = 48 * HOUR_MS;
const LOOK_MS = 5_000;

type Strategy = NonNullable<NonNullable<AzureMachinePool["spec"]["strategy"]>["rollingUpdate"]>;

/** The two ways to roll that are compared, each a tenth of the pool at a time. */
export const STRATEGIES = {
  Replace: { maxSurge: "10%", maxUnavailable: 0, instanceUpdate: "Replace" },
  InPlace: { maxSurge: 0, maxUnavailable: "10%", instanceUpdate: "InPlace" },
} as const satisfies Readonly<Record<string, Strategy>>;

export interface PoolOptions {
  readonly cluster: string;
  readonly name: string;
  readonly machines: number;
  readonly strategy: Strategy;
}

/** A world with ready clusters and no machine yet, with Azure's throttling. */
export async function readyClusters(clusters: readonly string[]): Promise<World> {
  const world = await createWorld({
    seed: "1",
    controllers: simulatedControllers,
    // Azure's limit is 1,000 for one set, which leaves a pool of 1,000 no room to surge; the benchmark raises it.
    azure: { instancesInSet: 1100 },
  });
  world.start();
  await createIdentity(world);
  for (const name of clusters) await createCluster(world, name);
  const isReady = (): boolean =>
    stored<Cluster>(world, Cluster).every(({ status }) =>
      isTrue(status?.conditions, "ControlPlaneInitialized"),
    ) && stored<AzureCluster>(world, AzureCluster).every(({ status }) => status?.ready === true);
  await waitFor(world, isReady, "the clusters are ready");
  await world.advance(5 * MINUTE_MS);
  return world;
}

/** Creates a pool as a user does. */
export async function createPool(
  world: World,
  { cluster, name, machines, strategy }: PoolOptions,
): Promise<void> {
  const metadata = { name, namespace: NAMESPACE };
  const reference = ({ apiVersion, kind }: Kind) => ({ apiVersion, kind, name });
  const template = {
    spec: {
      clusterName: cluster,
      version: OLD_VERSION,
      bootstrap: { configRef: reference(KubeadmConfig) },
      infrastructureRef: reference(AzureMachinePool),
    },
  };
  const { user } = world;
  const spec = { clusterName: cluster, replicas: machines, template };
  await world.run(user.create(MachinePool, machinePool({ metadata, spec })));
  await world.run(user.create(KubeadmConfig, kubeadmConfig({ metadata, spec: {} })));
  const desired = { strategy: { rollingUpdate: { ...strategy } } };
  await world.run(user.create(AzureMachinePool, azureMachinePool({ metadata, spec: desired })));
}

/** Asks for the newer version. */
export function roll(world: World, pool: string): Promise<void> {
  return patch(world, MachinePool, pool, { spec: { template: { spec: { version: NEW_VERSION } } } });
}

/** Asks for another number of machines. */
export function scale(world: World, pool: string, replicas: number): Promise<void> {
  return patch(world, MachinePool, pool, { spec: { replicas } });
}

/** Runs until all pools have reached their desired state, by their own status. */
export async function allDone(world: World): Promise<void> {
  const isDone = (): boolean => {
    const desired = new Map(
      stored<MachinePool>(world, MachinePool).map((pool) => [pool.metadata.name, pool]),
    );
    return stored<AzureMachinePool>(world, AzureMachinePool).every((pool) =>
      isAsDesired(pool, desired.get(pool.metadata.name)),
    );
  };
  await waitFor(world, isDone, "all pools are as they are wanted");
}

function isAsDesired(
  { status }: Frozen<AzureMachinePool>,
  desired: Frozen<MachinePool> | undefined,
): boolean {
  const { replicas, template } = desired?.spec ?? {};
  const isWhole = ["ScaleSetRunning", "ScaleSetDesiredReplicas", "ScaleSetModelUpdated"].every((type) =>
    isTrue(status?.conditions, type),
  );
  return isWhole && status?.replicas === replicas && status?.version === template?.spec.version;
}

/** Runs until something holds. */
export async function waitFor(world: World, holds: () => boolean, what: string): Promise<void> {
  const endMs = world.scheduler.monotonicMs + PATIENCE_MS;
  while (!holds()) {
    if (world.scheduler.monotonicMs > endMs) throw new Error(`it does not come to pass that ${what}`);
    await world.advance(LOOK_MS);
  }
}

/** The objects of a kind, without a request. */
export function stored<T>(world: World, { group, plural }: Kind): readonly Frozen<T>[] {
  return [...world.management.storage.list({ resource: `${group}/${plural}` })] as unknown as Frozen<T>[];
}
