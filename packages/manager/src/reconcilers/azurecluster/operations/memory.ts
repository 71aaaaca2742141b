import type { Clock } from "@capstan/env";
import { PollBackoff } from "@capstan/azure";
import type { JsonObject } from "@capstan/api";
import type { ObservedResource } from "./decide.ts";

/** A failure and the resource that it belongs to. */
export interface ResourceFailure {
  readonly resourceID: string;
  readonly error: Error;
}

/** An observed resource with the time of the read. */
export interface CachedReading extends ObservedResource {
  /** Monotonic. */
  readonly atMs: number;
  /** Read directly, and not from a list, which may be some seconds old. */
  readonly isLiveRead: boolean;
}

/** The cached state of one cluster; all of it can be read again. */
export class ClusterMemory {
  /** By normalized id. */
  readonly seen = new Map<string, CachedReading>();
  /** The sent bodies of running operations, by normalized id. */
  readonly sent = new Map<string, JsonObject>();
  /** Of operations, by the normalized id of their resource. */
  readonly pollBackoff: PollBackoff;
  /** The resources that Azure refused, with the error, by normalized id. */
  readonly refused = new Map<string, ResourceFailure>();
  /** The generation of the spec that was refused. */
  generation = 0;
  /** Since when, monotonic, no resource of a cluster in deletion has been visible. */
  emptySinceMs: number | undefined;

  constructor(clock: Clock) {
    this.pollBackoff = new PollBackoff(clock);
  }
}

/** The cached state of all clusters, so that a pass reads only what has changed or is old. */
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
