import type { Azure } from "@capstan/azure-sim";
import type { Rng, VirtualProcess } from "@capstan/env";
import type { Client } from "@capstan/runtime";
import type { Guests } from "../guests/guests.ts";

/** What a fault can lay its hands on. */
export interface Reach {
  readonly azure: Azure;
  readonly guests: Guests;
  /** The managers that run at the moment. */
  readonly managers: () => readonly VirtualProcess[];
  /** A client of the management cluster that belongs to nobody the invariants look at. */
  readonly management: Client;
  /** The same for each workload cluster, by name. */
  readonly workloads: ReadonlyMap<string, Client>;
  /** A user changes something in the middle; says what, or nothing when there was nothing to change. */
  readonly edit: (rng: Rng) => Promise<string | undefined>;
  /** Does something later. */
  readonly later: (afterMs: number, act: () => Promise<void>) => void;
}
