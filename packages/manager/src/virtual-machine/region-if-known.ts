import { type Arm, AzureError, type Region, type RegionSizes } from "@capstan/azure";

/** The offer of a region; undefined when Azure does not tell: a write is then judged by Azure itself. */
export async function regionIfKnown(
  sizes: RegionSizes,
  arm: Arm,
  { subscriptionID, location }: { readonly subscriptionID: string; readonly location: string },
): Promise<Region | undefined> {
  try {
    return await sizes.find(arm, subscriptionID, location);
  } catch (error) {
    if (error instanceof AzureError) return undefined;
    throw error;
  }
}
