import { CONTROL_PLANE_LABEL, Machine, MachinePool } from "@capstan/api";
import { block, forEachIndependently, next, type Outcome } from "@capstan/runtime";
import { ofCluster } from "../../contract/indexes.ts";
import { deleteMachine } from "../../machines/remove.ts";
import { releaseMachine } from "./cleanup-hook.ts";
import type { Scope } from "./scope.ts";

// Deleted machines enqueue the control plane; this interval covers workers, which it does not watch.
const DELETION_POLL_MS = 30_000;

/** Deletes all machines at once, after the workers: without an API server, no worker could be drained. */
export async function deleteControlPlane(scope: Scope): Promise<Outcome> {
  const { machines, context, cluster, controlPlane } = scope;
  const workers = workersOf(scope);
  if (workers.length > 0 && cluster?.metadata.deletionTimestamp === undefined)
    return block(DELETION_POLL_MS, "WaitingForWorkersDeletion");
  await forEachIndependently(machines, async (machine) => {
    // Nothing of etcd is left to protect.
    await releaseMachine(scope, machine);
    if (machine.metadata.deletionTimestamp === undefined) await deleteMachine(scope, machine.metadata.name);
  });
  if (machines.length === 0) return next;
  context.log.debug("Waiting for machines", {
    controlPlane: controlPlane.metadata.name,
    left: machines.length,
  });
  return block(DELETION_POLL_MS, "WaitingForMachineDeletion");
}

function workersOf({ context, cluster }: Scope): readonly string[] {
  if (!cluster) return [];
  const machines = ofCluster(context.cache, Machine, cluster.metadata).filter(
    ({ metadata }) => metadata.labels?.[CONTROL_PLANE_LABEL] === undefined,
  );
  const pools = ofCluster(context.cache, MachinePool, cluster.metadata);
  return [...machines, ...pools].map(({ metadata }) => metadata.name);
}
