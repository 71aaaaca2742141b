import { empty } from "../../arm/answer.ts";
import { requireBody } from "../../arm/body.ts";
import { ArmError, beingDeleted, parentNotFound } from "../../arm/errors.ts";
import { resourceId } from "../../arm/target.ts";
import type { AzureState } from "../../core/azure-state.ts";
import type { Call } from "../../core/call.ts";
import type { Resource } from "../../core/resources.ts";
import { objectAt, textAt } from "../../json.ts";
import { acceptedAction, acceptedWrite } from "../../operations/start.ts";
import type { Verb } from "../resource-type.ts";
import { poolBody } from "./bodies.ts";
import {
  CLUSTER_TYPE,
  MANAGED_CLUSTERS,
  type Pool,
  poolNamed,
  poolsOf,
  propertiesOf,
  putPool,
  runningVersion,
} from "./cluster-state.ts";
import { desiredPool } from "./desired.ts";
import { deleteNodes, updateNodes } from "./nodes.ts";
import { checkIdle, endLater, startOperation } from "./work.ts";

/** The cluster of a pool; ARM's 404 when it does not exist. */
function clusterOf(call: Call, world: AzureState): Resource {
  const id = resourceId(call.target, [MANAGED_CLUSTERS]);
  const cluster = world.resources.get(id);
  if (!cluster) throw parentNotFound(`${CLUSTER_TYPE}/agentPools`, id);
  if (cluster.state === "Deleting") throw beingDeleted(cluster.id);
  return cluster;
}

/** PUT: creates a pool, or updates it. */
export const putAgentPool: Verb = (call, world) => {
  const cluster = clusterOf(call, world);
  const name = call.target.names[1] ?? "";
  checkIdle(cluster, name);
  const before = poolNamed(cluster, name);
  const { location, id } = cluster;
  const facts = { name, given: objectAt(requireBody(call.body), "properties"), before };
  const pool = desiredPool(
    world,
    { location, version: runningVersion(propertiesOf(cluster), "Kubernetes") },
    facts,
  );
  if (textAt(before, "mode") === "System" && textAt(pool, "mode") !== "System")
    checkSystemPool(cluster, name);
  const provisioningState = stateFor(pool, before);
  const { operation, ownMs } = startOperation(call, world, {
    cluster,
    latency: before ? "agentPool.update" : "agentPool.create",
  });
  const stored = { ...pool, provisioningState, operation: operation.id };
  putPool(world, id, { name, pool: stored });
  const { endMs, error } = updateNodes(world, cluster, { pool, before });
  endLater(world, operation, { atMs: Math.max(ownMs, endMs), pool: name, error });
  return acceptedWrite({ call, world, operation }, before ? 200 : 201, poolBody(world, cluster, stored));
};

function stateFor(pool: Pool, before: Pool | undefined): string {
  if (!before) return "Creating";
  if (runningVersion(pool, "Orchestrator") !== runningVersion(before, "Orchestrator")) return "Upgrading";
  return pool["count"] === before["count"] ? "Updating" : "Scaling";
}

/** DELETE: removes a pool with its nodes. */
export const deleteAgentPool: Verb = (call, world) => {
  const id = resourceId(call.target, [MANAGED_CLUSTERS]);
  const name = call.target.names[1] ?? "";
  const pool = poolNamed(world.resources.get(id), name);
  if (!pool) return empty(204);
  const cluster = clusterOf(call, world);
  const running = world.operations.get(textAt(pool, "operation") ?? "");
  if (textAt(pool, "provisioningState") === "Deleting" && running?.status === "InProgress")
    return acceptedAction(call, world, running);
  checkIdle(cluster, name);
  if (textAt(pool, "mode") === "System") checkSystemPool(cluster, name);
  const { operation, ownMs } = startOperation(call, world, { cluster, latency: "agentPool.delete" });
  putPool(world, cluster.id, {
    name,
    pool: { ...pool, provisioningState: "Deleting", operation: operation.id },
  });
  const endMs = operation.error ? ownMs : Math.max(ownMs, deleteNodes(world, cluster, pool));
  endLater(world, operation, { atMs: endMs, pool: name, effectArgs: { isRemoved: true } });
  return acceptedAction(call, world, operation);
};

/** AKS keeps at least one System pool. */
function checkSystemPool(cluster: Resource, name: string): void {
  const others = poolsOf(cluster).filter((pool) => textAt(pool, "name") !== name);
  if (others.some((pool) => textAt(pool, "mode") === "System")) return;
  throw new ArmError(400, {
    code: "OperationNotAllowed",
    message: `Operation is not allowed: agent pool '${name}' is the last System pool; there has to be at least one system agent pool.`,
  });
}
