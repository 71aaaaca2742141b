import type { ErrorBody } from "../../arm/errors.ts";
import type { Effect, AzureState } from "../../core/azure-state.ts";
import type { JsonObject } from "../../json.ts";
import type { MachineEvent } from "../../machines/machine-events.ts";
import { countModel } from "./apply-model.ts";
import { imageNow, isOtherImage } from "./boot-image.ts";
import { interfacesOf, subnetIdOf } from "./desired.ts";
import { modelOf, type Instance, type ScaleSet } from "./scale-sets.ts";
import type { WorkKind } from "./work.ts";

/** The effect that removes what belongs to a machine that is gone. */
export const MACHINE_REMOVED = "machine.removed";

interface Done {
  readonly set: string;
  readonly uniqueId: string;
  readonly id: number;
  readonly flight: number;
  readonly kind: WorkKind;
  readonly error?: ErrorBody;
}

/** Ends a piece of work on one instance, unless newer work has started on it. */
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
  // An instance that could not be deleted still exists, and counts again.
  if (kind === "delete" && instance.isExtra !== true) {
    set.capacity += 1;
    world.scaleSets.save(set);
  }
}

type Finish = (world: AzureState, set: ScaleSet, instance: Instance) => void;

/** Marks an instance as succeeded, with other changes. */
export function settle(world: AzureState, instance: Instance, change: Partial<Instance> = {}): void {
  Object.assign(instance, { state: "Succeeded", error: undefined, ...change });
  world.scaleSets.saveInstance(instance);
}

/** Marks an instance as succeeded and powered on. */
function powerOn(world: AzureState, instance: Instance, change: Partial<Instance> = {}): void {
  settle(world, instance, { power: "running", starts: (instance.starts ?? 0) + 1, ...change });
}

function notify(world: AzureState, { machineId }: Instance, kind: MachineEvent["kind"]): void {
  world.notify({ kind, machineId });
}

const rebooted: Finish = (world, _set, instance) => {
  powerOn(world, instance);
  notify(world, instance, "stopped");
  notify(world, instance, "started");
};

const reimaged: Finish = (world, set, instance) => {
  world.disks.discard(instance.machineId);
  powerOn(world, instance, { image: imageNow(world, set, modelOf(set, instance)) });
  notify(world, instance, "reimaged");
};

/** What each kind of work changes on an instance at its end. */
const FINISH: Readonly<Record<WorkKind, Finish>> = {
  create: (world, _set, instance) => {
    powerOn(world, instance);
    notify(world, instance, "booted");
  },
  delete: removeInstance,
  manualupgrade: (world, set, instance) => {
    if (isOtherImage(modelOf(set, instance), instance.image)) reimaged(world, set, instance);
    else settle(world, instance);
    notify(world, instance, "modelApplied");
  },
  reimage: reimaged,
  reimageall: reimaged,
  deallocate: (world, _set, instance) => {
    settle(world, instance, { power: "deallocated" });
    notify(world, instance, "stopped");
  },
  poweroff: (world, _set, instance) => {
    settle(world, instance, { power: "stopped" });
    notify(world, instance, "stopped");
  },
  start: (world, _set, instance) => {
    powerOn(world, instance);
    notify(world, instance, "started");
  },
  restart: rebooted,
  redeploy: rebooted,
  put: (world, _set, instance) => settle(world, instance),
};

/** Removes an instance with its addresses, cores and disk. */
export function removeInstance(world: AzureState, set: ScaleSet, instance: Instance): void {
  const model = modelOf(set, instance);
  for (const [index, configuration] of interfacesOf(model.profile).entries()) {
    const address = instance.addresses[index];
    if (address !== undefined) world.addresses.release(subnetIdOf(configuration) ?? "", address);
  }
  countModel(world, set, { model, instances: -1 });
  world.disks.discard(instance.machineId);
  world.scaleSets.dropInstance(instance);
  world.effects.get(MACHINE_REMOVED)?.(world, { machineId: instance.machineId });
  notify(world, instance, "deleted");
}

/** Whether an instance has the newest model. */
export function isLatest(set: ScaleSet, instance: Instance): boolean {
  return instance.model === set.modelVersion;
}
