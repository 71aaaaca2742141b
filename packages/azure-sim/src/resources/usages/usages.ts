import { reply } from "../../arm/answer.ts";
import { ALL_CORES, SPOT_CORES } from "../../quota/usage.ts";
import { countIn, IMAGE_QUOTAS } from "../galleries/image-quotas.ts";
import type { ResourceType } from "../resource-type.ts";

const NAMES: Readonly<Record<string, string>> = {
  [ALL_CORES]: "Total Regional vCPUs",
  [SPOT_CORES]: "Total Regional Low-priority vCPUs",
};

/** How much of each quota is used in a region. */
export const usages: ResourceType = {
  provider: "Microsoft.Compute",
  type: "locations/usages",
  isInSubscription: true,
  list: (call, world) => {
    const { subscription = "", names } = call.target;
    const location = (names[0] ?? "").toLowerCase();
    const families = new Set([ALL_CORES, SPOT_CORES, ...world.settings.sizes.map((size) => size.family)]);
    const cores = [...families].map((family) => ({
      unit: "Count",
      currentValue: world.usage.used(subscription, location, family),
      limit: world.usage.limit(location, family),
      name: { value: family, localizedValue: NAMES[family] ?? `${family} vCPUs` },
    }));
    const images = IMAGE_QUOTAS.map(({ name, text, type }) => ({
      unit: "Count",
      currentValue: countIn(world, { subscription, location, type }),
      limit: world.usage.limit(location, name),
      name: { value: name, localizedValue: text },
    }));
    return reply(200, { value: [...cores, ...images] });
  },
};
