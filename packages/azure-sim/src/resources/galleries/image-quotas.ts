import { ArmError } from "../../arm/errors.ts";
import type { AzureState } from "../../core/azure-state.ts";
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
  readonly subscription?: string;
  readonly location: string;
  readonly type: string;
}

/** How many resources of a type a subscription has in a region. */
export function countIn(world: AzureState, { subscription = "", location, type }: Counted): number {
  const all = world.resources.in(`/subscriptions/${subscription}`, `${COMPUTE}/${type}`);
  return [...all].filter((one) => one.location === location).length;
}

/** Refuses a new resource beyond the limit. */
export function checkImageQuota(world: AzureState, counted: Counted): void {
  const quota = IMAGE_QUOTAS.find(({ type }) => type === counted.type);
  if (!quota) return;
  const { location } = counted;
  const limit = world.usage.limit(location, quota.name);
  if (countIn(world, counted) < limit) return;
  throw new ArmError(409, {
    code: "OperationNotAllowed",
    message: `The subscription has reached its limit of ${limit} ${quota.text.toLowerCase()} in region ${location}. Delete some, or request an increase of the quota.`,
  });
}
