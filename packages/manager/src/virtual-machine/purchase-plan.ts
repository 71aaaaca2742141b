import type { AzureMachineSpec, Frozen, JsonObject } from "@capstan/api";

type Image = Frozen<AzureMachineSpec["image"]>;

/** The purchase plan of a marketplace image, in ARM's form; undefined for a free image. */
export function purchasePlan(image: Image | undefined): JsonObject | undefined {
  const { publisher, offer, sku } = offered(image) ?? {};
  // An incomplete plan is ignored, as in CAPZ; admission warns about it.
  return publisher && offer && sku ? { name: sku, publisher, product: offer } : undefined;
}

interface Offered {
  readonly publisher?: string;
  readonly offer?: string;
  readonly sku?: string;
}

function offered(image: Image | undefined): Offered | undefined {
  const { marketplace, sharedGallery, computeGallery } = image ?? {};
  if (marketplace) return marketplace.thirdPartyImage === true ? marketplace : undefined;
  return sharedGallery ?? computeGallery?.plan;
}
