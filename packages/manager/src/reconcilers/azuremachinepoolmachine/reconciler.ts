import {
  AzureMachinePool,
  AzureMachinePoolMachine,
  Cluster,
  CLUSTER_NAME_LABEL,
  deepEqual,
  type Frozen,
  isPausedByAnnotation,
  MachineDrainRule,
  MachinePool,
  type Node,
} from "@capstan/api";
import {
  type CacheReader,
  defineReconciler,
  index,
  type ObjectName,
  on,
  type Reconciler,
  type Source,
} from "@capstan/runtime";
import { type NodeChange, nodeSource } from "../../workload/sources.ts";
import { isControlPlaneInitialized } from "../../contract/initialized.ts";
import { poolsOfMachinePool } from "../../azure-cluster/members.ts";
import { isMoreThanMachines } from "../../contract/pool-spec.ts";
import { updateOf } from "../../workload/availability.ts";
import { providerKey } from "../../workload/nodes.ts";
import { MACHINE_FINALIZER } from "../../pools/well-known.ts";
import { BY_PROVIDER_ID } from "../../pools/claims.ts";
import { awaitInstance, deleteMachine, drainBeforeLeaving, removeNode, unlessPointless } from "./deletion.ts";
import { noteLastPatch } from "./last-patch.ts";
import {
  leaveLostToPool,
  lookAtInstance,
  lookAtNode,
  lookForNode,
  requireInstance,
  requirePool,
  shareControl,
} from "./observe.ts";
import { report } from "./report.ts";
import { drainRulesByNamespace } from "../../workload/drain/drain-rules.ts";
import { Refusals } from "../../workload/drain/refusals.ts";
import { type AzureMachinePoolMachinePorts, buildScope, type Scope } from "./scope.ts";
import { machinesByPool, machinesOfPool } from "../../pools/machines-of-pool.ts";
import { updateInPlace } from "./update.ts";

// Draining waits for the API servers of many clusters; a slow one must not block the machines of the others.
const CONCURRENCY = 30;
// Events report all changes, and the pool controller checks its machines every ten minutes; this covers missed events.
const RESYNC_MS = 6 * 60 * 60_000;

/**
 * Reconciles one instance of a scale set from its first boot to its end: finds its Node, reports the state of both, and
 * drains the Node before the pool controller deletes or updates the instance. It never calls Azure: the pool lists for it.
 */
export function azureMachinePoolMachineReconciler(ports: AzureMachinePoolMachinePorts): Reconciler {
  const memory = { askedToGo: new WeakSet<Frozen<Node>>(), refusals: new Refusals(ports.clock) };
  return defineReconciler<AzureMachinePoolMachine, Scope>({
    name: "azuremachinepoolmachine",
    for: AzureMachinePoolMachine,
    finalizer: MACHINE_FINALIZER,
    concurrency: CONCURRENCY,
    resyncMs: RESYNC_MS,
    indexes: [
      drainRulesByNamespace,
      index(AzureMachinePoolMachine, BY_PROVIDER_ID, ({ spec }) => [providerKey(spec.providerID)]),
      machinesByPool,
    ],
    watches: [
      on(AzureMachinePool, toUnsettled, { predicate: mattersToUnsettled }),
      on(AzureMachinePool, toAll, { predicate: hasAnotherModel }),
      on(Cluster, toMachinesOfCluster, { predicate: isInitializedNow }),
      // A machine that drains is requeued anyway and reads the other fields then.
      on(MachinePool, toUnsettledOfMachinePool, { predicate: isPausedOrResumed }),
    ],
    // A machine that drains is requeued anyway.
    reads: [MachineDrainRule],
    sources: [instancesOf(ports), nodeSource(ports.workloads, machinesOf)],
    alwaysReportsPaused: true,
    scope: (context) => buildScope({ ports, ...memory }, context),
    normal: [
      requirePool,
      shareControl,
      requireInstance,
      lookAtInstance,
      leaveLostToPool,
      lookAtNode,
      noteLastPatch,
      updateInPlace,
    ],
    deleting: [
      ...[lookAtInstance, lookForNode, drainBeforeLeaving, awaitInstance, removeNode].map(unlessPointless),
      deleteMachine,
    ],
    status: report,
  });
}

/** The events of Nodes may be over before a Cluster that was moved says again that it is initialized. */
function toMachinesOfCluster({ metadata: { name, namespace } }: Named, cache: CacheReader): ObjectName[] {
  return cache
    .list(AzureMachinePoolMachine, { namespace: namespace ?? "" })
    .filter(({ metadata }) => metadata.labels?.[CLUSTER_NAME_LABEL] === name)
    .map(({ metadata }) => metadata);
}

function isInitializedNow(before: Frozen<Cluster>, after: Frozen<Cluster>): boolean {
  return !isControlPlaneInitialized(before) && isControlPlaneInitialized(after);
}

/** The fields of a pool by which its machines are found. */
interface Named {
  readonly metadata: ObjectName;
}

/** Every machine reports whether it has the model of its scale set. */
function toAll(pool: Named, cache: CacheReader): ObjectName[] {
  return machinesOfPool(cache, pool).map(({ metadata }) => metadata);
}

function hasAnotherModel(before: Frozen<AzureMachinePool>, after: Frozen<AzureMachinePool>): boolean {
  return before.status?.modelHash !== after.status?.modelHash;
}

/** The machines of a pool that are drained or updated: only these depend on its pause and its timeouts. */
function toUnsettled(pool: Named, cache: CacheReader): ObjectName[] {
  return machinesOfPool(cache, pool)
    .filter((machine) => machine.metadata.deletionTimestamp !== undefined || updateOf(machine) !== undefined)
    .map(({ metadata }) => metadata);
}

function toUnsettledOfMachinePool(machinePool: Frozen<MachinePool>, cache: CacheReader): ObjectName[] {
  return poolsOfMachinePool(machinePool).flatMap((metadata) => toUnsettled({ metadata }, cache));
}

function isPausedOrResumed(before: Frozen<MachinePool>, after: Frozen<MachinePool>): boolean {
  return isPausedByAnnotation(before) !== isPausedByAnnotation(after);
}

/** A pool's numbers and conditions change often; its machines depend only on its spec and on operations on instances. */
function mattersToUnsettled(before: Frozen<AzureMachinePool>, after: Frozen<AzureMachinePool>): boolean {
  const work = ({ status }: Frozen<AzureMachinePool>): unknown => [
    status?.instancesToReimage,
    status?.pickedForUpdate,
    (status?.instanceOperations ?? []).filter(({ action }) => action !== "delete"),
  ];
  return isMoreThanMachines(before, after) || !deepEqual(work(before), work(after));
}

/** An instance that was added, removed or changed enqueues its machine. */
function instancesOf({ scaleSets }: AzureMachinePoolMachinePorts): Source {
  return (enqueue, cache) =>
    scaleSets.onChange((providerIDs) => {
      for (const { metadata } of machinesWith(providerIDs, cache)) enqueue(metadata);
    });
}

/** The machines of changed Nodes. */
function machinesOf({ cluster, providerIDs }: NodeChange, cache: CacheReader): ObjectName[] {
  return machinesWith(providerIDs, cache)
    .map(({ metadata }) => metadata)
    .filter(
      ({ labels, namespace }) =>
        labels?.[CLUSTER_NAME_LABEL] === cluster.name && namespace === cluster.namespace,
    );
}

function machinesWith(
  providerIDs: readonly string[],
  cache: CacheReader,
): readonly Frozen<AzureMachinePoolMachine>[] {
  return providerIDs.flatMap((id) =>
    cache.list(AzureMachinePoolMachine, { index: BY_PROVIDER_ID, value: providerKey(id) }),
  );
}
