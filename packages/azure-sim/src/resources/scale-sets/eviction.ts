import { empty } from "../../arm/answer.ts";
import { ArmError } from "../../arm/errors.ts";
import { type Effect, latencyMs, nextRng } from "../../core/azure-state.ts";
import { textAt } from "../../json.ts";
import type { Verb } from "../resource-type.ts";
import { foundInstance } from "./actions.ts";
import { removeInstance, settle } from "./instance-effects.ts";
import { modelOf } from "./scale-sets.ts";

/** The effect that evicts a spot machine. */
export const EVICTED = "instance.evicted";

/** POST simulateEviction: accepted at once, effective within minutes. */
export const simulateEviction: Verb = (call, world) => {
  const { set, instance } = foundInstance(call, world);
  if (!modelOf(set, instance).isSpot) throw notSpot();
  const delayMs = latencyMs(world, "instance.evict", nextRng(world, `${set.id}/${instance.id}`, "evict"));
  world.agenda.enter(world.nowMs + delayMs, EVICTED, {
    set: set.id,
    uniqueId: set.uniqueId,
    id: instance.id,
  });
  return empty(204);
};

/** The refusal to evict a machine that is not a spot machine. */
export function notSpot(): ArmError {
  return new ArmError(409, {
    code: "OperationNotAllowed",
    message: "The simulate eviction operation is only supported on Azure Spot Virtual Machines.",
  });
}

/**
 * Deallocates or deletes the machine by its eviction policy, also while another operation runs on it. A machine that is
 * being deleted is skipped.
 */
export const evict: Effect = (world, args) => {
  const set = world.scaleSets.get(textAt(args, "set") ?? "");
  const instance = set && world.scaleSets.members(set.id).get(Number(args["id"]));
  if (!instance || set.uniqueId !== textAt(args, "uniqueId") || instance.state === "Deleting") return;
  instance.flight += 1;
  if (modelOf(set, instance).profile["evictionPolicy"] === "Delete") {
    if (instance.isExtra !== true) set.capacity -= 1;
    world.scaleSets.save(set);
    removeInstance(world, set, instance);
    return;
  }
  settle(world, instance, { power: "deallocated", operation: undefined, changedMs: world.nowMs });
  world.notify({ kind: "stopped", machineId: instance.machineId });
};
