import {
  AzureManagedControlPlane,
  AzureManagedMachinePool,
  Cluster,
  CLUSTER_NAME_LABEL,
  controllerOf,
  type Frozen,
  type KubernetesObject,
  MachinePool,
  ManagedCluster,
} from "@capstan/api";
import { type CacheReader, defineReconciler, type ObjectName, on, type Reconciler } from "@capstan/runtime";
import { mattersToMembers } from "../../contract/initialized.ts";
import { AsoObjects } from "../../aks/aso-objects.ts";
import { clusterNameOf, managedPoolsByCluster, managedPoolsOf } from "../../aks/members.ts";
import { type NodeChange, nodeSource } from "../../workload/sources.ts";
import { deletePool } from "./deletion.ts";
import { blockMoveOfPool, pausePool } from "./pause.ts";
import { observeNodes, reconcilePool, reconcileScaling } from "./reconcile.ts";
import type { ListedScaleSet } from "./provider-ids.ts";
import { report } from "./report.ts";
import { type AzureManagedMachinePoolPorts, buildScope, type Scope } from "./scope.ts";
import { refersTo } from "../../contract/reference.ts";

// Nodes change often while a pool is created; no decision depends on them.
const REST_MS = 10_000;

/** Reconciles a node pool of AKS by a ManagedClustersAgentPool of Azure Service Operator, with the patches of the user. */
export function azureManagedMachinePoolReconciler(ports: AzureManagedMachinePoolPorts): Reconciler {
  const shared = { ports, aso: new AsoObjects(ports.clock), listed: new Map<string, ListedScaleSet>() };
  return defineReconciler<AzureManagedMachinePool, Scope>({
    name: "azuremanagedmachinepool",
    for: AzureManagedMachinePool,
    finalizer: "azuremanagedmachinepool.infrastructure.cluster.x-k8s.io",
    indexes: [managedPoolsByCluster],
    watches: [
      on(MachinePool, poolOfMachinePool),
      on(AzureManagedControlPlane, poolsOfMember),
      on(Cluster, poolsOfCluster, { predicate: mattersToMembers }),
    ],
    referrersOf: poolsOfAsoObject,
    sources: [nodeSource(ports.workloads, poolsOf)],
    minReconcileIntervalMs: () => REST_MS,
    alwaysReportsPaused: true,
    scope: (context) => buildScope(shared, context),
    normal: [blockMoveOfPool, reconcilePool, reconcileScaling, observeNodes],
    deleting: [deletePool],
    whilePaused: [pausePool],
    status: report,
  });
}

function poolsOf({ cluster }: NodeChange, cache: CacheReader): readonly ObjectName[] {
  return managedPoolsOf(cache, cluster).map(({ pool }) => pool.metadata);
}

function poolOfMachinePool({ metadata, spec }: Frozen<MachinePool>): readonly ObjectName[] {
  const { infrastructureRef } = spec.template.spec;
  const { name } = infrastructureRef;
  return refersTo(infrastructureRef, AzureManagedMachinePool)
    ? [{ name, namespace: metadata.namespace }]
    : [];
}

function poolsOfMember(member: Frozen<KubernetesObject>, cache: CacheReader): readonly ObjectName[] {
  const name = clusterNameOf(member);
  return name === undefined ? [] : poolsIn(cache, { name, namespace: member.metadata.namespace });
}

function poolsOfCluster({ metadata }: Frozen<Cluster>, cache: CacheReader): readonly ObjectName[] {
  return poolsIn(cache, metadata);
}

function poolsIn(cache: CacheReader, cluster: ObjectName): readonly ObjectName[] {
  return managedPoolsOf(cache, cluster).map(({ pool }) => pool.metadata);
}

/** The pools that an object of Azure Service Operator concerns: the one that controls it, or all of its cluster. */
function poolsOfAsoObject(object: Frozen<KubernetesObject>, cache: CacheReader): readonly ObjectName[] {
  const { namespace, labels, name } = object.metadata;
  const controller = controllerOf(object);
  if (controller?.kind === AzureManagedMachinePool.kind) return [{ name: controller.name, namespace }];
  if (labels?.[CLUSTER_NAME_LABEL] !== undefined) return poolsOfMember(object, cache);
  // One that a user brought has the name of the pool, or of the control plane.
  if (object.kind !== ManagedCluster.kind) return [{ name, namespace }];
  const controlPlane = cache.get(AzureManagedControlPlane, { name, namespace });
  return controlPlane ? poolsOfMember(controlPlane, cache) : [];
}
