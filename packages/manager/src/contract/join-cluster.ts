import {
  type Cluster,
  CLUSTER_NAME_LABEL,
  ensureOwnerReference,
  type Frozen,
  type KubernetesObject,
  ownerReferenceTo,
} from "@capstan/api";
import { block, type Editable, next, type Outcome, waiting } from "@capstan/runtime";

/** An object that names its Cluster. */
export type ClusterMember = Editable<KubernetesObject> & { readonly spec: { readonly clusterName: string } };

/** The Cluster of an object. Throws a Failure while it does not exist. */
export function requireCluster(
  { metadata, spec }: ClusterMember,
  cluster: Frozen<Cluster> | undefined,
): Frozen<Cluster> {
  if (cluster) return cluster;
  const name = JSON.stringify(spec.clusterName);
  const message = `spec.clusterName: Cluster ${name} does not exist in namespace ${metadata.namespace}`;
  throw waiting("WaitingForCluster", message);
}

/** Makes the Cluster an owner of an object, so that it is deleted with the Cluster. */
export function ownByCluster({ metadata }: Editable<KubernetesObject>, cluster: Frozen<Cluster>): void {
  const references = ensureOwnerReference(metadata.ownerReferences, ownerReferenceTo(cluster));
  metadata.ownerReferences = references.map((one) => ({ ...one }));
}

/** Sets the label of the Cluster; without it, other controllers could not see that the Cluster is paused. */
export function labelWithCluster({ metadata, spec }: ClusterMember): Outcome {
  if (metadata.labels?.[CLUSTER_NAME_LABEL] === spec.clusterName) return next;
  metadata.labels = { ...metadata.labels, [CLUSTER_NAME_LABEL]: spec.clusterName };
  return block(0, "JoiningCluster");
}
