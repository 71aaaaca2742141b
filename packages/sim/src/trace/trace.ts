import { createHash } from "node:crypto";
import type { Scheduler } from "@capstan/env";
import type { Happening, TraceEvent } from "./trace-event.ts";

/** Is told of everything that happens, at the moment it happens. */
export type TraceListener = (event: TraceEvent) => void;

const LONGEST_UNHASHED = 64 * 1024;

/** All that happened in a world, and a hash over it: two runs that did the same have the same hash. */
export class Trace {
  readonly #scheduler: () => Scheduler;
  readonly #hash = createHash("sha256");
  /** What the hash has not taken in yet: one text at a time would cost more than all of its hashing. */
  #unhashed = "";
  #events: TraceEvent[] = [];
  readonly #listeners = new Set<TraceListener>();

  constructor(scheduler: () => Scheduler) {
    this.#scheduler = scheduler;
  }

  get events(): readonly TraceEvent[] {
    return this.#events;
  }

  /** Over every step and every event so far. */
  get hash(): string {
    this.#takeIn();
    return this.#hash.copy().digest("hex");
  }

  /** A step of the scheduler is about to run. */
  stepped(monotonicMs: number, label: string): void {
    this.#note(`${monotonicMs} ${label}\n`);
  }

  record(actor: string, happening: Happening): void {
    const { monotonicMs: atMs, steps: step } = this.#scheduler();
    const event: TraceEvent = { atMs, step, actor, happening };
    this.#note(`${JSON.stringify(event)}\n`);
    this.#events.push(event);
    for (const listener of this.#listeners) listener(event);
  }

  /** Lets go of what happened so far, in runs that are too long to be kept; the hash is still that of everything. */
  forget(): void {
    this.#events = [];
  }

  /** Calls the listener for everything from now on; the result takes that back. */
  onEvent(listener: TraceListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  #note(line: string): void {
    this.#unhashed += line;
    if (this.#unhashed.length > LONGEST_UNHASHED) this.#takeIn();
  }

  #takeIn(): void {
    this.#hash.update(this.#unhashed);
    this.#unhashed = "";
  }
}
