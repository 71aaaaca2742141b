import { ArmError, type ErrorBody } from "../../arm/errors.ts";
import type { AzureState } from "../../core/azure-state.ts";
import { objectAt, textAt } from "../../json.ts";
import { exactName } from "../images/image.ts";
import type { Model, ScaleSet } from "./scale-sets.ts";

/**
 * The exact name of the image that a new instance gets. A model that names a definition, or the version `latest`, gets the
 * latest version of this moment.
 */
export function imageNow(world: AzureState, set: ScaleSet, model: Model): string {
  if (isPinned(model)) return model.image;
  try {
    return exactName(world.images.resolve(referenceOf(model), set.location));
  } catch (error) {
    // The instance fails to be created; what it would have booted from does not matter.
    if (error instanceof ArmError) return model.image;
    throw error;
  }
}

/** Why no instance can be created from a model: its image does not exist any more. */
export function imageProblem(world: AzureState, set: ScaleSet, model: Model): ErrorBody | undefined {
  try {
    world.images.resolve(referenceOf(model), set.location);
    return undefined;
  } catch (error) {
    if (error instanceof ArmError) return error.error;
    throw error;
  }
}

/** Whether an instance with this image needs a new OS disk for the model: a newer latest version alone is no reason. */
export function isOtherImage(model: Model, image: string): boolean {
  if (isPinned(model)) return image !== model.image;
  return definitionOf(image) !== definitionOf(model.image);
}

function referenceOf({ profile }: Model) {
  return objectAt(profile, "storageProfile", "imageReference");
}

function isPinned(model: Model): boolean {
  const reference = referenceOf(model);
  const id = ["id", "communityGalleryImageId", "sharedGalleryImageId"]
    .map((field) => textAt(reference, field))
    .find((one) => one !== undefined);
  const version = id === undefined ? textAt(reference, "version") : id.split(/\/versions\//i)[1];
  // A managed image has no versions.
  if (id !== undefined && /\/images\/[^/]+$/i.test(id) && !/galleries\//i.test(id)) return true;
  return version !== undefined && version.toLowerCase() !== "latest";
}

function definitionOf(image: string): string {
  return image.toLowerCase().replace(/(\/versions\/|:)[^/:]*$/, "");
}
