import type { Azure } from "@capstan/azure-sim";
import type { Rng, VirtualProcess } from "@capstan/env";
import type { Client } from "@capstan/runtime";
import type { Guests } from "../guests/guests.ts";

/** What a fault has access to. */
export interface Reach {
  readonly azure: Azure;
  readonly guests: Guests;
  /** The running managers. */
  readonly managers: () => readonly VirtualProcess[];
  /** A client of the management cluster whose calls the invariants do not check. */
  readonly management: Client;
  /** The same for each workload cluster, by name. */
  readonly workloads: ReadonlyMap<string, Client>;
  /** A user edits an object; returns what changed, or undefined when there was no object to edit. */
  readonly edit: (rng: Rng) => Promise<string | undefined>;
  /** Runs an action later. */
  readonly later: (afterMs: number, act: () => Promise<void>) => void;
}
