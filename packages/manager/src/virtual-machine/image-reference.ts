import type { AzureMachineSpec, Frozen, JsonObject } from "@capstan/api";
import { digest } from "@capstan/azure";

type Image = Frozen<AzureMachineSpec["image"]>;

// Where Cluster API's Azure provider publishes its reference images.
const COMMUNITY_GALLERY = "ClusterAPI-f72ceb4f-5159-4c26-a0fe-2ea738f0d019";
const COMMUNITY_IMAGE = "capi-ubun2-2404";

/** The image in ARM's form; without one in the spec, the reference image of the Kubernetes version. */
export function imageReference(image: Image | undefined, version: string): JsonObject {
  if (image?.id !== undefined) return { id: image.id };
  if (image?.marketplace) {
    const { thirdPartyImage: _, ...reference } = image.marketplace;
    return reference;
  }
  if (image?.sharedGallery) return { id: galleryVersionID(image.sharedGallery) };
  return galleryReference(image?.computeGallery ?? referenceImage(version));
}

/** The image in the spec and the Kubernetes version, as a hash: prototypes are made for exactly these. */
export function baseKeyOf(image: Image | undefined, version: string): string {
  return digest({ image: imageReference(image, version), version });
}

type GalleryImage = NonNullable<NonNullable<Image>["computeGallery"]>;

function referenceImage(version: string): GalleryImage {
  return { gallery: COMMUNITY_GALLERY, name: COMMUNITY_IMAGE, version: version.replace(/^v/, "") };
}

/** A gallery without subscription and resource group is a public one. */
function galleryReference({
  gallery,
  name,
  version,
  subscriptionID,
  resourceGroup,
}: GalleryImage): JsonObject {
  if (subscriptionID !== undefined && resourceGroup !== undefined) {
    return { id: galleryVersionID({ subscriptionID, resourceGroup, gallery, name, version }) };
  }
  return { communityGalleryImageId: `/CommunityGalleries/${gallery}/Images/${name}/Versions/${version}` };
}

interface GalleryVersion {
  readonly subscriptionID: string;
  readonly resourceGroup: string;
  readonly gallery: string;
  readonly name: string;
  readonly version: string;
}

function galleryVersionID({ subscriptionID, resourceGroup, gallery, name, version }: GalleryVersion): string {
  return `/subscriptions/${subscriptionID}/resourceGroups/${resourceGroup}/providers/Microsoft.Compute/galleries/${gallery}/images/${name}/versions/${version}`;
}
