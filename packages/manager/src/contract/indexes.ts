/** Indexes over the cache that several controllers share, so that each fact is indexed once. */
import { controllerOf, type Frozen, type Kind, type KubernetesObject } from "@capstan/api";
import { type CacheReader, index, type IndexDefinition, keyOf, type ObjectName } from "@capstan/runtime";

const BY_CONTROLLER = "controller";
const BY_CLUSTER = "cluster";

/** The index over the objects of a kind by the UID of their controller. */
export function indexByController(kind: Kind): IndexDefinition {
  return index(kind, BY_CONTROLLER, (object) => {
    const controller = controllerOf(object);
    return controller ? [controller.uid] : [];
  });
}

/** The objects of a kind that an object controls; needs `indexByController`. */
export function controlledBy<T extends KubernetesObject>(
  cache: CacheReader,
  kind: Kind<T>,
  { metadata }: Pick<Frozen<KubernetesObject>, "metadata">,
): readonly Frozen<T>[] {
  return cache.list(kind, { index: BY_CONTROLLER, value: metadata.uid ?? "" });
}

type ClusterMember = KubernetesObject & { readonly spec: { readonly clusterName: string } };

/** The index over the objects of a kind by the Cluster that `spec.clusterName` names. */
export function indexByCluster<T extends ClusterMember>(kind: Kind<T>): IndexDefinition {
  return index(kind, BY_CLUSTER, (object) => [keyOf({ metadata: clusterNameOf(object) })]);
}

/** The Cluster that an object belongs to. */
export function clusterNameOf({ metadata: { namespace }, spec }: Frozen<ClusterMember>): ObjectName {
  return { name: spec.clusterName, namespace };
}

/** The objects of a kind that belong to a Cluster; needs `indexByCluster`. */
export function ofCluster<T extends ClusterMember>(
  cache: CacheReader,
  kind: Kind<T>,
  cluster: ObjectName,
): readonly Frozen<T>[] {
  return cache.list(kind, { index: BY_CLUSTER, value: keyOf({ metadata: cluster }) });
}
