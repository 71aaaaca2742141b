import { type Static, boolean, object, optional, string } from "../schema/schema.ts";
import { armIdType, foldCase, parseArmId } from "../values/arm-id.ts";
import { type FieldError, errorIf, forbidden, invalid, required } from "../values/field-error.ts";

const named = (description: string) => string(description, { minLength: 1 });

const ImagePlan = object("The purchase plan of the image.", {
  publisher: named("Who publishes the image."),
  offer: named("The group of images it belongs to."),
  sku: named("The variant within the offer."),
});

const MarketplaceImage = object("An image from the Azure Marketplace.", {
  publisher: named("Who publishes the image."),
  offer: named("The group of images it belongs to."),
  sku: named("The variant within the offer."),
  version: named("The version, or latest."),
  thirdPartyImage: optional(
    boolean("Whether a third party publishes the image, so that a purchase plan is sent.", {
      default: false,
    }),
  ),
});

const SharedGalleryImage = object("An image from a gallery, in the older form. Use computeGallery instead.", {
  subscriptionID: named("The subscription of the gallery."),
  resourceGroup: named("The resource group of the gallery."),
  gallery: named("The name of the gallery."),
  name: named("The name of the image definition."),
  version: named("The version, or latest."),
  publisher: optional(string("Publisher of the purchase plan, when the image has one.")),
  offer: optional(string("Offer of the purchase plan, when the image has one.")),
  sku: optional(string("Variant of the purchase plan, when the image has one.")),
});

const ComputeGalleryImage = object("An image from an Azure Compute Gallery.", {
  gallery: named("The name of the gallery, or its public name when it is a community gallery."),
  name: named("The name of the image definition."),
  version: named("The version, or latest."),
  subscriptionID: optional(string("The subscription of a private gallery; needs resourceGroup.")),
  resourceGroup: optional(string("The resource group of a private gallery; needs subscriptionID.")),
  plan: optional(ImagePlan),
});

/** The fields of an image; exactly one of them is set. */
export const imageFields = {
  id: optional(string("The ARM id of an image or of a gallery image version.")),
  marketplace: optional(MarketplaceImage),
  sharedGallery: optional(SharedGalleryImage),
  computeGallery: optional(ComputeGalleryImage),
};

const SOURCES = ["id", "marketplace", "sharedGallery", "computeGallery"] as const;
const ONE_SOURCE = "set exactly one of id, marketplace, sharedGallery and computeGallery";

/** The rule that exactly one source is set. */
export const oneImageSource = {
  rule: `[${SOURCES.map((source) => `has(self.${source})`).join(", ")}].filter(set, set).size() == 1`,
  message: ONE_SOURCE,
};

/** An image as a status reports it. */
export const Image = object("An operating system image.", imageFields);

/** An operating system image. */
export type Image = Static<typeof Image>;

/** Validates an image that a user chose. */
export function imageErrors(path: string, image: Image): readonly FieldError[] {
  const given = SOURCES.filter((source) => image[source] !== undefined);
  const [, second] = given;
  if (given.length === 0) {
    return [required(path, ONE_SOURCE)];
  }
  if (second !== undefined) {
    return [forbidden(`${path}.${second}`, `${given[0]} is set as well; ${ONE_SOURCE}`)];
  }
  return [
    ...errorIf(image.id === "", invalid(`${path}.id`, image.id, "must be the ARM id of an image")),
    ...computeGalleryErrors(`${path}.computeGallery`, image),
  ];
}

/** Whether an image is a version in a gallery, the only kind that node prototyping can renew. */
export function isGalleryImage(image: Image): boolean {
  if (image.computeGallery !== undefined || image.sharedGallery !== undefined) {
    return true;
  }
  return image.id !== undefined && isGalleryImageId(image.id);
}

function isGalleryImageId(id: string): boolean {
  try {
    return foldCase(armIdType(parseArmId(id)) ?? "").startsWith("microsoft.compute/galleries/images");
  } catch {
    return false;
  }
}

function computeGalleryErrors(path: string, image: Image): readonly FieldError[] {
  const { subscriptionID, resourceGroup } = image.computeGallery ?? {};
  if (subscriptionID !== undefined && resourceGroup === undefined) {
    return [required(`${path}.resourceGroup`, "a private gallery needs subscriptionID and resourceGroup")];
  }
  if (resourceGroup !== undefined && subscriptionID === undefined) {
    return [required(`${path}.subscriptionID`, "a private gallery needs subscriptionID and resourceGroup")];
  }
  return [];
}
