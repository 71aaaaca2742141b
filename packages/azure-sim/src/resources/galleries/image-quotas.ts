import { ArmError } from "../../arm/errors.ts";
import type { AzureState } from "../../core/azure-state.ts";
import type { Call } from "../../core/call.ts";
import { COMPUTE } from "../compute/compute-write.ts";

/** A limit of a subscription in a region, by the type of the resources that count. */
interface ImageQuota {
  readonly name: string;
  readonly text: string;
  readonly type: string;
}

/** The limits for galleries and what is in them. */
export const IMAGE_QUOTAS: readonly ImageQuota[] = [
  { name: "galleries", text: "Galleries", type: "galleries" },
  { name: "galleryImages", text: "Gallery Images", type: "galleries/images" },
  { name: "galleryImageVersions", text: "Gallery Image Versions", type: "galleries/images/versions" },
];

interface Counted {
  readonly subscription: string;
  readonly location: string;
  readonly type: string;
}

/** How many resources of a type a subscription has in a region. */
export function countIn(world: AzureState, { subscription, location, type }: Counted): number {
  const all = world.resources.in(`/subscriptions/${subscription}`, `${COMPUTE}/${type}`);
  return [...all].filter((one) => one.location === location).length;
}

/** Refuses a new resource beyond the limit. */
export function checkImageQuota(call: Call, world: AzureState, type: string, location: string): void {
  const quota = IMAGE_QUOTAS.find((one) => one.type === type);
  const { subscription = "" } = call.target;
  if (!quota) return;
  const limit = world.usage.limit(location, quota.name);
  if (countIn(world, { subscription, location, type }) < limit) return;
  throw new ArmError(409, {
    code: "OperationNotAllowed",
    message: `The subscription has reached its limit of ${limit} ${quota.text.toLowerCase()} in region ${location}. Delete some, or request an increase of the quota.`,
  });
}
