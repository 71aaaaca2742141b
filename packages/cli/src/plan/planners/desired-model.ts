import { type DesiredHash, desiredHashOf } from "@capstan/manager";
import type { PoolParts } from "./pool-parts.ts";

/** The model that a pool wants, and the assumptions behind that. */
export interface DesiredModel {
  readonly desired: DesiredHash;
  readonly note?: string;
}

/** The placeholder for a model of which only one thing is known: that the pool wants it. */
const UNNAMED = "wanted";

/** The desired model of a pool's machines. It depends on the network of the cluster, which may be unknown. */
export function desiredModel(parts: PoolParts): DesiredModel {
  const { pool, machinePool, azureCluster } = parts;
  const subscriptionID = azureCluster?.spec.subscriptionID ?? subscriptionIn(parts);
  if (azureCluster && subscriptionID !== undefined) {
    const { clusterName } = machinePool.spec;
    const facts = { pool, machinePool, azureCluster, clusterName, subscriptionID };
    return { desired: desiredHashOf(facts) };
  }
  const hash = pool.status?.modelHash ?? UNNAMED;
  const missing = azureCluster ? "its subscription is unknown" : "its Cluster or AzureCluster is not given";
  return {
    desired: { hash, names: new Set([hash]) },
    note: `${missing}, so a change of its spec cannot be detected; machines are compared with ${
      pool.status?.modelHash === undefined ? "the newest model of the scale set" : "status.modelHash"
    }`,
  };
}

/** If the cluster leaves its subscription to the manager, the ids of existing resources contain it. */
function subscriptionIn({ pool, machines }: PoolParts): string | undefined {
  const ids = [pool.spec.providerID, ...machines.map(({ spec }) => spec.providerID)];
  return ids.map((id) => /^azure:\/\/\/subscriptions\/([^/]+)\//i.exec(id ?? "")?.[1]).find(Boolean);
}
