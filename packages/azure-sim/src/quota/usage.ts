import { ArmError } from "../arm/errors.ts";
import type { VmSize } from "../resources/skus/vm-size.ts";
import { type AzureSettings, DEFAULT_CORE_LIMIT } from "../settings.ts";

/** The quota family of all cores together. */
export const ALL_CORES = "cores";

/** The quota family of spot cores. */
export const SPOT_CORES = "lowPriorityCores";

/** Azure's limits for images of a subscription in a region. */
const IMAGE_LIMITS: Readonly<Record<string, number>> = {
  galleries: 100,
  galleryImages: 1000,
  galleryImageVersions: 10_000,
};

/** Virtual machines to count: their size, their region and their number. */
export interface Demand {
  readonly subscription: string;
  readonly location: string;
  readonly size: string;
  readonly isSpot: boolean;
  readonly instances: number;
}

/** How many cores are in use and how many more machines fit, counted as machines are created and deleted. */
export class Usage {
  readonly #settings: AzureSettings;
  readonly #sizes = new Map<string, VmSize>();
  readonly #cores = new Map<string, number>();
  readonly #instances = new Map<string, number>();

  constructor(settings: AzureSettings) {
    this.#settings = settings;
    for (const size of settings.sizes) this.#sizes.set(size.name.toLowerCase(), size);
  }

  size(name: string): VmSize | undefined {
    return this.#sizes.get(name.toLowerCase());
  }

  used(subscription: string, location: string, family: string): number {
    return this.#cores.get(`${subscription}/${location}/${family}`.toLowerCase()) ?? 0;
  }

  limit(location: string, family: string): number {
    const quota = this.#settings.quotas.find((one) => one.location === location && one.family === family);
    return quota?.limit ?? IMAGE_LIMITS[family] ?? DEFAULT_CORE_LIMIT;
  }

  /** Counts machines, or uncounts them when the number is negative. */
  count(demand: Demand): void {
    const { subscription, location, instances } = demand;
    const size = this.size(demand.size);
    if (!size || instances === 0) return;
    for (const family of familiesOf(size, demand.isSpot)) {
      bump(this.#cores, `${subscription}/${location}/${family}`, instances * size.cores);
    }
    this.place(demand);
  }

  /** Gives machines their place on hardware, or takes it back: a deallocated machine keeps its cores of the quota alone. */
  place({ location, size, instances }: Pick<Demand, "location" | "size" | "instances">): void {
    bump(this.#instances, `${location}/${size}`, instances);
  }

  /** Refuses what would exceed a quota, in Compute's words. */
  checkQuota({ subscription, location, size: name, isSpot, instances }: Demand): void {
    const size = this.size(name);
    if (!size || instances <= 0) return;
    for (const family of familiesOf(size, isSpot)) {
      const used = this.used(subscription, location, family);
      const limit = this.limit(location, family);
      const wanted = instances * size.cores;
      if (used + wanted > limit) throw quotaExceeded({ family, location, used, limit, wanted });
    }
  }

  /** How many of the requested machines fit into the region. */
  room({ location, size, instances }: Demand): number {
    const capacity = this.#settings.capacities.find(
      (one) => one.location === location && one.size.toLowerCase() === size.toLowerCase(),
    );
    if (!capacity) return instances;
    const taken = this.#instances.get(`${location}/${size}`.toLowerCase()) ?? 0;
    return Math.max(0, Math.min(instances, capacity.instances - taken));
  }
}

function familiesOf({ family }: VmSize, isSpot: boolean): readonly string[] {
  return isSpot ? [SPOT_CORES] : [family, ALL_CORES];
}

function bump(counts: Map<string, number>, name: string, by: number): void {
  const key = name.toLowerCase();
  counts.set(key, (counts.get(key) ?? 0) + by);
}

function quotaExceeded(facts: {
  readonly family: string;
  readonly location: string;
  readonly used: number;
  readonly limit: number;
  readonly wanted: number;
}): ArmError {
  const { family, location, used, limit, wanted } = facts;
  const name = family === ALL_CORES ? "Total Regional" : family === SPOT_CORES ? "LowPriorityCores" : family;
  const message =
    `Operation could not be completed as it results in exceeding approved ${name} Cores quota. ` +
    `Additional details - Deployment Model: Resource Manager, Location: ${location}, Current Limit: ${limit}, ` +
    `Current Usage: ${used}, Additional Required: ${wanted}, (Minimum) New Limit Required: ${used + wanted}. ` +
    "Please read more about quota limits at https://docs.microsoft.com/en-us/azure/azure-supportability/per-vm-quota-requests";
  return new ArmError(409, {
    code: "OperationNotAllowed",
    message,
    details: [{ code: "QuotaExceeded", message }],
  });
}
