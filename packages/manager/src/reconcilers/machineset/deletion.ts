import { block, forEachIndependently, next, type Outcome } from "@capstan/runtime";
import { deleteMachine } from "../../machines/remove.ts";
import type { Scope } from "./scope.ts";

// A deleted Machine enqueues the set; this interval covers a missed event.
const DELETION_POLL_MS = 60_000;

/** Deletes all machines and waits until they are gone. */
export async function deleteMachines(scope: Scope): Promise<Outcome> {
  const { machines } = scope;
  scope.left = machines.length;
  const left = machines.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  await forEachIndependently(left, ({ metadata }) => deleteMachine(scope, metadata.name));
  return machines.length === 0 ? next : block(DELETION_POLL_MS, "WaitingForMachinesDeletion");
}
