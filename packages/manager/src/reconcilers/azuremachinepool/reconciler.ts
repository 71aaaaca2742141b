import {
  AzureCluster,
  AzureClusterIdentity,
  AzureMachinePool,
  AzureMachinePoolMachine,
  Cluster,
  CLUSTER_NAME_LABEL,
  type Frozen,
  KubeadmConfig,
  MachinePool,
} from "@capstan/api";
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
import { poolsByCluster, poolsOf, poolsOfMachinePool } from "../../azure-cluster/members.ts";
import { specChanged, isMoreThanMachines } from "../../contract/pool-spec.ts";
import { machineResourceName } from "@capstan/plan";
import { providerKey } from "../../workload/nodes.ts";
import { minReconcileIntervalMsOf } from "../../workload/reconcile-interval.ts";
import { poolNameOf } from "../azuremachinepoolmachine/scope.ts";
import { act } from "./perform.ts";
import { observe, plan, recordPlan } from "./observe-and-plan.ts";
import { awaitMachines, deleteScaleSet, drainMachines } from "./deletion.ts";
import { Memory } from "./memory.ts";
import { HASH_FUNCTIONS } from "./model-hash.ts";
import { BY_POOL } from "./observe.ts";
import { followOperations } from "./operations.ts";
import { refuseUnsupported } from "./refuse.ts";
import { report } from "./report.ts";
import {
  type AzureMachinePoolPorts,
  buildScope,
  CONTROLLER,
  phasesOf,
  prepare,
  type Scope,
  type Shared,
} from "./scope.ts";
import { recordTags } from "./tags.ts";

const BY_SCALE_SET = "scale-set";
const BY_CONFIG = "bootstrap-config";

/**
 * Keeps one scale set at the desired model and size of its AzureMachinePool, creates a resource for every instance, and decides
 * which instances are deleted or updated when. It is the only controller that calls Azure for a pool.
 */
export function azureMachinePoolReconciler(
  ports: AzureMachinePoolPorts,
  hashFunctions = HASH_FUNCTIONS,
): Reconciler {
  const shared: Shared = { ports, memory: new Memory(ports.clock), hashFunctions };
  return defineReconciler<AzureMachinePool, Scope>({
    name: CONTROLLER,
    for: AzureMachinePool,
    // CAPZ's finalizer, so that either can delete what the other has created.
    finalizer: "machinepool.cluster.x-k8s.io",
    owns: [AzureMachinePoolMachine],
    indexes: [
      index(AzureMachinePoolMachine, BY_POOL, (machine) => [
        keyOf({ metadata: { name: poolNameOf(machine), namespace: machine.metadata.namespace } }),
      ]),
      poolsByCluster,
      index(AzureMachinePool, BY_SCALE_SET, ({ spec }) =>
        spec.providerID === undefined ? [] : [providerKey(spec.providerID)],
      ),
      index(MachinePool, BY_CONFIG, ({ metadata, spec }) => {
        const { configRef } = spec.template.spec.bootstrap;
        return configRef?.kind === KubeadmConfig.kind ? [`${metadata.namespace}/${configRef.name}`] : [];
      }),
    ],
    watches: [
      on(MachinePool, poolsOfMachinePool, { predicate: isMoreThanMachines, isUrgent: true }),
      on(
        KubeadmConfig,
        ({ metadata }, cache) =>
          cache
            .list(MachinePool, { index: BY_CONFIG, value: `${metadata.namespace}/${metadata.name}` })
            .flatMap(poolsOfMachinePool),
        { isUrgent: true },
      ),
      on(Cluster, ({ metadata: { name, namespace } }, cache) => poolsIn(cache, { name, namespace })),
      on(AzureCluster, ({ metadata: { labels, name, namespace } }, cache) =>
        poolsIn(cache, { name: labels?.[CLUSTER_NAME_LABEL] ?? name, namespace }),
      ),
    ],
    // A pool that cannot log in is retried anyway.
    reads: [AzureClusterIdentity],
    sources: [nodesOf(shared)],
    minReconcileIntervalMs: ({ spec }) => minReconcileIntervalMsOf(spec.providerIDList),
    reconcileAfterOwnSpecChange: specChanged,
    scope: (context) => buildScope(shared, context),
    always: [prepare],
    normal: phasesOf(
      "normal",
      refuseUnsupported,
      recordTags,
      followOperations,
      observe,
      plan,
      recordPlan,
      act,
    ),
    deleting: phasesOf("deleting", drainMachines, deleteScaleSet, awaitMachines),
    status: report,
  });
}

function poolsIn(cache: CacheReader, cluster: ObjectName): readonly ObjectName[] {
  return poolsOf(cache, cluster).map(({ metadata }) => metadata);
}

/** Enqueues a pool when a Node of its scale set changes. */
function nodesOf({ ports, memory }: Shared): Source {
  return (enqueue, cache) =>
    ports.workloads.onNodeChange((cluster, providerIDs) => {
      for (const [value, instanceIDs] of instancesBySet(providerIDs)) {
        for (const pool of cache.list(AzureMachinePool, { index: BY_SCALE_SET, value })) {
          const { metadata } = pool;
          if (metadata.namespace !== cluster.namespace) continue;
          if (!instanceIDs.every((id) => isPicked(pool, id)))
            memory.of(metadata.uid ?? "").isDisturbed = true;
          enqueue(metadata);
        }
      }
    });
}

/** The instances that provider ids name, by the key of their scale set. */
function instancesBySet(providerIDs: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const sets = new Map<string, string[]>();
  for (const id of providerIDs) {
    const [set = "", instanceID = ""] = providerKey(id).split("/virtualmachines/");
    sets.set(set, [...(sets.get(set) ?? []), instanceID]);
  }
  return sets;
}

/** Whether the pool has picked the instance for deletion: the deletion of its Node is then expected and needs no list. */
function isPicked({ metadata, status }: Frozen<AzureMachinePool>, instanceID: string): boolean {
  return status?.pickedForDeletion?.includes(machineResourceName(metadata.name, instanceID)) ?? false;
}
