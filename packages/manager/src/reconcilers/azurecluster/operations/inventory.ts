import type { Clock } from "@capstan/env";
import { type Arm, normalizedId } from "@capstan/azure";
import type { JsonObject } from "@capstan/api";

interface Flight {
  readonly atMs: number;
  readonly listing: Promise<ReadonlyMap<string, JsonObject>>;
}

// All clusters are read within seconds of each other; the first one fetches the list.
const SHARED_FOR_MS = 60_000;

/** A collection of a subscription, and the identity that lists it. */
export interface ListRequest {
  readonly arm: Arm;
  /** The identity that lists; another identity may see other resources. */
  readonly identity: string;
  /** Such as `/subscriptions/…/providers/Microsoft.Network/virtualNetworks`. */
  readonly collection: string;
}

/**
 * Lists of whole subscriptions, shared by all clusters in them.
 *
 * A settled cluster has about ten resources. Reading each of them every ten minutes takes ten thousand requests for a
 * thousand clusters; listing their types takes about eighty. A list shows a resource as completely as a read, but may be
 * seconds old, so a write never relies on a list alone.
 */
export class Inventory {
  readonly #clock: Clock;
  readonly #flights = new Map<string, Flight>();
  readonly #pages = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** All resources of a collection by normalized id. */
  async list({ arm, identity, collection }: ListRequest): Promise<ReadonlyMap<string, JsonObject>> {
    const key = `${identity}\n${collection}`;
    const known = this.#flights.get(key);
    const nowMs = this.#clock.monotonic();
    if (known && nowMs - known.atMs < SHARED_FOR_MS) return known.listing;
    const flight: Flight = { atMs: nowMs, listing: this.#read(arm, collection, key) };
    this.#flights.set(key, flight);
    // The current callers get the error; later callers must not get a failed list.
    flight.listing.catch(() => {
      if (this.#flights.get(key) === flight) this.#flights.delete(key);
    });
    return flight.listing;
  }

  async #read(arm: Arm, collection: string, key: string): Promise<ReadonlyMap<string, JsonObject>> {
    const expected = this.#pages.get(key);
    const { items, pages } = await arm.list(collection, expected === undefined ? {} : { pages: expected });
    this.#pages.set(key, pages);
    return new Map(items.map((item) => [normalizedId(String(item["id"])), item]));
  }
}
