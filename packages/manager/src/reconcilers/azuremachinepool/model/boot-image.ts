import {
  type AzureMachinePool,
  baseImageOf,
  type Frozen,
  isJsonObject,
  isTrue,
  nodePrototypingOf,
  sameArmId,
} from "@capstan/api";
import type { Editable } from "@capstan/runtime";
import { type BootImage, bootImageOf, type PoolView, type Tags } from "@capstan/plan";
import { baseKeyOf } from "../../../virtual-machine/image-reference.ts";
import type { ObservedSet } from "./body.ts";
import type { NormalScope } from "../scope.ts";
import type { ScaleSetModel } from "./model.ts";

/** Tags of a scale set: the image definition that its machines boot from, and the image that it was made for. */
const PROTOTYPE_TAG = "capstan_prototype";
const BASE_TAG = "capstan_prototype-base";

/** The prototype that new machines boot from; undefined for the image in the spec. */
function bootImage(scope: NormalScope, tags: Tags): BootImage | undefined {
  const { pool, owners, shared } = scope;
  const isOn = shared.ports.features.NodePrototyping && nodePrototypingOf(pool) !== undefined;
  const tagged = tags[PROTOTYPE_TAG] ? { id: tags[PROTOTYPE_TAG], base: tags[BASE_TAG] ?? "" } : undefined;
  return bootImageOf({
    isOn: isOn && !isUpdatingInPlace(scope),
    record: pool.status?.nodePrototyping,
    base: baseKeyOf(baseImageOf(pool), owners.machinePool.spec.template.spec.version ?? ""),
    tagged,
  });
}

/**
 * Whether machines are being updated in place. They are re-imaged then, and a donor that boots from its own image would not
 * be told apart from itself: it would keep its old identity and fail to join.
 */
function isUpdatingInPlace({ pool, desired }: NormalScope): boolean {
  if (pool.spec.strategy?.rollingUpdate?.instanceUpdate !== "InPlace") return false;
  const { modelHash, conditions } = pool.status ?? {};
  const isCurrent = modelHash !== undefined && desired.hash.names.has(modelHash);
  return !isCurrent || !isTrue(conditions, "ScaleSetModelUpdated");
}

/** The model as it is sent. The prototype is not part of the hash: machines from the image in the spec stay up to date. */
export function modelToSend(scope: NormalScope, set: ObservedSet | undefined): ScaleSetModel {
  const { model } = scope.desired;
  const image = bootImage(scope, set?.tags ?? {});
  if (!image) return model;
  const { storageProfile } = model.profile;
  const profile = {
    ...model.profile,
    storageProfile: { ...(isJsonObject(storageProfile) && storageProfile), imageReference: { id: image.id } },
  };
  return { ...model, profile };
}

/** The image that new machines should boot from, for the planner. */
export function bootImageView(scope: NormalScope, set: ObservedSet): NonNullable<PoolView["bootImage"]> {
  const { storageProfile } = modelToSend(scope, set).profile;
  const desired = isJsonObject(storageProfile) ? storageProfile["imageReference"] : undefined;
  return {
    isInUse: !isJsonObject(desired) || isSameImage(desired, set.imageReference),
    definition: bootImage(scope, set.tags)?.id.split("/").at(-1),
  };
}

/** Azure adds fields to a reference, such as the exact version. */
function isSameImage(
  desired: Readonly<Record<string, unknown>>,
  observed: Readonly<Record<string, unknown>>,
): boolean {
  return Object.entries(desired).every(
    ([field, value]) => String(value).toLowerCase() === String(observed[field]).toLowerCase(),
  );
}

/** The tags about the prototype; empty ones replace those of a prototype that is not used any more. */
export function prototypeTags(scope: NormalScope, observed: Tags): Tags {
  const image = bootImage(scope, observed);
  if (image) return { [PROTOTYPE_TAG]: image.id, [BASE_TAG]: image.base };
  return observed[PROTOTYPE_TAG] ? { [PROTOTYPE_TAG]: "", [BASE_TAG]: "" } : {};
}

/** The image that new machines boot from, for the status. */
export function reportedImage(
  pool: Frozen<AzureMachinePool> | Editable<AzureMachinePool>,
  { imageReference, tags }: ObservedSet,
): NonNullable<NonNullable<AzureMachinePool["status"]>["image"]> | undefined {
  const { id } = imageReference;
  // The tag is written with the image: the record may have given the prototype up already.
  const known = [pool.status?.nodePrototyping?.bootImage?.id, tags[PROTOTYPE_TAG]];
  const prototype = known.find((one) => typeof id === "string" && one !== undefined && sameArmId(id, one));
  if (prototype !== undefined) return { id: prototype };
  return baseImageOf(pool);
}
