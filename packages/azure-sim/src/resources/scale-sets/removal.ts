import { empty } from "../../arm/answer.ts";
import { checkPreconditions } from "../../arm/precondition.ts";
import { latencyMs, nextRng, type Effect } from "../../core/azure-state.ts";
import { instanceFault } from "../../faults/faults.ts";
import { textAt } from "../../json.ts";
import { acceptedAction, newOperation } from "../../operations/start.ts";
import { resourceId } from "../../arm/target.ts";
import type { Verb } from "../resource-type.ts";
import { removeInstance } from "./instance-effects.ts";
import { lastEndMs, startWork } from "./work.ts";
import { COMPUTE, SCALE_SETS, SET_SETTLED } from "./write.ts";

/** The effect that removes a set with its remaining instances. */
export const SET_REMOVED = "scaleSet.removed";

/** DELETE of a set: deletes its instances, then the set. */
export const deleteScaleSet: Verb = (call, world) => {
  const id = resourceId(call.target, [SCALE_SETS]);
  const resource = world.resources.get(id);
  const set = world.scaleSets.get(id);
  if (!resource || !set) return empty(204);
  checkPreconditions(call.headers, resource.etag);
  const running = world.operations.get(resource.operation ?? "");
  if (resource.state === "Deleting" && running?.status === "InProgress")
    return acceptedAction(call, world, running);
  const members = [...world.scaleSets.members(id).values()];
  world.throttle.chargeInstances(call, set.location, { batched: members.length });
  if (resource.operation !== undefined) world.operations.preempt(resource.operation, world.nowMs);
  const operation = newOperation(call, world, {
    resourceId: id,
    location: set.location,
    provider: COMPUTE,
    error: instanceFault(call)?.error,
  });
  set.capacity = 0;
  world.scaleSets.save(set);
  const instances = members.filter((one) => one.state !== "Deleting");
  const fault = instanceFault(call);
  const plan = startWork(world, { set, instances, kind: "delete", operation: operation.id, fault });
  const ownMs = latencyMs(world, "scaleSet.delete", nextRng(world, id, call.operation));
  const endMs = Math.max(lastEndMs(world, plan), world.nowMs + ownMs);
  world.resources.put({ ...resource, state: "Deleting", operation: operation.id });
  const isFailed = fault !== undefined;
  world.agenda.enter(endMs, isFailed ? SET_SETTLED : SET_REMOVED, { id, operation: operation.id, isFailed });
  world.operations.start(operation, endMs);
  return acceptedAction(call, world, operation);
};

/** Removes a set, unless another one was created under its name since. */
export const removeScaleSet: Effect = (world, args) => {
  const id = textAt(args, "id") ?? "";
  const operation = textAt(args, "operation");
  if (operation !== undefined && world.resources.get(id)?.operation !== operation) return;
  const set = world.scaleSets.get(id);
  if (set) for (const instance of world.scaleSets.members(id).values()) removeInstance(world, set, instance);
  world.scaleSets.drop(id);
  world.resources.delete(id);
};
