import type { Clock } from "@capstan/env";
import { normalizedId } from "../normalized-id.ts";
import type { Arm, CallPriority } from "../port.ts";
import type { ScaleSetInstance } from "./instance.ts";
import { InstanceReader, type ReadInstances } from "./instance-reader.ts";

/** How fresh a list has to be. */
export interface FreshnessOptions {
  /** A list that is at most so old will do. */
  readonly maxAgeMs: number;
  readonly location?: string;
  /** How many instances the set should have, where it has not been listed before. */
  readonly expected?: number;
  /** A sweep unless told: what is about to be acted on may not wait as long. */
  readonly priority?: CallPriority;
}

/** A list with the moment it was asked for. */
interface Snapshot {
  readonly atMs: number;
  readonly instances: readonly ScaleSetInstance[];
}

interface Entry {
  snapshot?: Snapshot;
  /** The last list that came, which may have been forgotten since. */
  known?: ReadInstances;
  /** What the last list cost, and the next is going to. */
  cost?: { readonly instances: number; readonly pages: number };
  flight?: { readonly startedMs: number; readonly result: Promise<Snapshot> };
}

// More scale sets than a subscription may have in a region; beyond it the one not asked for longest is forgotten.
const MOST_SETS = 2500;

// How many instances a page has, where no list has told yet.
const USUAL_PAGE = 100;

/**
 * The instances of scale sets, one list for all who ask: a list costs a token an instance, and there are not
 * enough of them for every controller to have its own.
 */
export class ScaleSetInstances {
  readonly #arm: Pick<Arm, "list">;
  readonly #clock: Clock;
  readonly #entries = new Map<string, Entry>();

  constructor(arm: Pick<Arm, "list">, clock: Clock) {
    this.#arm = arm;
    this.#clock = clock;
  }

  /** All instances of a set, from a list that is fresh enough. */
  async list(scaleSetID: string, options: FreshnessOptions): Promise<readonly ScaleSetInstance[]> {
    const entry = this.#entry(scaleSetID);
    const oldestMs = this.#clock.monotonic() - options.maxAgeMs;
    if (entry.snapshot && entry.snapshot.atMs >= oldestMs) return entry.snapshot.instances;
    // A flight that set out early enough sees everything that its newest passenger wants to see.
    const flight = entry.flight && entry.flight.startedMs >= oldestMs ? entry.flight : undefined;
    return (await (flight?.result ?? this.#fly(scaleSetID, entry, options))).instances;
  }

  /** After a write to the set: what was listed before it no longer counts. */
  forget(scaleSetID: string): void {
    const entry = this.#entries.get(normalizedId(scaleSetID));
    delete entry?.snapshot;
    delete entry?.flight;
  }

  #fly(scaleSetID: string, entry: Entry, options: FreshnessOptions): Promise<Snapshot> {
    const startedMs = this.#clock.monotonic();
    const result = this.#read(scaleSetID, entry, options).then((read): Snapshot => {
      entry.known = read;
      return { atMs: startedMs, instances: read.instances };
    });
    const flight = { startedMs, result };
    entry.flight = flight;
    const land = (snapshot?: Snapshot): void => {
      // Somebody has forgotten this flight, or a newer one is on its way.
      if (entry.flight !== flight) return;
      delete entry.flight;
      if (snapshot) entry.snapshot = snapshot;
    };
    return result.then(
      (snapshot) => {
        land(snapshot);
        return snapshot;
      },
      (error: unknown) => {
        land();
        throw error;
      },
    );
  }

  async #read(scaleSetID: string, entry: Entry, options: FreshnessOptions): Promise<ReadInstances> {
    const { location, priority } = options;
    const expected = Math.max(entry.cost?.instances ?? 0, options.expected ?? 0);
    const reader = new InstanceReader(entry.known);
    const { pages } = await this.#arm.list(`${scaleSetID}/virtualMachines`, {
      query: { $expand: "instanceView" },
      instances: expected,
      pages: entry.cost?.pages ?? Math.ceil(expected / USUAL_PAGE),
      reader,
      ...(location !== undefined && { location }),
      ...(priority !== undefined && { priority }),
    });
    const read = reader.end();
    entry.cost = { instances: read.items, pages };
    return read;
  }

  #entry(scaleSetID: string): Entry {
    const key = normalizedId(scaleSetID);
    const entry = this.#entries.get(key) ?? {};
    // Taken out and put back, it is the newest in the order of the map.
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    if (this.#entries.size > MOST_SETS) this.#entries.delete(this.#entries.keys().next().value ?? key);
    return entry;
  }
}
