import {
  AzureCluster,
  Cluster,
  type Frozen,
  type Kind,
  type KubernetesObject,
  KubeadmControlPlane,
  Secret,
} from "@capstan/api";
import { clusterReconciler } from "../../../packages/manager/src/reconcilers/cluster/reconciler.ts";
import { machinePoolReconciler } from "../../../packages/manager/src/reconcilers/machinepool/reconciler.ts";
import type { WorkloadPorts } from "../../../packages/manager/src/workload/connection.ts";
import { WorkloadClusters } from "../../../packages/manager/src/workload/workload-clusters.ts";
import { createClient, type Logger, silentLogger } from "@capstan/runtime";
import {
  azureCluster,
  cluster,
  kubeadmControlPlane,
  type Overrides,
} from "@capstan/runtime/testing/builders";
import {
  type Call,
  createWorld,
  type Invariant,
  type ManagerConnections,
  type World,
  type WorldOptions,
} from "@capstan/sim";
import { bootstrapProvider, machinesProvider, networkProvider } from "./providers.ts";

export const NAMESPACE = "default";
export const MINUTE_MS = 60_000;

/** The origin of the simulated clusters' kubeconfigs. */
export const SIMULATED_ORIGIN = "https://clusters.invalid";

/** The workload access of a manager's connections. */
export function workloadsOf(
  connections: ManagerConnections,
  ports: Partial<WorkloadPorts> = {},
  log: Logger = silentLogger,
): WorkloadClusters {
  const { env, kube: transport } = connections;
  const client = createClient({ transport, env, fieldManager: "capstan", userAgent: "capstan/workload" });
  return new WorkloadClusters({
    env,
    log,
    readSecret: (namespace, name) => client.find(Secret, { namespace, name }),
    connect: ({ server }) => connections.connect(server),
    trustedOrigins: [SIMULATED_ORIGIN],
    ...ports,
  });
}

/** The controllers under test, beside stand-ins for the providers. */
export const controllers: WorldOptions["controllers"] = (connections) =>
  controllersWith(workloadsOf(connections));

/** The same with another access to workload clusters. */
export function controllersWith(workloads: WorkloadClusters): ReturnType<WorldOptions["controllers"]> {
  return [
    clusterReconciler({ workloads }),
    machinePoolReconciler({ workloads }),
    networkProvider,
    machinesProvider,
    bootstrapProvider,
  ];
}

/** A world whose managers run. */
export async function clusterWorld(options: Partial<WorldOptions> = {}): Promise<World> {
  const world = await createWorld({ seed: "1", controllers, ...options });
  world.start();
  return world;
}

/** Creates an object as the user does. */
export function create<T extends KubernetesObject>(
  world: World,
  kind: Kind<T>,
  object: T,
): Promise<Frozen<T>> {
  return world.run(world.user.create(kind, object));
}

/** Changes an object as the user does. */
export function patch<T extends KubernetesObject>(
  world: World,
  kind: Kind<T>,
  name: string,
  body: object,
): Promise<Frozen<T>> {
  return world.run(world.user.patch(kind, { name, namespace: NAMESPACE }, { type: "merge", body }));
}

/** An object as the user sees it. */
export function find<T extends KubernetesObject>(
  world: World,
  kind: Kind<T>,
  name: string,
): Promise<Frozen<T> | undefined> {
  return world.run(world.user.find(kind, { name, namespace: NAMESPACE }));
}

/** An object that must exist. */
export async function get<T extends KubernetesObject>(
  world: World,
  kind: Kind<T>,
  name: string,
): Promise<Frozen<T>> {
  return world.run(world.user.get(kind, { name, namespace: NAMESPACE }));
}

/** Deletes an object as the user does. */
export function remove<T extends KubernetesObject>(world: World, kind: Kind<T>, name: string): Promise<void> {
  return world.run(world.user.delete(kind, { name, namespace: NAMESPACE }));
}

/** Creates a Cluster with its AzureCluster and its KubeadmControlPlane, which no controller acts on. */
export async function createCluster(
  world: World,
  name: string,
  overrides: Overrides<Cluster> = {},
): Promise<void> {
  const reference = (kind: Kind) => ({ apiGroup: kind.group, kind: kind.kind, name });
  const spec = {
    infrastructureRef: reference(AzureCluster),
    controlPlaneRef: reference(KubeadmControlPlane),
  };
  await create(world, Cluster, cluster({ metadata: { name }, spec }, overrides));
  await create(world, AzureCluster, azureCluster({ metadata: { name } }));
  await create(world, KubeadmControlPlane, kubeadmControlPlane({ metadata: { name } }));
}

/** Records every request of the managers. */
export function recorded(): { readonly calls: readonly Call[]; readonly invariant: Invariant } {
  const calls: Call[] = [];
  const called = (call: Call): undefined => void calls.push(call);
  const says = "nothing: it only keeps what is asked";
  return { calls, invariant: { name: "recorder", says, watch: () => ({ called }) } };
}

/** A kubeconfig of a user, with parts merged into its cluster and its user. */
export function kubeconfig(
  server: string,
  parts: { readonly cluster?: object; readonly user?: object } = {},
): string {
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "c", cluster: { server, ...parts.cluster } }],
    users: [{ name: "u", user: parts.user ?? { token: "secret-token" } }],
    contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
    "current-context": "x",
  });
}

/** Gives a Cluster a kubeconfig of the user, which the simulated control planes do not change. */
export async function giveKubeconfig(world: World, clusterName: string, text: string): Promise<void> {
  const name = `${clusterName}-kubeconfig`;
  const data = { value: Buffer.from(text).toString("base64") };
  const found = await find(world, Secret, name);
  if (found) await patch(world, Secret, name, { data });
  else
    await world.run(
      world.user.create(Secret, { metadata: { name, namespace: NAMESPACE }, type: "Opaque", data }),
    );
}
