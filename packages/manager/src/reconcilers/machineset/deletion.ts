import { Machine } from "@capstan/api";
import { block, isNotFound, next, type Outcome } from "@capstan/runtime";
import type { Scope } from "./scope.ts";

// A deleted Machine enqueues the set; this interval covers a missed event.
const DELETION_POLL_MS = 60_000;

/** Deletes all machines and waits until they are gone. */
export async function deleteMachines(scope: Scope): Promise<Outcome> {
  const { context, machines, set } = scope;
  const { namespace } = set.metadata;
  scope.left = machines.length;
  for (const { metadata } of machines) {
    const { name, uid, deletionTimestamp } = metadata;
    if (deletionTimestamp !== undefined) continue;
    try {
      await context.client.delete(Machine, { name, namespace }, uid === undefined ? {} : { uid });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
  return machines.length === 0 ? next : block(DELETION_POLL_MS, "WaitingForMachinesDeletion");
}
