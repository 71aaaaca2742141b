import { Cluster, type Frozen, type KubernetesObject } from "@capstan/api";
import {
  type CacheReader,
  defineReconciler,
  index,
  keyOf,
  on,
  type ObjectName,
  type Reconciler,
} from "@capstan/runtime";
import { referenceKey } from "../../contract/reference.ts";
import { type Descendant, DESCENDANTS } from "./decide-deletion.ts";
import { BY_CLUSTER, deleteInOrder } from "./deletion.ts";
import { observe } from "./observe.ts";
import { report } from "./report.ts";
import { buildScope, type ClusterPorts, FOLLOWED, type Scope } from "./scope.ts";

const BY_REFERENCE = "references";

/**
 * Connects the parts of a cluster: its infrastructure and its control plane, of any kind, and the connection to its API
 * server; and deletes them in order.
 */
export function clusterReconciler(ports: ClusterPorts): Reconciler {
  return defineReconciler<Cluster, Scope>({
    name: "cluster",
    for: Cluster,
    finalizer: "cluster.cluster.x-k8s.io",
    indexes: [
      index(Cluster, BY_REFERENCE, referencesOf),
      ...DESCENDANTS.map((kind) => index(kind, BY_CLUSTER, clusterKeysOf)),
    ],
    watches: [
      ...FOLLOWED.map((kind) => on(kind, toReferrers)),
      ...DESCENDANTS.map((kind) => on(kind, toDeletingCluster)),
    ],
    referrersOf: toReferrers,
    scope: (context) => buildScope(ports, context),
    normal: [observe],
    deleting: [deleteInOrder],
    status: report,
  });
}

function referencesOf({ metadata: { namespace = "" }, spec }: Frozen<Cluster>): string[] {
  return [spec.infrastructureRef, spec.controlPlaneRef].flatMap((reference) =>
    reference ? [referenceKey(reference, namespace)] : [],
  );
}

function toReferrers(
  { apiVersion, kind, metadata }: Frozen<KubernetesObject>,
  cache: CacheReader,
): ObjectName[] {
  const { name, namespace = "" } = metadata;
  const value = referenceKey({ apiVersion, kind, name }, namespace);
  return cache.list(Cluster, { index: BY_REFERENCE, value }).map((cluster) => cluster.metadata);
}

function clusterKeysOf({ metadata: { namespace }, spec }: Frozen<Descendant>): string[] {
  return [keyOf({ metadata: { name: spec.clusterName, namespace } })];
}

/** Only a Cluster that waits for the deletion is enqueued. */
function toDeletingCluster(
  { metadata: { namespace }, spec }: Frozen<Descendant>,
  cache: CacheReader,
): ObjectName[] {
  const name = { name: spec.clusterName, namespace };
  return cache.get(Cluster, name)?.metadata.deletionTimestamp === undefined ? [] : [name];
}
