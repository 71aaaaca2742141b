import {
  AzureCluster,
  AzureMachinePool,
  AzureMachinePoolMachine,
  AzureMachineTemplate,
  Cluster,
  MachineDrainRule,
  MachinePool,
  nodePrototypingOf,
} from "@capstan/api";
import { defineReconciler, on, type Reconciler } from "@capstan/runtime";
import { poolsByCluster, poolsOfMachinePool } from "../../azure-cluster/members.ts";
import { isMoreThanMachines } from "../../contract/pool-spec.ts";
import { drainRulesByNamespace } from "../../workload/drain/drain-rules.ts";
import {
  advance,
  advanceWhilePaused,
  collectSurplus,
  connect,
  interrupt,
  recover,
  removeImages,
  verifyVersion,
} from "./steps/advance.ts";

import { donorIndexes, donorNodes } from "./indexes.ts";
import { allowMoveWhilePaused, guardMove } from "./block-clusterctl-move.ts";
import { LAST_OS_CACHE, report } from "./report.ts";
import { hasFailed, poolOfFailed } from "./fleet/joins.ts";
import { judgeNewNodes } from "./steps/judge-new-nodes.ts";
import { poolScope } from "./fleet/pool-scope.ts";
import { CONTROLLER, type NodePrototypePorts, type Scope, sharedBy } from "./scope.ts";

/**
 * Renews the image that new machines of a pool boot from, from a healthy machine of the pool. It owns snapshots, the gallery
 * and the power of the donor; the pool controller alone writes the scale set.
 */
export function nodePrototypeReconciler(ports: NodePrototypePorts): Reconciler {
  const shared = sharedBy(ports);
  return defineReconciler<AzureMachinePool, Scope>({
    name: CONTROLLER,
    for: AzureMachinePool,
    condition: LAST_OS_CACHE,
    finalizer: "nodeprototype.capstan.dev",
    // A pool that never used the feature is not touched.
    needsFinalizer: (pool) =>
      pool.status?.nodePrototyping !== undefined || nodePrototypingOf(pool) !== undefined,
    indexes: [drainRulesByNamespace, poolsByCluster, ...donorIndexes],
    watches: [
      on(MachinePool, poolsOfMachinePool, { predicate: isMoreThanMachines }),
      on(AzureMachinePoolMachine, poolOfFailed, {
        predicate: (before, after) => hasFailed(before) !== hasFailed(after),
      }),
    ],
    // The record of a renewal says when to look at these.
    reads: [AzureMachineTemplate, Cluster, MachineDrainRule, AzureCluster],
    sources: [donorNodes(AzureMachinePool, ports)],
    scope: (context) => poolScope(shared, context),
    normal: [connect, recover, interrupt, guardMove, verifyVersion, judgeNewNodes, advance, collectSurplus],
    deleting: [connect, interrupt, advance, removeImages],
    whilePaused: [advanceWhilePaused, allowMoveWhilePaused],
    status: report,
  });
}
