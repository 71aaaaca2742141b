import {
  type Cluster,
  durationProblem,
  type Frozen,
  isTrue,
  type MachinePool,
  Node,
  parseDuration,
} from "@capstan/api";
import { block, Failure, isNotFound, next, type Outcome } from "@capstan/runtime";
import { findOwned, remove } from "../../contract/removal.ts";
import { REFERENCES } from "./observe.ts";
import type { Scope } from "./scope.ts";

/** Why a deletion waits, for conditions. */
export const WAITING_FOR_DELETION = "WaitingForInfrastructureDeletion";

// Deletions are told by watches; this is for kinds that are not followed.
const DELETION_POLL_MS = 10_000;
const RETRY_MS = 5_000;
const DEFAULT_NODE_DELETION_TIMEOUT = "10s";

/** The machines and what they were made with go first; through when both are gone. */
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

/** Nodes without a machine are of no use; in a cluster that goes as a whole nobody minds them. */
export async function deleteNodes(scope: Scope): Promise<Outcome> {
  const { cluster, context, pool } = scope;
  if (!cluster || cluster.metadata.deletionTimestamp !== undefined) return next;
  if (!isTrue(cluster.status?.conditions, "ControlPlaneInitialized")) return next;
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
    const { name, uid } = node.metadata;
    context.assertMayWrite();
    try {
      await workload.client.delete(Node, { name }, uid === undefined ? {} : { uid });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
}

/** Whether Nodes have been tried for long enough; with a limit of 0 they never have. */
function isOverdue({ metadata, spec }: Frozen<MachinePool>, nowMs: number): boolean {
  const wanted = spec.template.spec.nodeDeletionTimeout ?? DEFAULT_NODE_DELETION_TIMEOUT;
  // Admission refuses what is no duration; should it get here all the same, it must not keep the pool for ever.
  const limit = durationProblem(wanted) === undefined ? wanted : DEFAULT_NODE_DELETION_TIMEOUT;
  const limitMs = parseDuration(limit);
  return limitMs > 0 && nowMs > Date.parse(metadata.deletionTimestamp ?? "") + limitMs;
}
