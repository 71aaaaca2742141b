/** Which objects make up an AKS cluster. */
import {
  AzureManagedControlPlane,
  AzureManagedMachinePool,
  Cluster,
  CLUSTER_NAME_LABEL,
  type Frozen,
  groupOf,
  type KubernetesObject,
} from "@capstan/api";
import { type CacheReader, index, type ObjectName } from "@capstan/runtime";
import type { ManagedPool } from "@capstan/plan";
import { machinePoolOf } from "../pools/machine-pool-owner.ts";

const BY_CLUSTER = "aks-cluster-of-pool";

/** The Cluster that an object belongs to, by its owner or its label. */
export function clusterNameOf({ metadata }: Frozen<KubernetesObject>): string | undefined {
  const owner = metadata.ownerReferences?.find(
    ({ kind, apiVersion }) => kind === Cluster.kind && groupOf(apiVersion) === Cluster.group,
  );
  return owner?.name ?? metadata.labels?.[CLUSTER_NAME_LABEL];
}

/** The pools of a cluster, by the label that their MachinePools gave them. */
export const managedPoolsByCluster = index(AzureManagedMachinePool, BY_CLUSTER, (pool) => {
  const cluster = pool.metadata.labels?.[CLUSTER_NAME_LABEL];
  return cluster === undefined ? [] : [`${pool.metadata.namespace}/${cluster}`];
});

/** The pools of a Cluster that have a MachinePool, sorted by name. Needs the index `managedPoolsByCluster`. */
export function managedPoolsOf(cache: CacheReader, { name, namespace }: ObjectName): readonly ManagedPool[] {
  return cache
    .list(AzureManagedMachinePool, { index: BY_CLUSTER, value: `${namespace}/${name}` })
    .flatMap((pool) => {
      const machinePool = machinePoolOf(cache, pool);
      return machinePool ? [{ pool, machinePool }] : [];
    })
    .toSorted((a, b) => (a.pool.metadata.name < b.pool.metadata.name ? -1 : 1));
}

/** The control plane of the Cluster of that name, if AKS runs it. */
export function controlPlaneNameOf(
  cache: CacheReader,
  { name, namespace }: ObjectName,
): ObjectName | undefined {
  const { kind, name: controlPlane } = cache.get(Cluster, { name, namespace })?.spec.controlPlaneRef ?? {};
  return kind === AzureManagedControlPlane.kind && controlPlane !== undefined
    ? { name: controlPlane, ...(namespace !== undefined && { namespace }) }
    : undefined;
}
