import { type AzureMachinePool, Cluster, type Frozen } from "@capstan/api";
import type { Arm } from "@capstan/azure";
import { type Context, explainedBy, Failure } from "@capstan/runtime";
import { azureTargetOf } from "../../pools/azure-target.ts";
import type { PoolCache } from "./cache/pool-cache.ts";
import { desiredHashOf } from "./model/hash.ts";
import { scaleSetModelOf } from "./model/model.ts";
import { clusterByLabel, machinePoolOfPool, orphaned, ownersOf } from "./owners.ts";
import {
  CONTROLLER,
  type DeletingScope,
  type NormalScope,
  SCALE_SET_RUNNING,
  type Scope,
  type Shared,
  type WaitingScope,
} from "./scope.ts";

/** Finds the owners of a pool and its place in Azure, from the cache alone. Throws a Failure while there is no MachinePool. */
export function buildScope(shared: Shared, context: Context<AzureMachinePool>): Scope {
  try {
    return context.object.metadata.deletionTimestamp === undefined
      ? normalScope(shared, context)
      : deletingScope(shared, context);
  } catch (error) {
    throw explainedBy(context, SCALE_SET_RUNNING, error);
  }
}

function normalScope(shared: Shared, context: Context<AzureMachinePool>): NormalScope | WaitingScope {
  const { object: pool, cache } = context;
  const machinePool = machinePoolOfPool(context);
  const { clusterName } = machinePool.spec;
  const owners = ownersOf(context, machinePool);
  const pass = { context, pool, shared, conditions: pool.status?.conditions };
  if (owners instanceof Failure) {
    const cluster = cache.get(Cluster, { name: clusterName, namespace: pool.metadata.namespace });
    const isClusterGoing = cluster?.metadata.deletionTimestamp !== undefined;
    const poolCache = cacheOf(shared, pool);
    return { ...pass, kind: "waiting", clusterName, reason: owners, poolCache, cluster, isClusterGoing };
  }
  const { cluster, azureCluster } = owners;
  const azureTarget = azureTargetOf(shared.ports, context, {
    azureCluster,
    clusterName,
    controller: CONTROLLER,
  });
  const { subscriptionID } = azureTarget.plan;
  const facts = { pool, clusterName, subscriptionID, ...owners };
  return {
    ...pass,
    kind: "normal",
    poolCache: cacheOf(shared, pool, azureTarget.arm),
    azureTarget,
    owners,
    desired: { model: scaleSetModelOf(facts), hash: desiredHashOf(facts, shared.hashFunctions) },
    cluster,
    isClusterGoing: cluster.metadata.deletionTimestamp !== undefined,
  };
}

function deletingScope(shared: Shared, context: Context<AzureMachinePool>): DeletingScope {
  const { object: pool } = context;
  const { cluster, azureCluster, clusterName } = clusterByLabel(context);
  if (hasBegun(pool) && !azureCluster) throw orphaned(pool, clusterName);
  const azureTarget =
    hasBegun(pool) && azureCluster
      ? azureTargetOf(shared.ports, context, { azureCluster, clusterName, controller: CONTROLLER })
      : undefined;
  return {
    kind: "deleting",
    context,
    pool,
    shared,
    poolCache: cacheOf(shared, pool, azureTarget?.arm),
    azureTarget,
    conditions: pool.status?.conditions,
    cluster,
    isClusterGoing: !cluster || cluster.metadata.deletionTimestamp !== undefined,
  };
}

function cacheOf({ poolCaches }: Shared, { metadata }: Frozen<AzureMachinePool>, arm?: Arm): PoolCache {
  const poolCache = poolCaches.of(metadata.uid ?? "");
  if (arm) poolCache.azure.use(arm);
  return poolCache;
}

/** Whether anything was ever written to Azure for a pool: the intent of the first write is in the status before it. */
export function hasBegun({ spec, status }: Frozen<AzureMachinePool>): boolean {
  return spec.providerID !== undefined || status?.operation !== undefined || status?.modelHash !== undefined;
}
