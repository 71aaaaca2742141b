import { Cluster, type Frozen, MachinePool } from "@capstan/api";
import {
  type CacheReader,
  defineReconciler,
  index,
  type ObjectName,
  on,
  type Reconciler,
} from "@capstan/runtime";
import { specChanged, isExternallyScaled } from "../../contract/pool-spec.ts";
import { indexByCluster, ofCluster } from "../../contract/indexes.ts";
import { referrers } from "../../contract/referrers.ts";
import { providerKey } from "../../workload/nodes.ts";
import { minReconcileIntervalMsOf } from "../../workload/reconcile-interval.ts";
import { type NodeChange, nodeSource } from "../../workload/sources.ts";
import { deleteNodes, deleteReferences } from "./deletion.ts";
import { joinCluster, observeNodes, observeReferences } from "./observe.ts";
import { mattersToMembers } from "../../contract/initialized.ts";
import { conditionsOf, report } from "./report.ts";
import { buildScope, FOLLOWED, type MachinePoolPorts, type Scope } from "./scope.ts";

const byReference = referrers(MachinePool, ({ spec: { template } }) => [
  template.spec.bootstrap.configRef,
  template.spec.infrastructureRef,
]);
const BY_SET = "set-of-machines";

/**
 * Connects the parts of a pool: its bootstrap config and its infrastructure, of any kind, and the Nodes of its
 * machines.
 */
export function machinePoolReconciler(ports: MachinePoolPorts): Reconciler {
  return defineReconciler<MachinePool, Scope>({
    name: "machinepool",
    for: MachinePool,
    finalizer: "machinepool.cluster.x-k8s.io",
    indexes: [
      byReference.index,
      indexByCluster(MachinePool),
      index(MachinePool, BY_SET, ({ spec }) => (spec.providerIDList ? knownSetsOf(spec.providerIDList) : [])),
    ],
    watches: [
      ...FOLLOWED.map((kind) => on(kind, byReference.of)),
      on(Cluster, toPools, { predicate: mattersToMembers }),
    ],
    referrersOf: byReference.of,
    sources: [nodeSource(ports.workloads, poolsWith)],
    minReconcileIntervalMs: minReconcileIntervalMsFor,
    reconcileAfterOwnSpecChange: specChanged,
    scope: (context) => buildScope(ports, context),
    normal: [joinCluster, observeReferences, observeNodes],
    deleting: [deleteReferences, deleteNodes],
    status: report,
    standardConditions: conditionsOf,
  });
}

// CAPZ's interval for every size of pool; a shorter one is not needed.
const SHORT_REST_MS = 10_000;

/**
 * For a large pool, twice the interval of the infrastructure: no controller decides by these numbers, and each write
 * contains all machines. If an autoscaler sets the size, the desired number is among them.
 */
function minReconcileIntervalMsFor(pool: Frozen<MachinePool>): number {
  const minReconcileIntervalMs = minReconcileIntervalMsOf(pool.spec.providerIDList);
  return minReconcileIntervalMs > SHORT_REST_MS && !isExternallyScaled(pool)
    ? 2 * minReconcileIntervalMs
    : minReconcileIntervalMs;
}

/** The pools of the machines of changed Nodes. */
function poolsWith({ cluster, providerIDs }: NodeChange, cache: CacheReader): readonly ObjectName[] {
  const pools = setsOf(providerIDs).flatMap((value) => cache.list(MachinePool, { index: BY_SET, value }));
  return [...new Set(pools)]
    .filter(
      ({ metadata, spec }) => spec.clusterName === cluster.name && metadata.namespace === cluster.namespace,
    )
    .map(({ metadata }) => metadata);
}

/** The common prefixes of the provider ids: a pool of thousands is indexed under one value or a few. */
function setsOf(providerIDs: readonly string[]): string[] {
  const sets = new Set(providerIDs.map((id) => id.slice(0, id.lastIndexOf("/"))));
  return [...new Set([...sets].map(providerKey))];
}

/** By the cached list of a pool: most changes of a pool leave its list unchanged. */
const knownSets = new WeakMap<readonly string[], readonly string[]>();

function knownSetsOf(providerIDs: readonly string[]): readonly string[] {
  const known = knownSets.get(providerIDs);
  if (known) return known;
  const sets = setsOf(providerIDs);
  knownSets.set(providerIDs, sets);
  return sets;
}

function toPools(cluster: Frozen<Cluster>, cache: CacheReader): ObjectName[] {
  return ofCluster(cache, MachinePool, cluster.metadata).map((pool) => pool.metadata);
}
