import { Cluster, type Frozen, type KubernetesObject, MachinePool } from "@capstan/api";
import {
  type CacheReader,
  defineReconciler,
  index,
  keyOf,
  type ObjectName,
  on,
  type Reconciler,
  type Source,
} from "@capstan/runtime";
import { specChanged, isExternallyScaled } from "../../contract/pool-spec.ts";
import { referenceKey } from "../../contract/reference.ts";
import { providerKey } from "../../workload/nodes.ts";
import { minReconcileIntervalMsOf } from "../../workload/reconcile-interval.ts";
import { deleteNodes, deleteReferences } from "./deletion.ts";
import { joinCluster, observeNodes, observeReferences } from "./observe.ts";
import { report } from "./report.ts";
import { buildScope, FOLLOWED, type MachinePoolPorts, type Scope } from "./scope.ts";

const BY_REFERENCE = "references";
const BY_CLUSTER = "spec.clusterName";
const BY_SET = "set-of-machines";

/**
 * Brings the parts of a pool together: what makes its bootstrap data, what has its machines, of whatever kind, and the
 * Nodes that these have become.
 */
export function machinePoolReconciler(ports: MachinePoolPorts): Reconciler {
  return defineReconciler<MachinePool, Scope>({
    name: "machinepool",
    for: MachinePool,
    finalizer: "machinepool.cluster.x-k8s.io",
    indexes: [
      index(MachinePool, BY_REFERENCE, referencesOf),
      index(MachinePool, BY_CLUSTER, ({ metadata: { namespace }, spec }) => [
        keyOf({ metadata: { name: spec.clusterName, namespace } }),
      ]),
      index(MachinePool, BY_SET, ({ spec }) => (spec.providerIDList ? knownSetsOf(spec.providerIDList) : [])),
    ],
    watches: [...FOLLOWED.map((kind) => on(kind, toReferrers)), on(Cluster, toPools)],
    referrersOf: toReferrers,
    sources: [nodesOf(ports)],
    minReconcileIntervalMs: minReconcileIntervalMsFor,
    reconcileAfterOwnSpecChange: specChanged,
    scope: (context) => buildScope(ports, context),
    normal: [joinCluster, observeReferences, observeNodes],
    deleting: [deleteReferences, deleteNodes],
    status: report,
  });
}

// As long as CAPZ rests, whatever the size: nobody minds less.
const SHORT_REST_MS = 10_000;

/**
 * Where it takes long, twice as long as what has the machines: nobody decides by these numbers, and with each of them all
 * machines are written once more. Where an autoscaler decides, the wanted number is among them.
 */
function minReconcileIntervalMsFor(pool: Frozen<MachinePool>): number {
  const minReconcileIntervalMs = minReconcileIntervalMsOf(pool.spec.providerIDList);
  return minReconcileIntervalMs > SHORT_REST_MS && !isExternallyScaled(pool)
    ? 2 * minReconcileIntervalMs
    : minReconcileIntervalMs;
}

/** The Nodes of workload clusters: one that changes wakes the pool of its machine. */
function nodesOf({ workloads }: MachinePoolPorts): Source {
  return (enqueue, cache) =>
    workloads.onNodeChange((cluster, providerIDs) => {
      const pools = setsOf(providerIDs).flatMap((value) => cache.list(MachinePool, { index: BY_SET, value }));
      for (const { metadata, spec } of new Set(pools)) {
        if (spec.clusterName === cluster.name && metadata.namespace === cluster.namespace) enqueue(metadata);
      }
    });
}

/** What the ids of machines have in common, all but their last part: a pool of thousands is found by one value or a few. */
function setsOf(providerIDs: readonly string[]): string[] {
  const sets = new Set(providerIDs.map((id) => id.slice(0, id.lastIndexOf("/"))));
  return [...new Set([...sets].map(providerKey))];
}

/** By lists of pools as the cache has them: most changes of a pool leave its list as it is. */
const knownSets = new WeakMap<readonly string[], readonly string[]>();

function knownSetsOf(providerIDs: readonly string[]): readonly string[] {
  const known = knownSets.get(providerIDs);
  if (known) return known;
  const sets = setsOf(providerIDs);
  knownSets.set(providerIDs, sets);
  return sets;
}

function referencesOf({ metadata: { namespace = "" }, spec }: Frozen<MachinePool>): string[] {
  const { bootstrap, infrastructureRef } = spec.template.spec;
  return [bootstrap.configRef, infrastructureRef].flatMap((reference) =>
    reference ? [referenceKey(reference, namespace)] : [],
  );
}

function toReferrers(
  { apiVersion, kind, metadata }: Frozen<KubernetesObject>,
  cache: CacheReader,
): ObjectName[] {
  const { name, namespace = "" } = metadata;
  const value = referenceKey({ apiVersion, kind, name }, namespace);
  return cache.list(MachinePool, { index: BY_REFERENCE, value }).map((pool) => pool.metadata);
}

function toPools(cluster: Frozen<Cluster>, cache: CacheReader): ObjectName[] {
  return cache.list(MachinePool, { index: BY_CLUSTER, value: keyOf(cluster) }).map((pool) => pool.metadata);
}
