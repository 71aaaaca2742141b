import {
  AzureCluster,
  AzureMachinePool,
  type AzureMachineTemplate,
  Cluster,
  CLUSTER_NAME_LABEL,
  type Frozen,
  groupOf,
  type MachinePool,
} from "@capstan/api";
import { type CacheReader, index, type ObjectName } from "@capstan/runtime";
import { identityKeyOf } from "./arm-client.ts";
import { refersTo } from "../contract/reference.ts";

const BY_CLUSTER = "cluster-of-pool";
const BY_IDENTITY = "identity";

/** The pools of a cluster, by the label that its MachinePool gave them. */
export const poolsByCluster = index(AzureMachinePool, BY_CLUSTER, ({ metadata }) => {
  const cluster = metadata.labels?.[CLUSTER_NAME_LABEL];
  return cluster === undefined ? [] : [`${metadata.namespace}/${cluster}`];
});

/** The clusters that use an identity. */
export const clustersByIdentity = index(AzureCluster, BY_IDENTITY, (cluster) => [identityKeyOf(cluster)]);

/** The AzureMachinePools of the Cluster of that name. Needs the index `poolsByCluster`. */
export function poolsOf(
  cache: CacheReader,
  { name, namespace }: ObjectName,
): readonly Frozen<AzureMachinePool>[] {
  return cache.list(AzureMachinePool, { index: BY_CLUSTER, value: `${namespace}/${name}` });
}

/** The AzureMachinePool that a MachinePool refers to, if its infrastructure is one. */
export function poolsOfMachinePool({ metadata, spec }: Frozen<MachinePool>): readonly ObjectName[] {
  const { infrastructureRef } = spec.template.spec;
  const isOurs = refersTo(infrastructureRef, AzureMachinePool);
  return isOurs && metadata.namespace !== undefined
    ? [{ name: infrastructureRef.name, namespace: metadata.namespace }]
    : [];
}

/** The name of the Cluster of a template: Cluster API makes it an owner of each template that one of its objects refers to. */
export function templateClusterOf({ metadata }: Frozen<AzureMachineTemplate>): string | undefined {
  const { labels, ownerReferences = [] } = metadata;
  const owner = ownerReferences.find(
    ({ kind, apiVersion }) => kind === Cluster.kind && groupOf(apiVersion) === Cluster.group,
  );
  return owner?.name ?? labels?.[CLUSTER_NAME_LABEL];
}

/** The AzureClusters that use an identity. Needs the index `clustersByIdentity`. */
export function clustersOf(
  cache: CacheReader,
  { name, namespace }: ObjectName,
): readonly Frozen<AzureCluster>[] {
  return cache.list(AzureCluster, { index: BY_IDENTITY, value: `${namespace}/${name}` });
}

/** The name of the AzureCluster of a Cluster; if the Cluster is gone, the same name is assumed. */
export function azureClusterNameOf(cache: CacheReader, { name, namespace }: ObjectName): ObjectName {
  const cluster = cache.get(Cluster, { name, namespace });
  return { name: cluster?.spec.infrastructureRef?.name ?? name, namespace };
}
