import {
  AzureCluster,
  AzureMachinePool,
  KubeadmConfig,
  type KubernetesObject,
  MachinePool,
} from "@capstan/api";
import {
  block,
  type Context,
  defineReconciler,
  next,
  on,
  type Outcome,
  type Reconciler,
} from "@capstan/runtime";

// Long enough for every crash to happen in the middle of it.
const WORK_MS = 20_000;

type Scope<T extends KubernetesObject> = Context<T>;

/** Stands in for an infrastructure provider: takes some time, publishes an endpoint, and takes some time to delete. */
export const networkProvider: Reconciler = defineReconciler<AzureCluster, Scope<AzureCluster>>({
  name: "azurecluster",
  for: AzureCluster,
  finalizer: "azurecluster.infrastructure.cluster.x-k8s.io",
  scope: (context) => context,
  normal: [
    (scope) => takeTime(scope, scope.object.metadata.creationTimestamp),
    ({ object }) => {
      object.spec.controlPlaneEndpoint = { host: `${object.metadata.name}.example.com`, port: 6443 };
      object.status = {
        ...object.status,
        ready: true,
        failureDomains: { "1": { controlPlane: true }, "2": {} },
      };
      return next;
    },
  ],
  deleting: [(scope) => takeTime(scope, scope.object.metadata.deletionTimestamp)],
});

/** The provider ids of the machines of a pool. */
export function machineIDs(pool: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `sim://${pool}/${index}`);
}

/** Stands in for a provider of pools: as many machines as the MachinePool asks for, with invented ids. */
export const machinesProvider: Reconciler = defineReconciler<AzureMachinePool, Scope<AzureMachinePool>>({
  name: "azuremachinepool",
  for: AzureMachinePool,
  finalizer: "azuremachinepool.infrastructure.cluster.x-k8s.io",
  watches: [on(MachinePool, ({ metadata: { name, namespace } }) => [{ name, namespace }])],
  scope: (context) => context,
  normal: [
    (scope) => takeTime(scope, scope.object.metadata.creationTimestamp),
    ({ object, cache }) => {
      const { name, namespace } = object.metadata;
      const owner = cache.get(MachinePool, { name, namespace });
      if (!owner?.status?.initialization?.bootstrapDataSecretCreated)
        return block(WORK_MS, "WaitingForBootstrap");
      const replicas = owner.spec.replicas ?? 1;
      object.spec.providerIDList = machineIDs(name, replicas);
      object.status = { ...object.status, ready: true, replicas };
      return next;
    },
  ],
  deleting: [(scope) => takeTime(scope, scope.object.metadata.deletionTimestamp)],
});

/** Stands in for a bootstrap provider. */
export const bootstrapProvider: Reconciler = defineReconciler<KubeadmConfig, Scope<KubeadmConfig>>({
  name: "kubeadmconfig",
  for: KubeadmConfig,
  scope: (context) => context,
  normal: [
    (scope) => takeTime(scope, scope.object.metadata.creationTimestamp),
    ({ object }) => {
      object.status = {
        ...object.status,
        initialization: { dataSecretCreated: true },
        dataSecretName: `${object.metadata.name}-data`,
      };
      return next;
    },
  ],
});

function takeTime({ env }: Scope<KubernetesObject>, since: string | undefined): Outcome {
  const leftMs = Date.parse(since ?? "") + WORK_MS - env.clock.now();
  return leftMs > 0 ? block(leftMs, "Working") : next;
}
