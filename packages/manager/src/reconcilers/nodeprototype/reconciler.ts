import {
  AzureCluster,
  AzureMachinePool,
  AzureMachinePoolMachine,
  Cluster,
  type Frozen,
  MachineDrainRule,
  MachinePool,
  nodePrototypingOf,
} from "@capstan/api";
import {
  defineReconciler,
  index,
  on,
  type MetricRegistry,
  type Reconciler,
  type Source,
} from "@capstan/runtime";
import { poolsByCluster, poolsOfMachinePool } from "../../azure-cluster/members.ts";
import { isMoreThanMachines } from "../../contract/pool-spec.ts";
import { hasDonor } from "../../images/record.ts";
import { drainRulesByNamespace } from "../../workload/drain/drain-rules.ts";
import { Refusals } from "../../workload/drain/refusals.ts";
import { providerKey } from "../../workload/nodes.ts";
import {
  advance,
  advanceWhilePaused,
  collectSurplus,
  connect,
  interrupt,
  recover,
  removeImages,
  verifyVersion,
} from "./advance.ts";

import { ANYWHERE, BY_DONOR } from "./idle.ts";
import { PrototypeMetrics } from "./metrics.ts";
import { allowMoveWhilePaused, guardMove } from "./move.ts";
import { LAST_OS_CACHE, report } from "./report.ts";
import {
  buildScope,
  clusterKeyOf,
  CONTROLLER,
  type NodePrototypePorts,
  type Scope,
  type Shared,
} from "./scope.ts";

const BY_DONOR_ID = "donor-of-pool";

/**
 * Renews the image that new machines of a pool boot from, from a healthy machine of the pool. It owns snapshots, the gallery
 * and the power of the donor; the pool controller alone writes the scale set.
 */
export function nodePrototypeReconciler(
  ports: NodePrototypePorts & { readonly metrics?: MetricRegistry | undefined },
): Reconciler {
  const shared: Shared = {
    ports,
    refusals: new Refusals(ports.clock),
    metrics: new PrototypeMetrics(ports.metrics),
    claims: new Map(),
  };
  return defineReconciler<AzureMachinePool, Scope>({
    name: CONTROLLER,
    for: AzureMachinePool,
    condition: LAST_OS_CACHE,
    finalizer: "nodeprototype.capstan.dev",
    // A pool that never used the feature is not touched.
    needsFinalizer: (pool) =>
      pool.status?.nodePrototyping !== undefined || nodePrototypingOf(pool) !== undefined,
    indexes: [
      drainRulesByNamespace,
      poolsByCluster,
      index(AzureMachinePool, BY_DONOR, (pool) =>
        hasDonor(pool.status?.nodePrototyping) ? [clusterKeyOf(pool), ANYWHERE] : [],
      ),
      index(AzureMachinePool, BY_DONOR_ID, donorKeysOf),
    ],
    watches: [
      on(MachinePool, poolsOfMachinePool, { predicate: isMoreThanMachines }),
      // Only for the cache: the record of a renewal says when to look at these.
      on(AzureMachinePoolMachine, () => []),
      on(Cluster, () => []),
      on(MachineDrainRule, () => []),
      on(AzureCluster, () => []),
    ],
    sources: [donorsOf(ports)],
    scope: (context) => buildScope(shared, context),
    normal: [connect, recover, interrupt, guardMove, verifyVersion, advance, collectSurplus],
    deleting: [connect, interrupt, advance, removeImages],
    whilePaused: [advanceWhilePaused, allowMoveWhilePaused],
    status: report,
  });
}

/** The key of the donor's provider id. */
function donorKeysOf({ spec, status }: Frozen<AzureMachinePool>): readonly string[] {
  const { donor } = status?.nodePrototyping ?? {};
  if (!hasDonor(status?.nodePrototyping) || !donor || spec.providerID === undefined) return [];
  return [providerKey(`${spec.providerID}/virtualMachines/${donor.instanceID}`)];
}

/** A changed Node of a donor enqueues its pool: the donor is back as soon as its Node is Ready. */
function donorsOf({ workloads }: NodePrototypePorts): Source {
  return (enqueue, cache) =>
    workloads.onNodeChange((cluster, providerIDs) => {
      for (const value of providerIDs.map(providerKey)) {
        for (const { metadata } of cache.list(AzureMachinePool, { index: BY_DONOR_ID, value }))
          if (metadata.namespace === cluster.namespace) enqueue(metadata);
      }
    });
}
