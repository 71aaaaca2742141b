import { type AzureMachinePoolMachine, formatTimestamp, type Frozen } from "@capstan/api";
import { isHalted, recordedSize } from "@capstan/plan";
import { next, type Outcome } from "@capstan/runtime";
import { updateOf } from "../../../workload/availability.ts";
import { noteResize } from "../observation/external-size.ts";
import { hashOfNames } from "../observation/pool-view.ts";
import type { NormalScope, PlannedObservation } from "../scope.ts";

/** Stores in the status what the next plan needs to know of this one. */
export function recordPlan(scope: NormalScope): Outcome {
  const { observation, planned } = scope;
  if (!observation || !planned) return next;
  const recorded = { ...observation, planned };
  recordGuard(scope, recorded);
  recordSize(scope, recorded);
  if (!isHalted(observation.view)) forgetPicks(scope, recorded);
  return next;
}

/** Forgets the picks of machines that are done, or that a later plan does not pick any more. */
function forgetPicks({ pool }: NormalScope, { unavailable, planned }: PlannedObservation): void {
  const { pickedForDeletion = [], pickedForUpdate = [], ...rest } = pool.status ?? {};
  const pickedAgain = new Set(
    planned.actions.flatMap(({ action, targets }) => (action === "DeleteMachine" ? targets : [])),
  );
  const machines = unavailable.flatMap(({ machine }) => machine ?? []);
  const deleting = namesOf(machines.filter(({ metadata }) => metadata.deletionTimestamp !== undefined));
  const updating = namesOf(machines.filter(isUpdating));
  const deletions = pickedForDeletion.filter((name) => deleting.has(name) || pickedAgain.has(name));
  const updates = pickedForUpdate.filter((name) => updating.has(name));
  pool.status = {
    ...rest,
    ...(deletions.length > 0 && { pickedForDeletion: deletions }),
    ...(updates.length > 0 && { pickedForUpdate: updates }),
  };
}

function namesOf(machines: readonly Frozen<AzureMachinePoolMachine>[]): ReadonlySet<string> {
  return new Set(machines.map(({ metadata }) => metadata.name));
}

function isUpdating(machine: Frozen<AzureMachinePoolMachine>): boolean {
  return updateOf(machine) !== undefined || machine.status?.instanceUpdate !== undefined;
}

/** Stores how many lists have confirmed a large removal, so that the count survives a restart. */
function recordGuard({ pool }: NormalScope, { planned, view }: PlannedObservation): void {
  const isBlocked = planned.blocked.some(({ reason }) => reason === "RemovalBlocked");
  const { blockedRemoval: _, ...rest } = pool.status ?? {};
  const guard = view.removalGuard;
  if (!isBlocked || !guard) {
    pool.status = rest;
    return;
  }
  const { missing, confirmations, lastCountedMs } = guard;
  const lastConfirmedAt = formatTimestamp(lastCountedMs);
  pool.status = {
    ...rest,
    blockedRemoval: { hash: hashOfNames(missing), count: missing.length, confirmations, lastConfirmedAt },
  };
}

/** Stores the autoscaler's number together with the first intent, so that a crash does not lose it. */
function recordSize(scope: NormalScope, observation: PlannedObservation): void {
  const { pool } = scope;
  const { externalReplicas: known, externalCapacity: _, ...rest } = pool.status ?? {};
  const externalReplicas = recordedSize(observation.view, observation.planned, known);
  pool.status = externalReplicas === undefined ? rest : { ...pool.status, externalReplicas };
  noteResize(scope, observation);
}
