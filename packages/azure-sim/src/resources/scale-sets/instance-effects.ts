import type { ErrorBody } from "../../arm/errors.ts";
import type { InstanceEvent } from "../../core/instance-events.ts";
import type { Effect, AzureState } from "../../core/azure-state.ts";
import type { JsonObject } from "../../json.ts";
import { countModel } from "./apply-model.ts";
import { interfacesOf, subnetIdOf } from "./desired.ts";
import { modelOf, type Instance, type ScaleSet } from "./scale-sets.ts";
import type { WorkKind } from "./work.ts";

interface Done {
  readonly set: string;
  readonly uniqueId: string;
  readonly id: number;
  readonly flight: number;
  readonly kind: WorkKind;
  readonly error?: ErrorBody;
}

/** Ends a piece of work on one instance, unless something newer has begun on it. */
export const endInstanceWork: Effect = (world, args) => {
  const { set: key, uniqueId, id, flight, kind, error } = args as JsonObject & Done;
  const set = world.scaleSets.get(key);
  const instance = world.scaleSets.members(key).get(id);
  if (set?.uniqueId !== uniqueId || instance?.flight !== flight) return;
  instance.changedMs = world.nowMs;
  instance.operation = undefined;
  if (error) fail(world, set, { instance, kind, error });
  else FINISH[kind](world, set, instance);
};

function fail(
  world: AzureState,
  set: ScaleSet,
  failed: { instance: Instance; kind: WorkKind; error: ErrorBody },
): void {
  const { instance, kind, error } = failed;
  instance.state = "Failed";
  instance.error = error;
  world.scaleSets.saveInstance(instance);
  // What could not be deleted is still there, and counts again.
  if (kind === "delete" && instance.isExtra !== true) {
    set.capacity += 1;
    world.scaleSets.save(set);
  }
}

type Finish = (world: AzureState, set: ScaleSet, instance: Instance) => void;

/** Says that an instance is well, and what else has become of it. */
export function settle(world: AzureState, instance: Instance, change: Partial<Instance> = {}): void {
  Object.assign(instance, { state: "Succeeded", error: undefined, ...change });
  world.scaleSets.saveInstance(instance);
}

function notify(
  world: AzureState,
  set: ScaleSet,
  event: { instance: Instance; kind: InstanceEvent["kind"] },
): void {
  world.notify({ kind: event.kind, scaleSetId: set.id, instanceId: String(event.instance.id) });
}

const rebooted: Finish = (world, set, instance) => {
  settle(world, instance, { power: "running" });
  notify(world, set, { instance, kind: "stopped" });
  notify(world, set, { instance, kind: "started" });
};

const reimaged: Finish = (world, set, instance) => {
  world.disks.discard(diskKey(instance));
  settle(world, instance, { power: "running", image: modelOf(set, instance).image });
  notify(world, set, { instance, kind: "reimaged" });
};

/** What is true of an instance once the work is done. */
const FINISH: Readonly<Record<WorkKind, Finish>> = {
  create: (world, set, instance) => {
    settle(world, instance, { power: "running" });
    notify(world, set, { instance, kind: "booted" });
  },
  delete: removeInstance,
  manualupgrade: (world, set, instance) => {
    const isOtherImage = instance.image !== modelOf(set, instance).image;
    if (isOtherImage) reimaged(world, set, instance);
    else settle(world, instance);
    notify(world, set, { instance, kind: "modelApplied" });
  },
  reimage: reimaged,
  reimageall: reimaged,
  deallocate: (world, set, instance) => {
    settle(world, instance, { power: "deallocated" });
    notify(world, set, { instance, kind: "stopped" });
  },
  poweroff: (world, set, instance) => {
    settle(world, instance, { power: "stopped" });
    notify(world, set, { instance, kind: "stopped" });
  },
  start: (world, set, instance) => {
    settle(world, instance, { power: "running" });
    notify(world, set, { instance, kind: "started" });
  },
  restart: rebooted,
  redeploy: rebooted,
  put: (world, _set, instance) => settle(world, instance),
};

/** Takes an instance out of the world, with its addresses, cores and disk. */
export function removeInstance(world: AzureState, set: ScaleSet, instance: Instance): void {
  const model = modelOf(set, instance);
  for (const [index, configuration] of interfacesOf(model.profile).entries()) {
    const address = instance.addresses[index];
    if (address !== undefined) world.addresses.release(subnetIdOf(configuration) ?? "", address);
  }
  countModel(world, set, { model, instances: -1 });
  world.disks.discard(diskKey(instance));
  world.scaleSets.dropInstance(instance);
  notify(world, set, { instance, kind: "deleted" });
}

/** The name of the OS disk of an instance. */
export function diskKey({ set, id }: Instance): string {
  return `${set}/${id}`;
}

/** Whether an instance is what the newest model says. */
export function isLatest(set: ScaleSet, instance: Instance): boolean {
  return instance.model === set.modelVersion;
}
