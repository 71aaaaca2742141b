/** How changes of Nodes in workload clusters reach the objects of the management cluster. */
import { type Cluster, type Frozen } from "@capstan/api";
import { type CacheReader, Failure, type ObjectName, type Source } from "@capstan/runtime";
import type { WorkloadNodes } from "./nodes.ts";
import type { WorkloadAccess } from "./workload-clusters.ts";
import { isControlPlaneInitialized } from "../contract/initialized.ts";

/** Nodes of a Cluster that were added, removed or changed. */
export interface NodeChange {
  readonly cluster: ObjectName;
  readonly providerIDs: readonly string[];
}

/** A source that enqueues the objects which changed Nodes belong to. */
export function nodeSource(
  workloads: Pick<WorkloadAccess, "onNodeChange">,
  ownersOf: (change: NodeChange, cache: CacheReader) => Iterable<ObjectName>,
): Source {
  return (enqueue, cache) =>
    workloads.onNodeChange((cluster, providerIDs) => {
      for (const owner of ownersOf({ cluster, providerIDs }, cache)) enqueue(owner);
    });
}

/** The Nodes of a workload cluster; undefined while it has no control plane or does not answer. */
export async function nodesIfReachable(
  workloads: Pick<WorkloadAccess, "get">,
  cluster: Frozen<Cluster> | undefined,
): Promise<WorkloadNodes | undefined> {
  if (!cluster || !isControlPlaneInitialized(cluster)) return undefined;
  try {
    return await (await workloads.get(cluster)).nodes();
  } catch (error) {
    if (error instanceof Failure) return undefined;
    throw error;
  }
}
