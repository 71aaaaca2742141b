import { type AzureMachinePoolMachine, type Frozen, UPDATE_INSTANCE_ANNOTATION } from "@capstan/api";
import { again, next, type Outcome } from "@capstan/runtime";
import {
  actionsOfPass,
  ALLOW_REMOVAL_ANNOTATION,
  type BlockedReason,
  type PoolAction,
  type PoolPlan,
} from "@capstan/plan";
import { type Handlers, perform, sooner } from "../../../actions/perform.ts";
import { startInstanceOperations } from "../writes/instance-operations.ts";
import { listed } from "../../../pools/names.ts";
import { annotateAll, createAll, deleteAll } from "../writes/machine-resources.ts";
import { newMachine } from "../writes/new-machine.ts";
import { DATA_MS, putModel, writeTags } from "../writes/put-scale-set.ts";
import type { NormalScope, Observation } from "../scope.ts";
import { SURGE_ANNOTATION } from "../../../pools/well-known.ts";

// No event says when another client's write is done.
const OTHERS_MS = 15_000;
// The event of the Node makes its machine drain it; the requeue only covers an event that was missed.
const LATE_MS = 15_000;

/** Performs the planned actions. */
export async function act(scope: NormalScope): Promise<Outcome> {
  const { observation, planned, context } = scope;
  if (!observation || !planned) return next;
  const actions = actionsOfPass(planned);
  const outcome = await perform(actions, handlersOf(scope, observation), context.log);
  return waitsOf(planned, actions).reduce(sooner, outcome);
}

/** What is done for each action, in this order: Kubernetes before Azure, the scale set before its instances. */
function handlersOf(scope: NormalScope, observation: Observation): Handlers<PoolAction> {
  const capacity = observation.set?.capacity ?? 0;
  const put = only(({ detail, why }: Resize) => putModel(scope, observation, { capacity: detail.to, why }));
  const putAtSize = only(({ why }: PoolAction) => putModel(scope, observation, { capacity, why }));
  return {
    DeleteMachineResource: (actions) => removeResources(scope, observation, actions),
    CreateMachineResource: (actions) => createResources(scope, observation, actions),
    DeleteMachine: (actions) => deleteMachines(scope, observation, actions),
    RevertUpdateAnnotation: (actions) => revertUpdates(scope, observation, actions),
    ClearSurge: (actions) => clearSurge(scope, observation, actions),
    UpdateMachineInPlace: only((wave) => updateInPlace(scope, observation, wave)),
    PutModel: put,
    SetCapacity: put,
    SwitchImage: putAtSize,
    RenewBootstrapData: putAtSize,
    PatchTags: only(({ detail }) => writeTags(scope, detail)),
    StartInstanceOperation: (actions) => startInstanceOperations(scope, actions),
  };
}

type Planned<Name extends PoolAction["action"]> = readonly Extract<PoolAction, { readonly action: Name }>[];
type Resize = Planned<"PutModel" | "SetCapacity">[number];

/** A handler of an action that a pass performs once at most. */
function only<A>(handle: (action: A) => Promise<Outcome>): (actions: readonly A[]) => Promise<Outcome> {
  return ([action]) => (action === undefined ? Promise.resolve(next) : handle(action));
}

/** When to look again at what the plan waits for, beside its actions. */
function waitsOf({ runningWrite, blocked }: PoolPlan, performed: readonly PoolAction[]): readonly Outcome[] {
  const isHeldBy = (name: BlockedReason): boolean => blocked.some(({ reason }) => reason === name);
  const isRenewing = performed.some(({ action }) => action === "RenewBootstrapData");
  return [
    ...(runningWrite === "another client's" ? [again(OTHERS_MS, "ScaleSetBusy")] : []),
    ...(isHeldBy("NodeNotDrained") ? [again(LATE_MS, "OperationRunning")] : []),
    ...(isHeldBy("BootstrapDataExpired") && !isRenewing ? [again(DATA_MS, "OperationRunning")] : []),
  ];
}

/** Creates a resource for each instance without one, no matter which client created the instance. */
async function createResources(
  scope: NormalScope,
  { machines }: Observation,
  actions: Planned<"CreateMachineResource">,
): Promise<Outcome> {
  const desired = new Set(actions.flatMap(({ detail }) => detail.instanceIDs));
  const surge = new Set(actions.flatMap(({ detail }) => detail.surgeInstanceIDs ?? []));
  const instances = machines.flatMap(({ machine, instance }) =>
    !machine && instance && desired.has(instance.instanceID) ? [instance] : [],
  );
  const resources = instances.map((instance) =>
    newMachine(scope, { ...instance, isSurge: surge.has(instance.instanceID) }),
  );
  await createAll(scope.context.client, resources);
  return next;
}

/** Deletes resources whose instance is gone; there is nothing left to drain. */
async function removeResources(
  scope: NormalScope,
  observation: Observation,
  actions: Planned<"DeleteMachineResource">,
): Promise<Outcome> {
  const { context, pool } = scope;
  for (const { targets, why } of actions)
    context.event({ type: "Normal", reason: "InstancesGone", message: `${listed(targets)}: ${why}` });
  await deleteAll(context.client, resourcesOf(observation, actions));
  // The annotation allowed this removal only.
  delete pool.metadata.annotations?.[ALLOW_REMOVAL_ANNOTATION];
  return next;
}

/** Stores the picks before the deletes: a machine that is deleted without being picked was deleted by a user. */
async function deleteMachines(
  { pool, context }: NormalScope,
  observation: Observation,
  actions: Planned<"DeleteMachine">,
): Promise<Outcome> {
  const before = new Set(pool.status?.pickedForDeletion);
  const names = actions.flatMap(({ targets }) => targets);
  pool.status = { ...pool.status, pickedForDeletion: [...new Set([...before, ...names])].sort() };
  await context.persistStatus();
  for (const { targets, why } of actions) {
    if (targets.every((name) => before.has(name))) continue;
    context.event({ type: "Normal", reason: "MachinesPicked", message: `${listed(targets)}: ${why}` });
  }
  await deleteAll(context.client, resourcesOf(observation, actions));
  return next;
}

/** Removes update annotations that the pool controller did not set: a user who sets one would bypass the budget. */
async function revertUpdates(
  { context }: NormalScope,
  observation: Observation,
  actions: Planned<"RevertUpdateAnnotation">,
): Promise<Outcome> {
  const names = listed(actions.flatMap(({ targets }) => targets));
  const message = `${names}: the annotation ${UPDATE_INSTANCE_ANNOTATION} belongs to the pool controller, which has removed it; to replace the machines, run capstan rollout restart`;
  context.event({ type: "Warning", reason: "UpdateNotPlanned", message });
  const annotations = { [UPDATE_INSTANCE_ANNOTATION]: null };
  await annotateAll(context.client, resourcesOf(observation, actions), annotations);
  return next;
}

/** Makes surge machines ordinary ones. */
async function clearSurge(
  { context }: NormalScope,
  observation: Observation,
  actions: Planned<"ClearSurge">,
): Promise<Outcome> {
  await annotateAll(context.client, resourcesOf(observation, actions), { [SURGE_ANNOTATION]: null });
  return next;
}

/** Stores the picks of a wave before it annotates the machines: an annotation without a pick is reverted. */
async function updateInPlace(
  scope: NormalScope,
  observation: Observation,
  wave: Planned<"UpdateMachineInPlace">[number],
): Promise<Outcome> {
  const { context, pool } = scope;
  const { targets, detail, why } = wave;
  pool.status = {
    ...pool.status,
    pickedForUpdate: [...new Set([...(pool.status?.pickedForUpdate ?? []), ...targets])].sort(),
  };
  await context.persistStatus();
  context.event({ type: "Normal", reason: "MachinesPicked", message: `${listed(targets)}: ${why}` });
  await annotateAll(context.client, resourcesOf(observation, [wave]), {
    [UPDATE_INSTANCE_ANNOTATION]: detail.hash,
  });
  return again(0, "UpdatingInPlace");
}

type Machine = Frozen<AzureMachinePoolMachine>;

/** The resources that actions are about. */
function resourcesOf(
  { machines }: Observation,
  actions: readonly Pick<PoolAction, "targets">[],
): readonly Machine[] {
  const names = new Set(actions.flatMap(({ targets }) => targets));
  return machines.flatMap(({ machine }) => (machine && names.has(machine.metadata.name) ? [machine] : []));
}
