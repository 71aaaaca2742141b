import { ArmError, type ErrorBody } from "../../arm/errors.ts";
import { type AzureState, type Effect, latencyMs, nextRng } from "../../core/azure-state.ts";
import type { Call } from "../../core/call.ts";
import type { Resource } from "../../core/resources.ts";
import { faultError } from "../../faults/faults.ts";
import { type JsonObject, textAt, valueAt } from "../../json.ts";
import type { Operation } from "../../operations/operation.ts";
import { newOperation } from "../../operations/start.ts";
import {
  CONTAINER_SERVICE,
  poolNamed,
  poolsOf,
  propertiesOf,
  putPool,
  putProperties,
} from "./cluster-state.ts";

/** The effect that ends a write of a cluster. */
export const CLUSTER_SETTLED = "managedCluster.settled";

/** The effect that ends a write of a pool. */
export const POOL_SETTLED = "agentPool.settled";

/** Refuses a write while another one runs: on the cluster, or on the same pool. */
export function checkIdle(cluster: Resource, poolName?: string): void {
  if (cluster.operation !== undefined) throw anotherOperation(stateOf(cluster));
  const busy = poolsOf(cluster).find(
    (pool) =>
      textAt(pool, "operation") !== undefined && (poolName ?? textAt(pool, "name")) === textAt(pool, "name"),
  );
  if (busy) throw anotherOperation(textAt(busy, "provisioningState") ?? "Updating");
}

/** The provisioning state of a cluster in AKS's words. */
export function stateOf(cluster: Resource): string {
  const detail = textAt(propertiesOf(cluster), "provisioningState");
  return cluster.state === "Updating" ? (detail ?? cluster.state) : cluster.state;
}

function anotherOperation(state: string): ArmError {
  return new ArmError(409, {
    code: "OperationNotAllowed",
    message: `Operation is not allowed: Another operation (${state}) is in progress, please wait for it to finish before starting a new operation. See https://aka.ms/aks-pending-operation for more details`,
  });
}

/** An operation on a cluster or a pool, and the latency of its own work. */
export function startOperation(
  call: Call,
  world: AzureState,
  { cluster, latency }: { readonly cluster: Pick<Resource, "id" | "location">; readonly latency: string },
): { readonly operation: Operation; readonly ownMs: number } {
  const error = faultError(call, "operationFails");
  const { id: resourceId, location } = cluster;
  const operation = newOperation(call, world, { resourceId, location, provider: CONTAINER_SERVICE, error });
  return {
    operation,
    ownMs: world.nowMs + latencyMs(world, latency, nextRng(world, call.path, call.operation)),
  };
}

/** Schedules the end of an operation on a cluster, or on one of its pools. */
export function endLater(
  world: AzureState,
  operation: Operation,
  end: {
    readonly atMs: number;
    readonly error?: ErrorBody | undefined;
    readonly pool?: string;
    readonly effectArgs?: JsonObject;
  },
): void {
  const error = end.error ?? operation.error;
  const args = {
    id: operation.resourceId,
    operation: operation.id,
    isFailed: error !== undefined,
    ...end.effectArgs,
  };
  world.agenda.enter(end.atMs, end.pool === undefined ? CLUSTER_SETTLED : POOL_SETTLED, {
    ...args,
    ...(end.pool !== undefined && { pool: end.pool }),
  });
  world.operations.start({ ...operation, ...(error && { error }) }, end.atMs);
}

/** Ends a write of a cluster: its pools end with it. */
export const settleCluster: Effect = (world, args) => {
  const id = textAt(args, "id") ?? "";
  const cluster = world.resources.get(id);
  if (!cluster || cluster.operation !== textAt(args, "operation")) return;
  const { operation: _, ...rest } = cluster;
  const isFailed = args["isFailed"] === true;
  const { provisioningState: _state, ...properties } = propertiesOf(cluster);
  const pools = poolsOf(cluster).map(({ operation: _operation, ...pool }) => ({
    ...pool,
    provisioningState: isFailed ? "Failed" : "Succeeded",
  }));
  world.resources.put({
    ...rest,
    state: isFailed ? "Failed" : "Succeeded",
    body: { ...cluster.body, properties: { ...properties, agentPoolProfiles: pools } },
  });
  const power = valueAt(args, "powerState");
  if (power !== undefined && !isFailed) putProperties(world, id, { powerState: power });
};

/** Ends a write of a pool. */
export const settlePool: Effect = (world, args) => {
  const id = textAt(args, "id") ?? "";
  const name = textAt(args, "pool") ?? "";
  const pool = poolNamed(world.resources.get(id), name);
  if (!pool || textAt(pool, "operation") !== textAt(args, "operation")) return;
  const { operation: _, ...rest } = pool;
  const isRemoved = args["isRemoved"] === true && args["isFailed"] !== true;
  const provisioningState = args["isFailed"] === true ? "Failed" : "Succeeded";
  putPool(world, id, { name, pool: isRemoved ? undefined : { ...rest, provisioningState } });
};
