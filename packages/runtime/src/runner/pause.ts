import {
  Cluster,
  CLUSTER_NAME_LABEL,
  type Frozen,
  isPausedByAnnotation,
  type KubernetesObject,
  PAUSED_ANNOTATION,
} from "@capstan/api";
import type { CacheReader } from "../reconciler/reconciler.ts";

/** Why the object is paused; undefined when it is not. */
export function pausedBecause(
  object: Frozen<KubernetesObject>,
  cluster: Frozen<Cluster> | undefined,
): string | undefined {
  if (isPausedByAnnotation(object)) return `the annotation ${PAUSED_ANNOTATION} is set`;
  if (cluster?.spec?.paused) return `Cluster ${cluster.metadata.name} has spec.paused set`;
  return undefined;
}

/** The Cluster an object belongs to: itself, or the one its label names. */
export function clusterOf(
  object: Frozen<KubernetesObject>,
  cache: CacheReader & { follows(kind: typeof Cluster): boolean },
): Frozen<Cluster> | undefined {
  if (object.kind === Cluster.kind && object.apiVersion === Cluster.apiVersion)
    return object as Frozen<Cluster>;
  const name = object.metadata.labels?.[CLUSTER_NAME_LABEL];
  if (name === undefined || !cache.follows(Cluster)) return undefined;
  return cache.get(Cluster, { name, namespace: object.metadata.namespace });
}
