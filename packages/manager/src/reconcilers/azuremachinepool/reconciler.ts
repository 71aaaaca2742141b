import { AzureClusterIdentity, AzureMachinePool } from "@capstan/api";
import { defineReconciler, type Reconciler } from "@capstan/runtime";
import { specChanged } from "../../contract/pool-spec.ts";
import { minReconcileIntervalMsOf } from "../../workload/reconcile-interval.ts";
import { buildScope } from "./build-scope.ts";
import { PoolCaches } from "./cache/pool-cache.ts";
import { HASH_FUNCTIONS } from "./model/hash.ts";
import { act } from "./phases/act.ts";
import { awaitMachines, deleteScaleSet, drainMachines } from "./phases/delete.ts";
import { observe } from "./phases/observe.ts";
import { plan } from "./phases/planning.ts";
import { pollOperations } from "./phases/poll-operations.ts";
import { prepare } from "./phases/prepare.ts";
import { recordPlan } from "./phases/record-plan.ts";
import { recordTags } from "./phases/record-tags.ts";
import { report } from "./phases/report.ts";
import { validate } from "./phases/validate.ts";
import { type AzureMachinePoolPorts, CONTROLLER, phasesOf, type Scope, type Shared } from "./scope.ts";
import { INDEXES, nodesOf, WATCHES } from "./sources.ts";

/**
 * Keeps one scale set at the desired model and size of its AzureMachinePool, creates a resource for every instance, and decides
 * which instances are deleted or updated when. It is the only controller that calls Azure for a pool.
 */
export function azureMachinePoolReconciler(
  ports: AzureMachinePoolPorts,
  hashFunctions = HASH_FUNCTIONS,
): Reconciler {
  const shared: Shared = { ports, poolCaches: new PoolCaches(ports.clock), hashFunctions };
  return defineReconciler<AzureMachinePool, Scope>({
    name: CONTROLLER,
    for: AzureMachinePool,
    // CAPZ's finalizer, so that either can delete what the other has created.
    finalizer: "machinepool.cluster.x-k8s.io",
    indexes: INDEXES,
    watches: WATCHES,
    // A pool that cannot log in is retried anyway.
    reads: [AzureClusterIdentity],
    sources: [nodesOf(shared)],
    minReconcileIntervalMs: ({ spec }) => minReconcileIntervalMsOf(spec.providerIDList),
    reconcileAfterOwnSpecChange: specChanged,
    alwaysReportsPaused: true,
    scope: (context) => buildScope(shared, context),
    always: [prepare],
    normal: phasesOf("normal", validate, recordTags, pollOperations, observe, plan, recordPlan, act),
    deleting: phasesOf("deleting", drainMachines, deleteScaleSet, awaitMachines),
    status: report,
  });
}
