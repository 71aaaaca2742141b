import { isJsonObject } from "@capstan/api";
import type { Clock } from "@capstan/env";
import type { Arm, JsonObject } from "../../azure/port.ts";

interface Known {
  readonly atMs: number;
  readonly zones: Promise<readonly string[] | undefined>;
}

// Regions rarely get a new zone; the list is long, and CAPZ caches it equally long.
const KEPT_FOR_MS = 24 * 60 * 60_000;

/** The zones of regions, requested once a day for all clusters. */
export class RegionZones {
  readonly #clock: Clock;
  readonly #known = new Map<string, Known>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The zones in which a region offers virtual machines, in order; undefined when it offers none. */
  async find(arm: Arm, subscriptionID: string, location: string): Promise<readonly string[] | undefined> {
    const key = `${subscriptionID}/${location}`.toLowerCase();
    const known = this.#known.get(key);
    const nowMs = this.#clock.monotonic();
    if (known && nowMs - known.atMs < KEPT_FOR_MS) return known.zones;
    const zones = read(arm, subscriptionID, location);
    this.#known.set(key, { atMs: nowMs, zones });
    zones.catch(() => this.#known.delete(key));
    return zones;
  }
}

async function read(
  arm: Arm,
  subscriptionID: string,
  location: string,
): Promise<readonly string[] | undefined> {
  const { items } = await arm.list(`/subscriptions/${subscriptionID}/providers/Microsoft.Compute/skus`, {
    query: { $filter: `location eq '${location}'` },
    priority: "normal",
    location,
  });
  if (items.length === 0) return undefined;
  return [...new Set(items.flatMap((sku) => zonesOf(sku, location)))].toSorted();
}

function zonesOf(sku: JsonObject, location: string): readonly string[] {
  if (sku["resourceType"] !== "virtualMachines" || !Array.isArray(sku["locationInfo"])) return [];
  return sku["locationInfo"].filter(isJsonObject).flatMap((info) => {
    const isHere = String(info["location"]).toLowerCase() === location;
    return isHere && Array.isArray(info["zones"]) ? info["zones"].map(String) : [];
  });
}
