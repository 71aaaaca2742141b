import type { ErrorBody } from "../../arm/errors.ts";
import { keyOf } from "../../arm/target.ts";
import type { Call } from "../../core/call.ts";
import type { Effect, AzureState } from "../../core/azure-state.ts";
import { instanceFault } from "../../faults/faults.ts";
import { type JsonObject, objectAt, textAt, valueAt } from "../../json.ts";
import type { Operation } from "../../operations/operation.ts";
import { applyModel } from "./apply-model.ts";
import { imageProblem } from "./boot-image.ts";
import { addInstances, extraInstances, scaleInPolicy, unallocated, unbootable, victims } from "./growth.ts";
import { isLatest } from "./instance-effects.ts";
import { type Instance, latestModel, type ScaleSet } from "./scale-sets.ts";
import { lastEndMs, startWork, type WorkPlan } from "./work.ts";

/** The effect that deletes the extra instances. */
export const TRIM_EXTRA = "scaleSet.trim";

// A rolling upgrade takes a fifth of the set at a time, unless the policy says otherwise.
const ROLLING_SHARE = 0.2;

interface Resize {
  readonly call: Call;
  readonly world: AzureState;
  readonly set: ScaleSet;
  readonly operation: Operation;
  readonly capacity: number;
  readonly body: JsonObject;
}

/** Resizes a set and, if its upgrade policy says so, applies the newest model to its instances. */
export function resize(wanted: Resize): { readonly endMs: number; readonly error: ErrorBody | undefined } {
  const { world, set, capacity } = wanted;
  const more = capacity - set.capacity;
  set.capacity = capacity;
  const grown = more > 0 ? grow(wanted, more) : { endMs: world.nowMs, error: undefined };
  const shrunk = more < 0 ? shrink(wanted, -more) : { endMs: world.nowMs, error: undefined };
  const upgraded = upgrade(wanted);
  set.resizedMs = Math.max(set.resizedMs, grown.endMs, shrunk.endMs, upgraded.endMs);
  world.scaleSets.save(set);
  return {
    endMs: set.resizedMs,
    error: grown.error ?? shrunk.error ?? upgraded.error,
  };
}

type ResizeOutcome = { readonly endMs: number; readonly error: ErrorBody | undefined };

function outcome(world: AzureState, plan: WorkPlan): ResizeOutcome {
  return { endMs: lastEndMs(world, plan), error: plan.error };
}

function grow({ call, world, set, operation, body }: Resize, count: number): ResizeOutcome {
  const extra = extraInstances(objectAt(body, "properties"), count);
  const model = latestModel(set);
  const { subscription, location } = set;
  const demand = { subscription, location, size: model.size, isSpot: model.isSpot, instances: count + extra };
  const room = world.usage.room(demand);
  const instances = addInstances(world, set, { count: count + extra, zones: zonesOf(body) });
  const plan = startWork(world, {
    set,
    instances,
    kind: "create",
    operation: operation.id,
    fault: instanceFault(call),
    failing: unbootable(imageProblem(world, set, model), instances) ?? unallocated(instances, room),
  });
  return extra === 0 ? outcome(world, plan) : markExtra({ world, set, instances, plan, count });
}

/** The slowest instances are the extra ones: Compute deletes them when enough others run. */
function markExtra(facts: {
  readonly world: AzureState;
  readonly set: ScaleSet;
  readonly instances: readonly Instance[];
  readonly plan: WorkPlan;
  readonly count: number;
}): ResizeOutcome {
  const { world, set, instances, plan, count } = facts;
  const byEnd = instances
    .map((instance, index) => ({ instance, endMs: plan.endsMs[index] as number }))
    .sort((a, b) => a.endMs - b.endMs || a.instance.id - b.instance.id);
  const endMs = byEnd[count - 1]?.endMs ?? world.nowMs;
  for (const { instance } of byEnd.slice(count)) {
    instance.isExtra = true;
    world.scaleSets.saveInstance(instance);
  }
  world.agenda.enter(endMs, TRIM_EXTRA, { set: set.id, uniqueId: set.uniqueId });
  return { endMs, error: plan.error };
}

/** Deletes the extra instances. */
export const trimExtra: Effect = (world, args) => {
  const set = world.scaleSets.get(textAt(args, "set") ?? "");
  if (!set || set.uniqueId !== textAt(args, "uniqueId")) return;
  const instances = [...world.scaleSets.members(set.id).values()].filter(
    (one) => one.isExtra === true && one.state !== "Deleting",
  );
  startWork(world, { set, instances, kind: "delete", operation: keyOf(set.id) });
};

function zonesOf(body: JsonObject): readonly string[] {
  const zones = valueAt(body, "zones");
  return Array.isArray(zones) ? zones.map(String) : [];
}

function shrink({ call, world, set, operation, body }: Resize, count: number): ResizeOutcome {
  const members = world.scaleSets.members(set.id).values();
  const instances = victims(members, count, scaleInPolicy(objectAt(body, "properties")));
  // Protected instances stay and still count.
  set.capacity += count - instances.length;
  const plan = startWork(world, {
    set,
    instances,
    kind: "delete",
    operation: operation.id,
    fault: instanceFault(call),
  });
  return outcome(world, plan);
}

function upgrade({ call, world, set, operation, body }: Resize): ResizeOutcome {
  const mode = textAt(body, "properties", "upgradePolicy", "mode")?.toLowerCase();
  if (mode !== "automatic" && mode !== "rolling") return { endMs: world.nowMs, error: undefined };
  const instances = [...world.scaleSets.members(set.id).values()].filter(
    (one) => !isLatest(set, one) && one.operation === undefined && one.state !== "Deleting",
  );
  for (const instance of instances) applyModel(world, set, instance);
  const lanes = mode === "rolling" ? Math.max(1, Math.floor(instances.length * ROLLING_SHARE)) : undefined;
  const plan = startWork(world, {
    set,
    instances,
    kind: "manualupgrade",
    operation: operation.id,
    fault: instanceFault(call),
    ...(lanes !== undefined && { lanes }),
  });
  return outcome(world, plan);
}
