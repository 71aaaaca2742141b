import {
  AzureCluster,
  AzureClusterIdentity,
  AzureMachinePool,
  CLUSTER_NAME_LABEL,
  type Frozen,
} from "@capstan/api";
import { type CacheReader, defineReconciler, type ObjectName, on, type Reconciler } from "@capstan/runtime";
import {
  azureClusterNameOf,
  clustersByIdentity,
  clustersOf,
  poolsByCluster,
} from "../../azure-cluster/members.ts";
import { build } from "./build.ts";
import { awaitPools, deleteResources } from "./deletion.ts";
import { Inventory } from "./operations/inventory.ts";
import { Memory } from "./operations/memory.ts";
import { findZones, refuseInvalid, refuseUnsupported, recordApplied } from "./prepare.ts";
import { publish } from "./publish.ts";
import { type AzureClusterPorts, buildScope, CONTROLLER, type Scope } from "./scope.ts";

/**
 * Reconciles the network of a self-managed cluster with its AzureCluster: resource group, virtual network with subnets,
 * security groups and route tables, addresses and load balancers.
 */
export function azureClusterReconciler(ports: AzureClusterPorts): Reconciler {
  const { clock } = ports;
  const shared = {
    ports,
    memory: new Memory(clock),
    inventory: new Inventory(clock),
  };
  return defineReconciler<AzureCluster, Scope>({
    name: CONTROLLER,
    for: AzureCluster,
    // CAPZ's finalizer, so that either provider can release a cluster that the other one has built.
    finalizer: "azurecluster.infrastructure.cluster.x-k8s.io",
    indexes: [clustersByIdentity, poolsByCluster],
    watches: [
      on(AzureClusterIdentity, ({ metadata: { name, namespace } }, cache) =>
        clustersOf(cache, { name, namespace }).map(({ metadata }) => metadata),
      ),
      // Only the deletion of a pool matters: a cluster in deletion may wait for it.
      on(AzureMachinePool, clusterOfPool, { predicate: () => false }),
    ],
    alwaysReportsPaused: true,
    scope: (context) => buildScope(shared, context),
    normal: [refuseInvalid, refuseUnsupported, findZones, recordApplied, build, publish],
    deleting: [awaitPools, deleteResources],
    status: ({ ledger }) => ledger.show(),
  });
}

function clusterOfPool({ metadata }: Frozen<AzureMachinePool>, cache: CacheReader): readonly ObjectName[] {
  const name = metadata.labels?.[CLUSTER_NAME_LABEL];
  return name === undefined ? [] : [azureClusterNameOf(cache, { name, namespace: metadata.namespace })];
}
