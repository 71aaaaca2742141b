import { type AzureMachinePoolMachine, type Frozen, UPDATE_INSTANCE_ANNOTATION } from "@capstan/api";
import { again, next, type Outcome } from "@capstan/runtime";
import { ALLOW_REMOVAL_ANNOTATION, type PoolAction } from "@capstan/plan";
import type { ScaleSetInstance } from "@capstan/azure";
import { providerKey } from "../../workload/nodes.ts";
import { updateOf } from "../../workload/availability.ts";
import { imageSwitch } from "./boot-image.ts";
import { listed } from "./listed.ts";
import { annotateAll, createAll, deleteAll } from "./machine-writes.ts";
import { newMachine } from "./new-machine.ts";
import { machinesOf } from "./observe.ts";
import { needsPatchOfTags, needsRenewal, patchTags, putModel, renewForUpdates } from "./put.ts";
import { runningWrite } from "./running-write.ts";
import { type NormalScope, type Observation, type Pass } from "./scope.ts";
import { SURGE_ANNOTATION } from "./well-known.ts";

// No event says when another client's write is done.
const OTHERS_MS = 15_000;

/**
 * Performs the planned actions in order; writes of the scale set come last. While the MachinePool is paused nothing is begun,
 * and running operations are only polled.
 */
export async function performActions(scope: NormalScope): Promise<Outcome> {
  const { observation } = scope;
  if (!observation || observation.view.isPaused) return next;
  await removeResources(scope, observation, targetsOf(observation.planned.actions, "DeleteMachineResource"));
  await createResources(scope, observation);
  await deleteMachines(scope, observation);
  await takeBackUnplanned(scope, observation);
  await keepSurge(scope, observation);
  const { pool, memory } = scope;
  const provisioningState = observation.set?.provisioningState;
  const running = runningWrite({ status: pool.status, isResized: memory.isResized, provisioningState });
  if (running === "ours") return next;
  return running ? again(OTHERS_MS, "ScaleSetBusy") : changeSet(scope, observation);
}

/** One write of the scale set at a time: the planned one, then renewed bootstrap data, then tags. */
async function changeSet(scope: NormalScope, observation: Observation): Promise<Outcome> {
  const capacity = observation.set?.capacity ?? 0;
  for (const action of observation.planned.actions) {
    if (action.action === "UpdateMachineInPlace") return updateInPlace(scope, observation, action);
    if (action.action === "PutModel" || action.action === "SetCapacity")
      return putModel(scope, observation, { capacity: action.detail.to, why: action.why });
  }
  const switching = imageSwitch(scope, observation);
  if (switching !== undefined) return putModel(scope, observation, { capacity, why: switching });
  if (needsRenewal(scope, observation))
    return putModel(scope, observation, { capacity, why: "the bootstrap data was renewed" });
  return needsPatchOfTags(scope, observation) ? patchTags(scope, observation) : next;
}

function targetsOf(actions: readonly PoolAction[], action: PoolAction["action"]): readonly string[] {
  return actions.filter((one) => one.action === action).flatMap(({ targets }) => targets);
}

/** Creates a resource for each instance without one, no matter which client created the instance. */
async function createResources(scope: NormalScope, { planned, machines }: Observation): Promise<void> {
  const adoptions = planned.actions.flatMap((one) =>
    one.action === "CreateMachineResource" ? [one.detail] : [],
  );
  const desired = new Set(adoptions.flatMap(({ instanceIDs }) => instanceIDs));
  const surge = new Set(adoptions.flatMap(({ surgeInstanceIDs = [] }) => surgeInstanceIDs));
  const instances = machines.flatMap(({ machine, instance }) =>
    !machine && instance && desired.has(instance.instanceID) ? [instance] : [],
  );
  const made = instances.map((instance) =>
    newMachine(scope, { ...instance, isSurge: surge.has(instance.instanceID) }),
  );
  await createAll(scope.context.client, made);
}

/** Creates resources for instances of a pool that is being deleted, so that they are drained; returns how many. */
export async function adoptStragglers(
  scope: Pick<Pass, "context" | "pool">,
  instances: readonly Pick<ScaleSetInstance, "instanceID" | "providerID" | "provisioningState">[],
): Promise<number> {
  const known = new Set(machinesOf(scope).map(({ spec }) => providerKey(spec.providerID)));
  const stragglers = instances.filter(
    ({ providerID, provisioningState }) =>
      provisioningState !== "Deleting" && !known.has(providerKey(providerID)),
  );
  const made = stragglers.map((instance) => newMachine(scope, instance));
  await createAll(scope.context.client, made);
  return stragglers.length;
}

/** Deletes resources whose instance is gone; there is nothing left to drain. */
async function removeResources(
  scope: NormalScope,
  observation: Observation,
  names: readonly string[],
): Promise<void> {
  if (names.length === 0) return;
  const why = observation.planned.actions.find(({ action }) => action === "DeleteMachineResource")?.why ?? "";
  scope.context.event({ type: "Normal", reason: "InstancesGone", message: `${listed(names)}: ${why}` });
  await deleteAll(scope.context.client, resourcesNamed(observation, names));
  // The annotation allowed this removal only.
  delete scope.pool.metadata.annotations?.[ALLOW_REMOVAL_ANNOTATION];
}

/** Stores the picks before the deletes: a machine that is deleted without being picked was deleted by a user. */
async function deleteMachines(scope: NormalScope, observation: Observation): Promise<void> {
  const { pool, context } = scope;
  const deletions = observation.planned.actions.filter((one) => one.action === "DeleteMachine");
  const names = deletions.flatMap(({ targets }) => targets);
  const { pickedForDeletion = [], ...rest } = pool.status ?? {};
  const before = new Set(pickedForDeletion);
  const leaving = observation.unavailable.flatMap(({ machine }) =>
    machine?.metadata.deletionTimestamp !== undefined && before.has(machine.metadata.name)
      ? [machine.metadata.name]
      : [],
  );
  const picked = [...new Set([...leaving, ...names])].sort();
  pool.status = picked.length > 0 ? { ...rest, pickedForDeletion: picked } : rest;
  if (names.length === 0) return;
  await context.persistStatus();
  for (const { targets, why } of deletions) {
    if (targets.every((name) => before.has(name))) continue;
    context.event({ type: "Normal", reason: "MachinesPicked", message: `${listed(targets)}: ${why}` });
  }
  await deleteAll(context.client, resourcesNamed(observation, names));
}

/**
 * Removes update annotations that the pool did not plan: a user who sets one would bypass the budget. Forgets picks whose
 * machines are done.
 */
async function takeBackUnplanned(
  { pool, context }: NormalScope,
  { unavailable }: Observation,
): Promise<void> {
  const { pickedForUpdate = [], ...rest } = pool.status ?? {};
  const asked = unavailable.flatMap(({ machine }) => (machine && isUpdating(machine) ? [machine] : []));
  const picked = new Set(pickedForUpdate);
  const left = asked.filter(({ metadata }) => picked.has(metadata.name)).map(({ metadata }) => metadata.name);
  pool.status = left.length > 0 ? { ...rest, pickedForUpdate: left } : rest;
  // An update that has begun is finished: the Node of the machine may be gone already.
  const unplanned = asked.filter(
    ({ metadata, status }) => !picked.has(metadata.name) && !status?.instanceUpdate,
  );
  if (unplanned.length === 0) return;
  const names = listed(unplanned.map(({ metadata }) => metadata.name));
  const message = `${names}: the annotation ${UPDATE_INSTANCE_ANNOTATION} belongs to the pool controller, which has removed it; to replace the machines, run capstan rollout restart`;
  context.event({ type: "Warning", reason: "UpdateNotPlanned", message });
  await annotateAll(context.client, unplanned, { [UPDATE_INSTANCE_ANNOTATION]: null });
}

/** Makes a surge machine an ordinary one when another machine has gone in its place. */
async function keepSurge({ context }: NormalScope, { planned, machines }: Observation): Promise<void> {
  const { outdated, live, desired } = planned.budget;
  if (outdated > 0 || live > desired) return;
  const kept = machines.flatMap(({ machine }) => (machine && isAddedAndStays(machine) ? [machine] : []));
  await annotateAll(context.client, kept, { [SURGE_ANNOTATION]: null });
}

/** Whether a machine is a surge machine and not being deleted. */
function isAddedAndStays({ metadata: { annotations, deletionTimestamp } }: Machine): boolean {
  return deletionTimestamp === undefined && annotations?.[SURGE_ANNOTATION] !== undefined;
}

function isUpdating(machine: Machine): boolean {
  return updateOf(machine) !== undefined || machine.status?.instanceUpdate !== undefined;
}

/** Annotates the machines of a wave once the scale set has the desired model and bootstrap data that lasts long enough. */
async function updateInPlace(
  scope: NormalScope,
  observation: Observation,
  wave: Extract<PoolAction, { action: "UpdateMachineInPlace" }>,
): Promise<Outcome> {
  const { context, pool } = scope;
  const renewal = await renewForUpdates(scope, observation);
  if (renewal.type !== "next") return renewal;
  const { targets, detail, why } = wave;
  pool.status = {
    ...pool.status,
    pickedForUpdate: [...new Set([...(pool.status?.pickedForUpdate ?? []), ...targets])].sort(),
  };
  await context.persistStatus();
  context.event({ type: "Normal", reason: "MachinesPicked", message: `${listed(targets)}: ${why}` });
  await annotateAll(context.client, resourcesNamed(observation, targets), {
    [UPDATE_INSTANCE_ANNOTATION]: detail.hash,
  });
  return again(0, "UpdatingInPlace");
}

type Machine = Frozen<AzureMachinePoolMachine>;

function resourcesNamed({ machines }: Observation, names: readonly string[]): readonly Machine[] {
  const desired = new Set(names);
  return machines.flatMap(({ machine }) => (machine && desired.has(machine.metadata.name) ? [machine] : []));
}
