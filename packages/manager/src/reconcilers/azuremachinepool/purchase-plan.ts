import type { AzureMachinePool, Frozen } from "@capstan/api";
import type { JsonObject } from "../../azure/port.ts";

type Image = Frozen<AzureMachinePool["spec"]["template"]["image"]>;

/** The plan by which an image is bought, in ARM's words for it; undefined for one that costs nothing. */
export function purchasePlan(image: Image | undefined): JsonObject | undefined {
  const { publisher, offer, sku } = offered(image) ?? {};
  // Half a plan is none, as with CAPZ; admission warns of it.
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
