import { isJsonObject, type JsonObject } from "@capstan/api";
import type { Clock } from "@capstan/env";
import type { Arm } from "./port.ts";

/** What Azure's list of sizes says about one size, by capability: `vCPUs`, `MemoryGB` and others. */
export type SizeCapabilities = ReadonlyMap<string, string>;

/** The virtual machines that a region offers. */
export interface Region {
  /** The zones in which it offers virtual machines, in order. */
  readonly zones: readonly string[];
  /** The sizes, by their names in lower case. */
  readonly sizes: ReadonlyMap<string, OfferedSize>;
}

/** A size in a region. */
export interface OfferedSize {
  readonly capabilities: SizeCapabilities;
  /** The zones in which the subscription may use it. */
  readonly zones: readonly string[];
  /** Those of them in which it takes ultra disks. */
  readonly ultraDiskZones: readonly string[];
  /** The quota that counts its cores, such as standardDSv3Family. */
  readonly quotaName?: string;
  /** Whether the subscription may not use it anywhere in the region. */
  readonly isRestricted?: boolean;
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
    sizes: new Map(machines.map((sku) => [String(sku["name"]).toLowerCase(), offeredSize(sku, location)])),
  };
}

function offeredSize(sku: JsonObject, location: string): OfferedSize {
  const restricted = new Set(objectsIn(sku["restrictions"]).flatMap(restrictedZonesOf));
  const zones = zonesOf(sku, location).filter((zone) => !restricted.has(zone));
  const details = placesOf(sku, location).flatMap((place) => objectsIn(place["zoneDetails"]));
  const ultra = new Set(details.filter(takesUltraDisks).flatMap(({ name, Name }) => textsIn(name ?? Name)));
  return {
    capabilities: capabilitiesOf(sku),
    zones,
    ultraDiskZones: zones.filter((zone) => ultra.has(zone)),
    ...(typeof sku["family"] === "string" && { quotaName: sku["family"] }),
    ...(objectsIn(sku["restrictions"]).some(({ type }) => type === "Location") && { isRestricted: true }),
  };
}

function placesOf(sku: JsonObject, location: string): readonly JsonObject[] {
  return objectsIn(sku["locationInfo"]).filter(
    (info) => String(info["location"]).toLowerCase() === location.toLowerCase(),
  );
}

function zonesOf(sku: JsonObject, location: string): readonly string[] {
  return placesOf(sku, location).flatMap(({ zones }) => textsIn(zones));
}

/** Zones of the region that the subscription may not use with the size. */
function restrictedZonesOf({ type, restrictionInfo }: JsonObject): readonly string[] {
  return type === "Zone" && isJsonObject(restrictionInfo) ? textsIn(restrictionInfo["zones"]) : [];
}

function takesUltraDisks(detail: JsonObject): boolean {
  return capabilitiesOf(detail).get("UltraSSDAvailable") === "True";
}

function capabilitiesOf(sku: JsonObject): SizeCapabilities {
  return new Map(objectsIn(sku["capabilities"]).map(({ name, value }) => [String(name), String(value)]));
}

function textsIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

function objectsIn(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}
