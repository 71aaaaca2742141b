import { createHash } from "node:crypto";
import type { Scheduler } from "@capstan/env";
import type { Happening, TraceEvent } from "./trace-event.ts";

/** Runs for each event, at the time of the event. */
export type TraceListener = (event: TraceEvent) => void;

const LONGEST_UNHASHED = 64 * 1024;

/** All events of a world and a hash over them: equal runs have the same hash. */
export class Trace {
  readonly #scheduler: () => Scheduler;
  readonly #hash = createHash("sha256");
  /** Text that is not hashed yet: hashing one line at a time would cost more than the hash itself. */
  #unhashed = "";
  #events: TraceEvent[] = [];
  readonly #listeners = new Set<TraceListener>();

  constructor(scheduler: () => Scheduler) {
    this.#scheduler = scheduler;
  }

  get events(): readonly TraceEvent[] {
    return this.#events;
  }

  /** The hash over all steps and events so far. */
  get hash(): string {
    this.#takeIn();
    return this.#hash.copy().digest("hex");
  }

  /** Records a scheduler step that is about to run. */
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

  /** Drops the events so far, for very long runs; the hash still covers them. */
  forget(): void {
    this.#events = [];
  }

  /** Calls the listener for each event from now on; the returned function removes it. */
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
