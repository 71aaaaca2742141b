/** What enqueues pools, beside their own changes. */
import {
  AzureCluster,
  AzureMachinePool,
  AzureMachinePoolMachine,
  Cluster,
  CLUSTER_NAME_LABEL,
  type Frozen,
  KubeadmConfig,
  MachinePool,
} from "@capstan/api";
import { machineResourceName } from "@capstan/plan";
import { type CacheReader, index, type ObjectName, on, type Source } from "@capstan/runtime";
import { mattersToMembers } from "../../contract/initialized.ts";
import { poolsByCluster, poolsOf, poolsOfMachinePool } from "../../azure-cluster/members.ts";
import { isMoreThanMachines } from "../../contract/pool-spec.ts";
import { machinesByPool, poolNameOf } from "../../pools/machines-of-pool.ts";
import { providerKey } from "../../workload/nodes.ts";
import { nodeSource } from "../../workload/sources.ts";
import type { Shared } from "./scope.ts";

const BY_SCALE_SET = "scale-set";
const BY_CONFIG = "bootstrap-config";

/** The indexes by which pools are found. */
export const INDEXES = [
  machinesByPool,
  poolsByCluster,
  index(AzureMachinePool, BY_SCALE_SET, ({ spec }) =>
    spec.providerID === undefined ? [] : [providerKey(spec.providerID)],
  ),
  index(MachinePool, BY_CONFIG, ({ metadata, spec }) => {
    const { configRef } = spec.template.spec.bootstrap;
    return configRef?.kind === KubeadmConfig.kind ? [`${metadata.namespace}/${configRef.name}`] : [];
  }),
];

/** The objects whose changes enqueue pools. */
export const WATCHES = [
  on(AzureMachinePoolMachine, (machine) => [
    { name: poolNameOf(machine), namespace: machine.metadata.namespace },
  ]),
  on(MachinePool, poolsOfMachinePool, { predicate: isMoreThanMachines, isUrgent: true }),
  on(
    KubeadmConfig,
    ({ metadata }, cache) =>
      cache
        .list(MachinePool, { index: BY_CONFIG, value: `${metadata.namespace}/${metadata.name}` })
        .flatMap(poolsOfMachinePool),
    { isUrgent: true },
  ),
  on(Cluster, ({ metadata: { name, namespace } }, cache) => poolsIn(cache, { name, namespace }), {
    predicate: mattersToMembers,
  }),
  on(AzureCluster, ({ metadata: { labels, name, namespace } }, cache) =>
    poolsIn(cache, { name: labels?.[CLUSTER_NAME_LABEL] ?? name, namespace }),
  ),
];

function poolsIn(cache: CacheReader, cluster: ObjectName): readonly ObjectName[] {
  return poolsOf(cache, cluster).map(({ metadata }) => metadata);
}

/** Enqueues a pool when a Node of its scale set changes. */
export function nodesOf({ ports, poolCaches }: Pick<Shared, "ports" | "poolCaches">): Source {
  return nodeSource(ports.workloads, ({ cluster, providerIDs }, cache) =>
    [...instancesBySet(providerIDs)].flatMap(([value, instanceIDs]) =>
      cache
        .list(AzureMachinePool, { index: BY_SCALE_SET, value })
        .filter(({ metadata }) => metadata.namespace === cluster.namespace)
        .map((pool) => {
          const { metadata } = pool;
          if (!instanceIDs.every((id) => isPicked(pool, id)))
            poolCaches.of(metadata.uid ?? "").azure.disturb();
          return metadata;
        }),
    ),
  );
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
