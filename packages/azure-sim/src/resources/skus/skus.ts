import { ArmError } from "../../arm/errors.ts";
import { listAnswer, pageOf } from "../../arm/paging.ts";
import type { ResourceType } from "../resource-type.ts";
import type { VmSize } from "./vm-size.ts";

const PAGE = 1000;

function skuBody(size: VmSize, location: string): unknown {
  return {
    resourceType: "virtualMachines",
    name: size.name,
    tier: "Standard",
    size: size.name.replace(/^Standard_/, ""),
    family: size.family,
    locations: [location],
    locationInfo: [{ location, zones: size.zones ?? [], zoneDetails: zoneDetailsOf(size) }],
    capabilities: [
      { name: "vCPUs", value: String(size.cores) },
      { name: "MemoryGB", value: String(size.memoryGB) },
      { name: "MaxResourceVolumeMB", value: String((size.tempDiskGB ?? 0) * 1024) },
      { name: "CpuArchitectureType", value: size.architecture ?? "x64" },
      ...(size.diskControllers
        ? [{ name: "DiskControllerTypes", value: size.diskControllers.join(", ") }]
        : []),
      { name: "PremiumIO", value: "True" },
      { name: "AcceleratedNetworkingEnabled", value: "True" },
      { name: "LowPriorityCapable", value: "True" },
      { name: "HyperVGenerations", value: (size.generations ?? ["V1", "V2"]).join(",") },
      { name: "EphemeralOSDiskSupported", value: "True" },
    ],
    restrictions: [],
  };
}

function zoneDetailsOf({ ultraDiskZones = [] }: VmSize): readonly unknown[] {
  if (ultraDiskZones.length === 0) return [];
  return [{ name: ultraDiskZones, capabilities: [{ name: "UltraSSDAvailable", value: "True" }] }];
}

/** The resource skus: the sizes of each region. */
export const skus: ResourceType = {
  provider: "Microsoft.Compute",
  type: "skus",
  isInSubscription: true,
  list: (call, world) => {
    const filter = call.query.get("$filter");
    const wanted = filter === null ? undefined : /^location eq '([^']+)'$/i.exec(filter)?.[1];
    if (filter !== null && wanted === undefined) {
      throw new ArmError(400, {
        code: "InvalidParameter",
        message: `The filter '${filter}' is not supported; use location eq 'REGION'.`,
        target: "$filter",
      });
    }
    const regions = world.settings.regions.filter(
      (one) => wanted === undefined || one === wanted.toLowerCase(),
    );
    const all = regions.flatMap((location) =>
      world.settings.sizes
        .filter((size) => size.regions === undefined || size.regions.includes(location))
        .map((size) => skuBody(size, location)),
    );
    const page = pageOf(all, call.query, PAGE);
    return listAnswer(page.items, page.nextSkip, call);
  },
};
