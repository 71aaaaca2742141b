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
import { isReported } from "./members.ts";
import { conditionsOf, report } from "./report.ts";
import { buildScope, type ClusterPorts, FOLLOWED, type Scope } from "./scope.ts";

const COUNT_MS = 5_000;
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
      // A part that is ready lets the next one begin; counters of machines can wait.
      ...FOLLOWED.map((kind) => on(kind, byReference.of, { isUrgent: true })),
      ...DESCENDANTS.map((kind) => on(kind, toCluster)),
    ],
    referrersOf: byReference.of,
    scope: (context) => buildScope(ports, context),
    normal: [observe],
    deleting: [deleteInOrder],
    // The status counts machines, and each of them changes several times while it boots.
    minReconcileIntervalMs: ({ metadata }) => (metadata.deletionTimestamp === undefined ? COUNT_MS : 0),
    sources: [(enqueue) => ports.workloads.onAnswer(enqueue)],
    status: report,
    standardConditions: conditionsOf,
  });
}

function clusterKeysOf({ metadata: { namespace }, spec }: Frozen<Descendant>): string[] {
  return [keyOf({ metadata: { name: spec.clusterName, namespace } })];
}

/** The owners of machines report on them. A Cluster that is being deleted waits for every object that belongs to it. */
function toCluster(object: Frozen<Descendant>, cache: CacheReader): ObjectName[] {
  const { metadata, spec } = object;
  const name = { name: spec.clusterName, namespace: metadata.namespace };
  const isDeleting = cache.get(Cluster, name)?.metadata.deletionTimestamp !== undefined;
  return isDeleting || isReported(object) ? [name] : [];
}
