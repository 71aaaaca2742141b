import { getCondition } from "@capstan/api";
import type { PoolView, VersionFinding } from "@capstan/plan";
import { titleOf } from "../read/given-objects.ts";
import { objectOf, type PoolBlock } from "../print/pool-block.ts";
import type { PoolParts } from "./pool-parts.ts";

/**
 * What keeps the controllers from everything that the planner would do. The controllers do not call the planner for a
 * pool that is being deleted, and it sees only what Azure lists; without Azure, status.blockedRemoval records what a
 * list did not show.
 */
export function standstillOf(parts: PoolParts, view: PoolView): PoolBlock | undefined {
  return deletionOf(parts) ?? blockedRemovalOf(parts.pool, view);
}

/** Which object's deletion deletes the pool, and how; undefined if the pool stays. */
export function deletionOf({ pool, machinePool, cluster }: PoolParts): PoolBlock | undefined {
  const going = [cluster, machinePool, pool].find((one) => one?.metadata.deletionTimestamp !== undefined);
  if (!going) return undefined;
  const who = going === pool ? "it" : titleOf(going);
  const how =
    going === cluster
      ? "its scale set is deleted with all machines, without a drain"
      : "its machines are drained, then its scale set is deleted";
  const why = `${who} is being deleted: ${how}; the controllers do nothing else to the pool`;
  return { ...objectOf(pool), reason: "BeingDeleted", targets: [pool.metadata.name], why };
}

/** A pool whose Cluster does not exist in the management cluster. A dump may merely lack it, which a note reports. */
export function missingClusterOf({ pool, machinePool }: PoolParts): PoolBlock {
  const { namespace = "default" } = machinePool.metadata;
  const why = `there is no Cluster ${namespace}/${machinePool.spec.clusterName}, which ${titleOf(machinePool)} names in spec.clusterName; the controllers ignore the pool until it exists: apply it, or give its manifest to capstan plan as well`;
  return { ...objectOf(pool), reason: "NoCluster", targets: [pool.metadata.name], why };
}

/** Machines of a version that cannot join hold the rollout at its first machine. */
export function unjoinableOf(
  { pool }: PoolParts,
  findings: readonly VersionFinding[],
): PoolBlock | undefined {
  const blocking = findings.find(({ isBlocking }) => isBlocking);
  if (!blocking) return undefined;
  const why = `${blocking.why}; the first new machine would stay without a Node and hold the rollout`;
  return { ...objectOf(pool), reason: "KubernetesVersionSkew", targets: [pool.metadata.name], why };
}

/** The controllers do not act on an implausible list until later ones agree or a user allows it. */
function blockedRemovalOf(pool: PoolParts["pool"], { allowedRemovals }: PoolView): PoolBlock | undefined {
  const { blockedRemoval, conditions } = pool.status ?? {};
  if (!blockedRemoval || allowedRemovals === blockedRemoval.count) return undefined;
  const said = getCondition(conditions, "RemovalBlocked");
  const why =
    said?.status === "True" && said.message !== undefined
      ? said.message
      : `a list of Azure does not show the instances of ${blockedRemoval.count} machines; nothing is done until later lists agree, or a user allows it`;
  return { ...objectOf(pool), reason: "RemovalBlocked", targets: [pool.metadata.name], why };
}
