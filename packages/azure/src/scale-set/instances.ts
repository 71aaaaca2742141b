import type { Clock } from "@capstan/env";
import { normalizedId } from "../normalized-id.ts";
import type { Arm, CallPriority } from "../port.ts";
import type { ScaleSetInstance } from "./instance.ts";
import { InstanceReader, type ReadInstances } from "./instance-reader.ts";

/** The required freshness of a list. */
export interface FreshnessOptions {
  /** The maximum age of a cached list. */
  readonly maxAgeMs: number;
  readonly location?: string;
  /** The expected number of instances, if the set has not been listed before. */
  readonly expected?: number;
  /** By default a sweep; a list that a decision waits for is more urgent. */
  readonly priority?: CallPriority;
}

/** A list with the time of its request. */
interface Snapshot {
  readonly atMs: number;
  readonly instances: readonly ScaleSetInstance[];
}

interface Entry {
  snapshot?: Snapshot;
  /** The last list, even if it no longer counts as fresh. */
  known?: ReadInstances;
  /** The cost of the last list, which is charged for the next one. */
  cost?: { readonly instances: number; readonly pages: number };
  flight?: { readonly startedMs: number; readonly result: Promise<Snapshot> };
}

// More scale sets than a subscription may have in a region; beyond it the least recently used one is dropped.
const MOST_SETS = 2500;

// The assumed number of instances on a page before the first list.
const USUAL_PAGE = 100;

/**
 * The instances of scale sets, one list for all callers: a list is charged one token for each instance, and the budget is
 * too small for a list by every controller.
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
    // A running list that started late enough contains everything that this caller must see.
    const flight = entry.flight && entry.flight.startedMs >= oldestMs ? entry.flight : undefined;
    return (await (flight?.result ?? this.#fly(scaleSetID, entry, options))).instances;
  }

  /** After a write to the set: earlier lists no longer count. */
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
      // This list was dropped, or a newer one has started.
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
    // Reinserted, it is the newest entry in the order of the map.
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    if (this.#entries.size > MOST_SETS) this.#entries.delete(this.#entries.keys().next().value ?? key);
    return entry;
  }
}
