import { type AzureMachinePoolMachine, type Frozen, UPDATE_INSTANCE_ANNOTATION } from "@capstan/api";
import { again, next, type Outcome } from "@capstan/runtime";
import { isFinal } from "../../azure/operations/decide.ts";
import type { PoolAction } from "../../rollout/scale-set/action.ts";
import type { ScaleSetInstance } from "../../azure/scale-set/instance.ts";
import { ALLOW_REMOVAL_ANNOTATION } from "../../rollout/scale-set/removal-guard.ts";
import { providerKey } from "../../workload/nodes.ts";
import { updateOf } from "../../workload/availability.ts";
import { listed } from "./listed.ts";
import { annotateAll, createAll, deleteAll } from "./machine-writes.ts";
import { newMachine } from "./new-machine.ts";
import { machinesOf } from "./observe.ts";
import { needsPatchOfTags, needsRenewal, patchTags, putModel, renewForUpdates } from "./put.ts";
import { needed, type Scope, type Observation } from "./scope.ts";
import { SURGE_ANNOTATION } from "./well-known.ts";

// Nothing tells when others are done.
const OTHERS_MS = 15_000;

/**
 * Does what was planned, in its order. What changes the scale set itself comes last. While the MachinePool is paused
 * nothing is begun; what is under way is only followed.
 */
export async function performActions(scope: Scope): Promise<Outcome> {
  const observation = needed(scope.observation);
  if (observation.view.isPaused) return next;
  await removeResources(scope, observation, targetsOf(observation.planned.actions, "DeleteMachineResource"));
  await createResources(scope, observation);
  await deleteMachines(scope, observation);
  await takeBackUnplanned(scope, observation);
  await keepSurge(scope, observation);
  if (scope.pool.status?.operation) return next;
  return isWrittenByOthers(scope, observation)
    ? again(OTHERS_MS, "ScaleSetBusy")
    : changeSet(scope, observation);
}

/** Whether somebody else has something done to the scale set: two writes at once would end one of them half done. */
function isWrittenByOthers({ pool, memory }: Scope, { set }: Observation): boolean {
  const isOurs = (pool.status?.instanceOperations ?? []).length > 0 && !memory.isResized;
  return set !== undefined && !isOurs && !isFinal(set.provisioningState);
}

/** One change of the scale set at a time: what was planned, then what keeps it good, then its tags. */
async function changeSet(scope: Scope, observation: Observation): Promise<Outcome> {
  const capacity = observation.set?.capacity ?? 0;
  for (const action of observation.planned.actions) {
    if (action.action === "UpdateMachineInPlace") return updateInPlace(scope, observation, action);
    if (action.action === "PutModel" || action.action === "SetCapacity")
      return putModel(scope, { capacity: action.detail.to, why: action.why });
  }
  if (needsRenewal(scope, observation))
    return putModel(scope, { capacity, why: "the bootstrap data was renewed" });
  return needsPatchOfTags(scope, observation) ? patchTags(scope, observation) : next;
}

function targetsOf(actions: readonly PoolAction[], action: PoolAction["action"]): readonly string[] {
  return actions.filter((one) => one.action === action).flatMap(({ targets }) => targets);
}

/** An instance without a resource gets one, whoever made it. */
async function createResources(scope: Scope, { planned, machines }: Observation): Promise<void> {
  const adoptions = planned.actions.flatMap((one) =>
    one.action === "CreateMachineResource" ? [one.detail] : [],
  );
  const wanted = new Set(adoptions.flatMap(({ instanceIDs }) => instanceIDs));
  const surge = new Set(adoptions.flatMap(({ surgeInstanceIDs = [] }) => surgeInstanceIDs));
  const instances = machines.flatMap(({ machine, instance }) =>
    !machine && instance && wanted.has(instance.instanceID) ? [instance] : [],
  );
  const made = instances.map((instance) =>
    newMachine(scope, { ...instance, isSurge: surge.has(instance.instanceID) }),
  );
  await createAll(scope.context.client, made);
}

/** Instances that came when their pool was about to go get resources too, or nobody would drain them; says how many. */
export async function adoptStragglers(
  scope: Scope,
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

/** Resources whose instance is gone go: their controller has nothing to drain any more. */
async function removeResources(
  scope: Scope,
  observation: Observation,
  names: readonly string[],
): Promise<void> {
  if (names.length === 0) return;
  const why = observation.planned.actions.find(({ action }) => action === "DeleteMachineResource")?.why ?? "";
  scope.context.event({ type: "Normal", reason: "InstancesGone", message: `${listed(names)}: ${why}` });
  await deleteAll(scope.context.client, resourcesNamed(observation, names));
  // It was said of these; the next that are gone are others.
  delete scope.pool.metadata.annotations?.[ALLOW_REMOVAL_ANNOTATION];
}

/** What is picked is written down before anything happens to it: whatever else goes was deleted by a user. */
async function deleteMachines(scope: Scope, observation: Observation): Promise<void> {
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
 * An update that a user asks for by writing the pool's annotation is outside of every budget: the annotation is taken
 * off again. Picks whose machines are done are forgotten.
 */
async function takeBackUnplanned({ pool, context }: Scope, { unavailable }: Observation): Promise<void> {
  const { pickedForUpdate = [], ...rest } = pool.status ?? {};
  const asked = unavailable.flatMap(({ machine }) => (machine && isUpdating(machine) ? [machine] : []));
  const picked = new Set(pickedForUpdate);
  const left = asked.filter(({ metadata }) => picked.has(metadata.name)).map(({ metadata }) => metadata.name);
  pool.status = left.length > 0 ? { ...rest, pickedForUpdate: left } : rest;
  // What has begun is finished, whoever wanted it: the Node of such a machine may be gone already.
  const unplanned = asked.filter(
    ({ metadata, status }) => !picked.has(metadata.name) && !status?.instanceUpdate,
  );
  if (unplanned.length === 0) return;
  const names = listed(unplanned.map(({ metadata }) => metadata.name));
  const message = `${names}: the annotation ${UPDATE_INSTANCE_ANNOTATION} belongs to the pool controller, which has removed it; to replace the machines, run capstan rollout restart`;
  context.event({ type: "Warning", reason: "UpdateNotPlanned", message });
  await annotateAll(context.client, unplanned, { [UPDATE_INSTANCE_ANNOTATION]: null });
}

/** A machine that was added for an update and has stayed, because another one went, is one like all others from now on. */
async function keepSurge({ context }: Scope, { planned, machines }: Observation): Promise<void> {
  const { outdated, live, desired } = planned.budget;
  if (outdated > 0 || live > desired) return;
  const kept = machines.flatMap(({ machine }) => (machine && isAddedAndStays(machine) ? [machine] : []));
  await annotateAll(context.client, kept, { [SURGE_ANNOTATION]: null });
}

/** Whether a machine was added for updates, and is not leaving. */
function isAddedAndStays({ metadata: { annotations, deletionTimestamp } }: Machine): boolean {
  return deletionTimestamp === undefined && annotations?.[SURGE_ANNOTATION] !== undefined;
}

function isUpdating(machine: Machine): boolean {
  return updateOf(machine) !== undefined || machine.status?.instanceUpdate !== undefined;
}

/** A wave is marked when the model that it moves to is there, with bootstrap data that is good for long enough. */
async function updateInPlace(
  scope: Scope,
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
  const wanted = new Set(names);
  return machines.flatMap(({ machine }) => (machine && wanted.has(machine.metadata.name) ? [machine] : []));
}
