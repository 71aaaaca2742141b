import { type Cluster, type Frozen, type MachinePool, Node } from "@capstan/api";
import { block, deleteIfExists, Failure, next, type Outcome } from "@capstan/runtime";
import { findOwned, remove } from "../../contract/removal.ts";
import { REFERENCES } from "./observe.ts";
import type { Scope } from "./scope.ts";
import { isControlPlaneInitialized } from "../../contract/initialized.ts";

/** The reason of the conditions while a deletion waits. */
export const WAITING_FOR_DELETION = "WaitingForInfrastructureDeletion";

// Watches report deletions; this interval is for kinds without a watch.
const DELETION_POLL_MS = 10_000;
const RETRY_MS = 5_000;
const DEFAULT_NODE_DELETION_SECONDS = 10;

/** Deletes the infrastructure and the bootstrap config first. */
export async function deleteReferences(scope: Scope): Promise<Outcome> {
  const { context, pool } = scope;
  const { namespace = "" } = pool.metadata;
  const { bootstrap, infrastructureRef } = pool.spec.template.spec;
  const references = {
    infrastructure: infrastructureRef,
    ...(bootstrap.configRef && { bootstrap: bootstrap.configRef }),
  };
  const left: string[] = [];
  for (const which of ["infrastructure", "bootstrap"] as const) {
    const reference = references[which];
    if (!reference) continue;
    const pointer = { reference, field: REFERENCES[which].field, namespace };
    const owned = await findOwned(context, pointer, pool);
    await remove(context.client, owned);
    if (owned) left.push(owned.target.text);
  }
  scope.left = left;
  return left.length === 0 ? next : block(DELETION_POLL_MS, WAITING_FOR_DELETION);
}

/** Deletes the Nodes of the machines, unless the whole cluster is being deleted. */
export async function deleteNodes(scope: Scope): Promise<Outcome> {
  const { cluster, context, pool } = scope;
  if (!cluster || cluster.metadata.deletionTimestamp !== undefined) return next;
  if (!isControlPlaneInitialized(cluster)) return next;
  try {
    await removeNodes(scope, cluster);
    return next;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    if (!isOverdue(pool, context.env.clock.now())) return block(RETRY_MS, error.reason);
    context.log.warn("Could not delete the Nodes of a deleted pool; they remain", { error });
    return next;
  }
}

async function removeNodes({ context, pool, ports }: Scope, cluster: Frozen<Cluster>): Promise<void> {
  const workload = await ports.workloads.get(cluster);
  const nodes = await workload.nodes();
  for (const node of (pool.spec.providerIDList ?? []).flatMap((id) => nodes.of(id))) {
    context.assertMayWrite();
    await deleteIfExists(workload.client, Node, node.metadata);
  }
}

/** Whether the time limit for Nodes has passed; a limit of 0 means no limit. */
function isOverdue({ metadata, spec }: Frozen<MachinePool>, nowMs: number): boolean {
  const { nodeDeletionTimeoutSeconds = DEFAULT_NODE_DELETION_SECONDS } = spec.template.spec.deletion ?? {};
  const limitMs = nodeDeletionTimeoutSeconds * 1000;
  return limitMs > 0 && nowMs > Date.parse(metadata.deletionTimestamp ?? "") + limitMs;
}
