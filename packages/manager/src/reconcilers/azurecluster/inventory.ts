import type { Clock } from "@capstan/env";
import type { Arm, JsonObject } from "../../azure/port.ts";
import { normalizedId } from "../../azure/normalized-id.ts";

interface Flight {
  readonly atMs: number;
  readonly listing: Promise<ReadonlyMap<string, JsonObject>>;
}

// All clusters are looked at within seconds of each other; the first of them pays for the list.
const SHARED_FOR_MS = 60_000;

/** Who asks, for which collection of a subscription. */
export interface ListRequest {
  readonly arm: Arm;
  /** Whose eyes: another identity may see something else. */
  readonly identity: string;
  /** Such as `/subscriptions/…/providers/Microsoft.Network/virtualNetworks`. */
  readonly collection: string;
}

/**
 * Lists of whole subscriptions, shared by all clusters in them.
 *
 * A settled cluster has about ten resources: to read each of them every ten minutes would cost a thousand clusters
 * ten thousand requests, and the lists of their types cost about eighty. A list shows a resource as fully as a read
 * does but may be seconds behind, so that nothing is ever written on the word of a list alone.
 */
export class Inventory {
  readonly #clock: Clock;
  readonly #flights = new Map<string, Flight>();
  readonly #pages = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** All resources of a collection by folded id. */
  async list({ arm, identity, collection }: ListRequest): Promise<ReadonlyMap<string, JsonObject>> {
    const key = `${identity}\n${collection}`;
    const known = this.#flights.get(key);
    const nowMs = this.#clock.monotonic();
    if (known && nowMs - known.atMs < SHARED_FOR_MS) return known.listing;
    const flight: Flight = { atMs: nowMs, listing: this.#read(arm, collection, key) };
    this.#flights.set(key, flight);
    // Who waits is told; a list that failed must not be handed to those who come later.
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
