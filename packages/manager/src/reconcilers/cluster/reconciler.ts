import { Cluster, type Frozen } from "@capstan/api";
import {
  type CacheReader,
  defineReconciler,
  index,
  keyOf,
  on,
  type ObjectName,
  type Reconciler,
} from "@capstan/runtime";
import { referrers } from "../../contract/referrers.ts";
import { type Descendant, DESCENDANTS } from "./decide-deletion.ts";
import { BY_CLUSTER, deleteInOrder } from "./deletion.ts";
import { observe } from "./observe.ts";
import { report } from "./report.ts";
import { buildScope, type ClusterPorts, FOLLOWED, type Scope } from "./scope.ts";

const byReference = referrers(Cluster, ({ spec }) => [spec.infrastructureRef, spec.controlPlaneRef]);

/**
 * Connects the parts of a cluster: its infrastructure and its control plane, of any kind, and the connection to its API
 * server; and deletes them in order.
 */
export function clusterReconciler(ports: ClusterPorts): Reconciler {
  return defineReconciler<Cluster, Scope>({
    name: "cluster",
    for: Cluster,
    finalizer: "cluster.cluster.x-k8s.io",
    indexes: [byReference.index, ...DESCENDANTS.map((kind) => index(kind, BY_CLUSTER, clusterKeysOf))],
    watches: [
      ...FOLLOWED.map((kind) => on(kind, byReference.of)),
      ...DESCENDANTS.map((kind) => on(kind, toDeletingCluster)),
    ],
    referrersOf: byReference.of,
    scope: (context) => buildScope(ports, context),
    normal: [observe],
    deleting: [deleteInOrder],
    status: report,
  });
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
