import { isJsonObject, type JsonObject } from "@capstan/api";
import type { Clock } from "@capstan/env";
import type { Arm } from "./port.ts";

/** What Azure's list of sizes says about one size, by capability: `vCPUs`, `MemoryGB` and others. */
export type SizeCapabilities = ReadonlyMap<string, string>;

/** The virtual machines that a region offers. */
export interface Region {
  /** The zones in which it offers virtual machines, in order. */
  readonly zones: readonly string[];
  /** The capabilities of each size, by its name in lower case. */
  readonly sizes: ReadonlyMap<string, SizeCapabilities>;
}

interface Known {
  readonly atMs: number;
  readonly region: Promise<Region | undefined>;
}

// Regions rarely get a new zone or size; the list is long, and CAPZ caches it equally long.
const KEPT_FOR_MS = 24 * 60 * 60_000;

/** The sizes and zones of regions, requested once a day for all clusters. */
export class RegionSizes {
  readonly #clock: Clock;
  readonly #known = new Map<string, Known>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The offer of a region; undefined when it has no virtual machines, or is none. */
  async find(arm: Arm, subscriptionID: string, location: string): Promise<Region | undefined> {
    const key = `${subscriptionID}/${location}`.toLowerCase();
    const known = this.#known.get(key);
    const nowMs = this.#clock.monotonic();
    if (known && nowMs - known.atMs < KEPT_FOR_MS) return known.region;
    const region = read(arm, subscriptionID, location);
    this.#known.set(key, { atMs: nowMs, region });
    region.catch(() => this.#known.delete(key));
    return region;
  }
}

async function read(arm: Arm, subscriptionID: string, location: string): Promise<Region | undefined> {
  const { items } = await arm.list(`/subscriptions/${subscriptionID}/providers/Microsoft.Compute/skus`, {
    query: { $filter: `location eq '${location}'` },
    priority: "normal",
    location,
  });
  if (items.length === 0) return undefined;
  const machines = items.filter((sku) => sku["resourceType"] === "virtualMachines");
  return {
    zones: [...new Set(machines.flatMap((sku) => zonesOf(sku, location)))].toSorted(),
    sizes: new Map(machines.map((sku) => [String(sku["name"]).toLowerCase(), capabilitiesOf(sku)])),
  };
}

function zonesOf(sku: JsonObject, location: string): readonly string[] {
  return objectsIn(sku["locationInfo"]).flatMap((info) => {
    const isHere = String(info["location"]).toLowerCase() === location;
    return isHere && Array.isArray(info["zones"]) ? info["zones"].map(String) : [];
  });
}

function capabilitiesOf(sku: JsonObject): SizeCapabilities {
  return new Map(objectsIn(sku["capabilities"]).map(({ name, value }) => [String(name), String(value)]));
}

function objectsIn(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}
