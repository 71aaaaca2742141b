import { createRng, uuidFrom } from "@capstan/env";
import type { ErrorBody } from "../../arm/errors.ts";
import { keyOf } from "../../arm/target.ts";
import { type AzureState } from "../../core/azure-state.ts";
import { subnetIsFull } from "../network/addresses.ts";
import { subnetOf } from "../virtual-networks/subnet-lookup.ts";
import { countModel } from "./apply-model.ts";
import { imageNow } from "./boot-image.ts";
import { interfacesOf, subnetIdOf } from "./desired.ts";
import { type Instance, instanceMachineId, latestModel, type Model, type ScaleSet } from "./scale-sets.ts";
import { textAt, valueAt, type JsonObject } from "../../json.ts";

// Traffic showed eight instances for a capacity of five; more than twenty extra ones are not assumed.
const EXTRA_SHARE = 0.5;
const MAX_EXTRA = 20;

/** How many extra instances overprovisioning creates. */
export function extraInstances(properties: JsonObject, count: number): number {
  if (valueAt(properties, "overprovision") === false || count === 0) return 0;
  return Math.min(MAX_EXTRA, Math.ceil(count * EXTRA_SHARE));
}

/** Refuses to create more instances than the subnets have free addresses. */
export function checkAddresses(world: AzureState, model: Model, count: number): void {
  for (const configuration of interfacesOf(model.profile)) {
    const id = subnetIdOf(configuration) ?? "";
    const subnet = subnetOf(world, id);
    if (subnet && !world.addresses.hasRoom(id, subnet.range, count)) throw subnetIsFull(id, count);
  }
}

/** Creates instances from the newest model; they run once the work on them is done. */
export function addInstances(
  world: AzureState,
  set: ScaleSet,
  options: { count: number; zones: readonly string[] },
): Instance[] {
  const model = latestModel(set);
  const image = imageNow(world, set, model);
  const key = keyOf(set.id);
  const made: Instance[] = [];
  for (let index = 0; index < options.count; index++) {
    const id = set.nextInstanceId++;
    const zone = options.zones[id % Math.max(1, options.zones.length)];
    const instance: Instance = {
      machineId: instanceMachineId(key, id),
      set: key,
      id,
      vmId: uuidFrom(createRng(world.seed, `${set.uniqueId}/${id}/vmId`)),
      model: set.modelVersion,
      state: "Creating",
      power: "creating",
      createdMs: world.nowMs,
      changedMs: world.nowMs,
      flight: 0,
      image,
      addresses: takeAddresses(world, model),
      ...(zone !== undefined && { zone }),
    };
    made.push(instance);
    world.scaleSets.saveInstance(instance);
    world.notify({ kind: "created", machineId: instance.machineId });
  }
  countModel(world, set, { model, instances: options.count });
  return made;
}

function takeAddresses(world: AzureState, model: Model): number[] {
  return interfacesOf(model.profile).map((configuration) => {
    const id = subnetIdOf(configuration) ?? "";
    const subnet = subnetOf(world, id);
    return subnet ? world.addresses.take(id, subnet.range) : 0;
  });
}

/** All instances, when the image of their model does not exist any more. */
export function unbootable(
  problem: ErrorBody | undefined,
  instances: readonly Instance[],
): ReadonlyMap<number, ErrorBody> | undefined {
  return problem && new Map(instances.map((instance) => [instance.id, problem]));
}

/** The instances for which the region has no capacity: they are created, and fail. */
export function unallocated(instances: readonly Instance[], room: number): ReadonlyMap<number, ErrorBody> {
  return new Map(instances.slice(room).map((instance) => [instance.id, allocationFailed()]));
}

/** The error of a machine for which the region has no capacity. */
export function allocationFailed(): ErrorBody {
  return {
    code: "AllocationFailed",
    message:
      "Allocation failed. We do not have sufficient capacity for the requested VM size in this region. Read more about improving likelihood of allocation success at http://aka.ms/allocation-guidance",
  };
}

/**
 * The instances to delete when a set shrinks, by its scale-in policy; never a protected or extra one, or one that is being
 * deleted.
 */
export function victims(
  instances: Iterable<Instance>,
  count: number,
  policy: string | undefined,
): Instance[] {
  const candidates = [...instances].filter(
    (one) => one.state !== "Deleting" && one.isExtra !== true && !isProtected(one),
  );
  const oldestFirst = policy === "OldestVM";
  candidates.sort((a, b) => (oldestFirst ? a.id - b.id : b.id - a.id));
  // Failed instances first, then instances without a running operation.
  candidates.sort((a, b) => rank(a) - rank(b));
  return candidates.slice(0, count);
}

function rank({ state, operation }: Instance): number {
  if (state === "Failed") return 0;
  return operation === undefined ? 1 : 2;
}

function isProtected({ own }: Instance): boolean {
  return valueAt(own, "properties", "protectionPolicy", "protectFromScaleIn") === true;
}

/** The first rule of the scale-in policy of a set. */
export function scaleInPolicy(properties: JsonObject): string | undefined {
  const rules = valueAt(properties, "scaleInPolicy", "rules");
  return Array.isArray(rules) ? textAt({ rule: rules[0] as unknown }, "rule") : undefined;
}
