import { type Answer, empty } from "../../arm/answer.ts";
import { beingDeleted, concurrentRequest, entityNotFound, invalidParameter } from "../../arm/errors.ts";
import type { Call } from "../../core/call.ts";
import type { Resource } from "../../core/resources.ts";
import type { AzureState } from "../../core/azure-state.ts";
import { instanceFault } from "../../faults/faults.ts";
import { valueAt } from "../../json.ts";
import { acceptedAction, newOperation } from "../../operations/start.ts";
import { foundResource } from "../found.ts";
import type { Verb } from "../resource-type.ts";
import { applyModel } from "./apply-model.ts";
import type { Instance, ScaleSet } from "./scale-sets.ts";
import { lastEndMs, startWork, type WorkKind } from "./work.ts";
import { COMPUTE } from "./write.ts";

/** A scale set and its ARM resource. */
export interface FoundSet {
  readonly resource: Resource;
  readonly set: ScaleSet;
}

/** The scale set of a request. */
export function foundSet(call: Call, world: AzureState): FoundSet {
  const resource = foundResource(call, world);
  const set = world.scaleSets.get(resource.id);
  if (!set) throw entityNotFound();
  return { resource, set };
}

/** The instance of a request. */
export function foundInstance(call: Call, world: AzureState): FoundSet & { readonly instance: Instance } {
  const found = foundSet(call, world);
  const name = call.target.names[1] ?? "";
  const instance = /^\d+$/.test(name) ? world.scaleSets.members(found.set.id).get(Number(name)) : undefined;
  if (!instance) throw entityNotFound();
  return { ...found, instance };
}

/** An action on a set: on the instances in the body, or on all. */
export function setAction(kind: WorkKind): Verb {
  return (call, world) => {
    const found = foundSet(call, world);
    const isRequired = kind === "delete" || kind === "manualupgrade";
    return act({
      call,
      world,
      kind,
      ...found,
      instances: namedInstances(call, world, { set: found.set, isRequired }),
    });
  };
}

/** An action on one instance. */
export function instanceAction(kind: WorkKind): Verb {
  return (call, world) => {
    const { instance, ...found } = foundInstance(call, world);
    return act({ call, world, kind, ...found, instances: [instance] });
  };
}

/** DELETE of one instance; succeeds when it does not exist. */
export const deleteInstance: Verb = (call, world) => {
  const { set } = foundSet(call, world);
  const isThere = world.scaleSets.members(set.id).has(Number(call.target.names[1]));
  return isThere ? instanceAction("delete")(call, world) : empty(204);
};

function namedInstances(
  call: Call,
  world: AzureState,
  wanted: { set: ScaleSet; isRequired: boolean },
): Instance[] {
  const members = world.scaleSets.members(wanted.set.id);
  const ids = valueAt(call.body, "instanceIds");
  if (ids === undefined || ids === null) {
    if (wanted.isRequired) {
      throw invalidParameter("instanceIds", "Required parameter 'instanceIds' is missing (null).");
    }
    return [...members.values()].filter((one) => one.state !== "Deleting");
  }
  if (!Array.isArray(ids) || ids.length === 0) {
    throw invalidParameter("instanceIds", "Required parameter 'instanceIds' is missing (null).");
  }
  if (ids.includes("*")) return [...members.values()].filter((one) => one.state !== "Deleting");
  return [...new Set(ids.map(String))].map((id) => {
    const instance = /^\d+$/.test(id) ? members.get(Number(id)) : undefined;
    if (!instance) {
      throw invalidParameter(
        "instanceIds",
        `The provided instanceId ${id} is not an active Virtual Machine Scale Set VM instanceId.`,
      );
    }
    return instance;
  });
}

function act(
  facts: FoundSet & {
    readonly call: Call;
    readonly world: AzureState;
    readonly kind: WorkKind;
    readonly instances: readonly Instance[];
  },
): Answer {
  const { call, world, kind, resource, set, instances } = facts;
  if (resource.state === "Deleting") throw beingDeleted(resource.id);
  if (instances.some((one) => isBusy(one, kind))) throw concurrentRequest();
  world.throttle.chargeInstances(call, set.location, { batched: instances.length });
  // An instance that is being deleted already needs no second deletion.
  const touched = kind === "delete" ? instances.filter((one) => one.state !== "Deleting") : instances;
  if (kind === "delete") reduceCapacity(world, set, touched);
  if (kind === "manualupgrade") for (const instance of touched) applyModel(world, set, instance);
  const operation = newOperation(call, world, {
    resourceId: set.id,
    location: set.location,
    provider: COMPUTE,
  });
  const plan = startWork(world, {
    set,
    instances: touched,
    kind,
    operation: operation.id,
    fault: instanceFault(call),
  });
  const error = plan.error ?? operation.error;
  world.operations.start({ ...operation, ...(error && { error }) }, lastEndMs(world, plan));
  return acceptedAction(call, world, operation);
}

/** Whether another action is running on the instance. A deletion may preempt its creation. */
function isBusy({ operation, state }: Instance, kind: WorkKind): boolean {
  if (operation === undefined) return false;
  if (kind === "delete") return state === "Updating";
  return true;
}

function reduceCapacity(world: AzureState, set: ScaleSet, instances: readonly Instance[]): void {
  const counted = instances.filter((one) => one.isExtra !== true).length;
  set.capacity = Math.max(0, set.capacity - counted);
  world.scaleSets.save(set);
}
