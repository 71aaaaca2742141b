import { getCondition } from "@capstan/api";
import type { PoolView } from "@capstan/manager";
import { titleOf } from "./given-objects.ts";
import { objectOf, type PoolBlock } from "./pool-block.ts";
import type { PoolParts } from "./pool-parts.ts";

/**
 * What keeps the controllers from everything that the planner would do. The planner is not asked about a pool that goes,
 * and sees only what Azure lists; without Azure, what a list did not show is known by what was remembered of it.
 */
export function standstillOf(parts: PoolParts, view: PoolView): PoolBlock | undefined {
  return deletionOf(parts) ?? blockedRemovalOf(parts.pool, view);
}

/** Who is being deleted so that the pool goes, and what happens then; undefined for a pool that stays. */
export function deletionOf({ pool, machinePool, cluster }: PoolParts): PoolBlock | undefined {
  const going = [cluster, machinePool, pool].find((one) => one?.metadata.deletionTimestamp !== undefined);
  if (!going) return undefined;
  const who = going === pool ? "it" : titleOf(going);
  const how =
    going === cluster
      ? "its scale set is deleted with all machines, without a drain"
      : "its machines are drained, then its scale set is deleted";
  const why = `${who} is being deleted: ${how}; nothing else is done to the pool`;
  return { ...objectOf(pool), reason: "BeingDeleted", targets: [pool.metadata.name], why };
}

/** A pool of a Cluster that the management cluster does not have. A dump may only be without it, and says so in a note. */
export function missingClusterOf({ pool, machinePool }: PoolParts): PoolBlock {
  const { namespace = "default" } = machinePool.metadata;
  const why = `there is no Cluster ${namespace}/${machinePool.spec.clusterName}, which ${titleOf(machinePool)} names in spec.clusterName; nothing is done to the pool until there is one: apply it, or give its manifest to capstan plan as well`;
  return { ...objectOf(pool), reason: "NoCluster", targets: [pool.metadata.name], why };
}

/** A list that is not believed is no ground for anything, until later ones agree or a user allows it. */
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
