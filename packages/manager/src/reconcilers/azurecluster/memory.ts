import type { Clock } from "@capstan/env";
import { PollBackoff } from "../../azure/operations/poll-backoff.ts";
import type { JsonObject } from "../../azure/port.ts";
import type { ObservedResource } from "./decide.ts";

/** A failure with the resource that it is about. */
export interface ResourceFailure {
  readonly resourceID: string;
  readonly error: Error;
}

/** A sighting with its age. */
export interface CachedReading extends ObservedResource {
  /** Monotonic. */
  readonly atMs: number;
  /** Read for itself, and not found in a list, which may be a little behind. */
  readonly isLiveRead: boolean;
}

/** What this process knows of one cluster; everything in it can be read again. */
export class ClusterMemory {
  /** By folded id. */
  readonly seen = new Map<string, CachedReading>();
  /** The bodies that were sent and whose operations are under way, by folded id. */
  readonly sent = new Map<string, JsonObject>();
  /** Of operations, by the folded id of their resource. */
  readonly pollBackoff: PollBackoff;
  /** What Azure refused and how it was told, by folded id. */
  readonly refused = new Map<string, ResourceFailure>();
  /** The generation of the spec that was refused. */
  generation = 0;
  /** Since when, monotonic, a cluster that is deleted has looked as if nothing were left of it. */
  emptySinceMs: number | undefined;

  constructor(clock: Clock) {
    this.pollBackoff = new PollBackoff(clock);
  }
}

/** What this process knows of all clusters, so that a pass asks Azure only what has changed or is old. */
export class Memory {
  readonly #clock: Clock;
  readonly #clusters = new Map<string, ClusterMemory>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  of(uid: string): ClusterMemory {
    const known = this.#clusters.get(uid);
    if (known) return known;
    const fresh = new ClusterMemory(this.#clock);
    this.#clusters.set(uid, fresh);
    return fresh;
  }

  forget(uid: string): void {
    this.#clusters.delete(uid);
  }
}
