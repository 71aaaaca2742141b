import { ArmError } from "../../arm/errors.ts";
import { type JsonObject, objectAt, sameJson } from "../../json.ts";
import type { Instance, Model, ScaleSet } from "./scale-sets.ts";

// Compute keeps at most ten models for the instances of a set.
const MAX_MODELS = 10;

// Fields that callers write and Azure never returns.
const SECRETS = ["customData", "adminPassword"];

/** The profile to store: the written one, with the stored secrets, which a caller cannot read and so cannot send again. */
export function withKeptSecrets(profile: JsonObject, before: JsonObject | undefined): JsonObject {
  const kept = objectAt(before, "osProfile");
  const given = objectAt(profile, "osProfile");
  const osProfile: Record<string, unknown> = { ...given };
  for (const secret of SECRETS) {
    if (osProfile[secret] === undefined && kept[secret] !== undefined) osProfile[secret] = kept[secret];
  }
  return Object.keys(osProfile).length === 0 ? profile : { ...profile, osProfile };
}

/** Cached by profile: all instances of a model show the same one. */
const shownProfiles = new WeakMap<JsonObject, JsonObject>();

/** The profile without its secrets. */
export function withoutSecrets(profile: JsonObject): JsonObject {
  if (profile["osProfile"] === undefined) return profile;
  const known = shownProfiles.get(profile);
  if (known) return known;
  const osProfile: Record<string, unknown> = { ...objectAt(profile, "osProfile") };
  for (const secret of SECRETS) delete osProfile[secret];
  const shown = Object.freeze({ ...profile, osProfile: Object.freeze(osProfile) });
  shownProfiles.set(profile, shown);
  return shown;
}

/** Adds a model to the set if it differs from the newest. */
export function adoptModel(set: ScaleSet, model: Model, instances: Iterable<Instance>): boolean {
  const current = set.models[set.modelVersion];
  if (current && isSameModel(current, model)) return false;
  dropUnusedModels(set, instances);
  if (Object.keys(set.models).length >= MAX_MODELS) {
    throw new ArmError(409, {
      code: "OperationNotAllowed",
      message: `Virtual Machine Scale Set '${set.id.split("/").at(-1)}' has reached its limit of ${MAX_MODELS} models that may be referenced by one or more VMs belonging to the Virtual Machine Scale Set. Upgrade the VMs to the latest model of the Virtual Machine Scale Set before trying again.`,
    });
  }
  set.modelVersion += 1;
  set.models[set.modelVersion] = model;
  return true;
}

/** The image is what the reference in the profile resolved to: a newer latest version is not another model. */
function isSameModel({ image: _, ...one }: Model, { image: __, ...other }: Model): boolean {
  return sameJson(one, other);
}

function dropUnusedModels(set: ScaleSet, instances: Iterable<Instance>): void {
  const used = new Set<number>();
  for (const instance of instances) used.add(instance.model);
  for (const version of Object.keys(set.models).map(Number)) {
    if (!used.has(version) && version !== set.modelVersion) delete set.models[version];
  }
}
