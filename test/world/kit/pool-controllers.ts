/** The controllers that pools need: as in the product, or with one part that a test has replaced. */
import { type Cluster, ConfigMap, DEFAULT_FEATURES, type Frozen, Secret } from "@capstan/api";
import { DEFAULT_SUBSCRIPTION } from "@capstan/azure-sim";
import { simulatedControllers } from "@capstan/cli";
import { Azure, cloudNamed } from "@capstan/azure";
import { updaterPorts } from "@capstan/manager";
import { kubeadmConfigReconciler } from "../../../packages/manager/src/reconcilers/kubeadmconfig/reconciler.ts";
import { machinePoolReconciler } from "../../../packages/manager/src/reconcilers/machinepool/reconciler.ts";
import { createClient, guardWrites, type Reconciler } from "@capstan/runtime";
import { CLUSTERS_ORIGIN, SIMULATED_ISSUER, type Controllers, type ManagerConnections } from "@capstan/sim";
import { virtualLogin } from "../../../packages/cli/src/controllers/virtual-login.ts";
import { CLUSTER_INFO } from "../../../packages/manager/src/bootstrap/cluster-info.ts";
import { guardArm } from "../../../packages/azure/src/guarded-arm.ts";
import { RegionSizes } from "../../../packages/azure/src/region-sizes.ts";
import { InstanceCache } from "../../../packages/azure/src/scale-set/instance-cache.ts";
import {
  HASH_FUNCTIONS,
  type HashFunction,
} from "../../../packages/manager/src/reconcilers/azuremachinepool/model/hash.ts";
import { azureMachinePoolReconciler } from "../../../packages/manager/src/reconcilers/azuremachinepool/reconciler.ts";
import { azureMachinePoolMachineReconciler } from "../../../packages/manager/src/reconcilers/azuremachinepoolmachine/reconciler.ts";
import { PrototypeMetrics } from "../../../packages/manager/src/reconcilers/nodeprototype/metrics.ts";
import type { ControllerPorts } from "../../../packages/manager/src/setup/controllers.ts";
import { WorkloadClusters } from "../../../packages/manager/src/workload/workload-clusters.ts";

const NAMES: ReadonlySet<string> = new Set([
  "machinepool",
  "kubeadmconfig",
  "azuremachinepool",
  "azuremachinepoolmachine",
]);

/** The controllers of pools and their machines, without those of clusters. */
export const poolControllers: Controllers = (connections) =>
  simulatedControllers(connections).filter(({ name }) => NAMES.has(name));

/** The replaced parts of a test. */
export interface Parts {
  /** The hash functions of models. */
  readonly hashFunctions?: readonly HashFunction[];
  /** Changes the ports of the controllers. */
  readonly ports?: (ports: ControllerPorts) => ControllerPorts;
}

/** The same controllers with replaced parts. */
export function changedControllers(connections: ManagerConnections, parts: Parts): readonly Reconciler[] {
  const { hashFunctions = HASH_FUNCTIONS, ports: changed } = parts;
  const ports = changed ? changed(portsOf(connections)) : portsOf(connections);
  return [
    machinePoolReconciler(ports),
    kubeadmConfigReconciler(ports),
    azureMachinePoolReconciler(ports, hashFunctions),
    azureMachinePoolMachineReconciler(ports),
  ];
}

function portsOf(connections: ManagerConnections): ControllerPorts {
  const { env, kube, log, azure: arm, assertMayWrite } = connections;
  const client = createClient({ transport: kube, env, fieldManager: "capstan" });
  const readSecret = (namespace: string, name: string): Promise<Frozen<Secret> | undefined> =>
    client.find(Secret, { namespace, name });
  const azure = new Azure({
    env,
    cloud: cloudNamed(),
    connect: () => arm,
    acquire: (applicant) => virtualLogin(arm, applicant),
    readSecret,
    readFile: (path) => Promise.reject(new Error(`there is no file ${path}`)),
    namespaceLabels: () => Promise.resolve({}),
  });
  const workloads = new WorkloadClusters({
    env,
    log,
    readSecret,
    connect: ({ server }) => connections.connect(server),
    trustedOrigins: [CLUSTERS_ORIGIN],
  });
  return {
    clock: env.clock,
    azure: { armFor: async (request) => guardArm(await azure.armFor(request), { assertMayWrite, log }) },
    defaultSubscriptionID: DEFAULT_SUBSCRIPTION,
    workloads,
    scaleSets: new InstanceCache(),
    regionSizes: new RegionSizes(env.clock),
    prototypeClaims: new Map(),
    prototypeMetrics: new PrototypeMetrics(),
    readSecret,
    features: DEFAULT_FEATURES,
    isBesideOtherCore: false,
    rendersBootstrapData: true,
    connectEtcd: connections.connectEtcd,
    issuer: SIMULATED_ISSUER,
    ...updaterPorts({ env, client, assertMayWrite }),
    readClusterInfo: async (cluster: Frozen<Cluster>) =>
      (await workloads.get(cluster)).client.find(ConfigMap, CLUSTER_INFO),
    workloadClient: async (cluster: Frozen<Cluster>) =>
      guardWrites((await workloads.get(cluster)).client, assertMayWrite),
  };
}
