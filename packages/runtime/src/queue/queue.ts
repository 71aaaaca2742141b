import type { Env, Rng, Timer } from "@capstan/env";
import { type BackoffLimits, backoffMs } from "../backoff.ts";
import { Fifo } from "./fifo.ts";

/** `now`: new or touched by somebody. `later`: seen at start or by a periodic resync; it waits for the others. */
export type Priority = "now" | "later";

/** Is told what happens in the queue: for the workqueue_* metrics. */
export interface QueueObserver {
  added(depth: number): void;
  taken(waitedMs: number, depth: number): void;
  retried(): void;
}

/** How a queue waits after failures. */
export interface QueueOptions {
  readonly env: Env;
  readonly name: string;
  readonly observer?: QueueObserver;
}

// controller-runtime starts at 5 ms and ends at 1000 s; we stop at 5 minutes, because an operator who
// has repaired something should not have to wait longer to see it work.
const BACKOFF: BackoffLimits = { firstMs: 5, longestMs: 5 * 60_000 };

/** A place in one of the two lines. */
interface Place {
  readonly key: string;
  readonly priority: Priority;
  readonly sinceMs: number;
}

/**
 * Keys that want to be worked on. A key is in the queue at most once and with one worker at a time;
 * what is added while it is being worked on comes back when that is done. Everything is constant
 * time, whatever the length.
 */
export class WorkQueue {
  readonly #env: Env;
  readonly #rng: Rng;
  readonly #observer: QueueObserver | undefined;
  readonly #waiting = new Map<string, Place>();
  readonly #lines: Readonly<Record<Priority, Fifo<Place>>> = { now: new Fifo(), later: new Fifo() };
  readonly #working = new Set<string>();
  readonly #again = new Map<string, Priority>();
  readonly #delayed = new Map<string, { readonly dueMs: number; readonly timer: Timer }>();
  readonly #failures = new Map<string, number>();
  /** Until when the other side has asked us to stay away from a key. */
  readonly #notBefore = new Map<string, number>();
  readonly #takers: ((key: string | undefined) => void)[] = [];
  #closed = false;

  constructor({ env, name, observer }: QueueOptions) {
    this.#env = env;
    this.#rng = env.rng(`queue/${name}`);
    this.#observer = observer;
  }

  /** Keys that could be taken right now. */
  get depth(): number {
    return this.#waiting.size;
  }

  /** Keys with a worker. */
  get active(): number {
    return this.#working.size;
  }

  /** Wants the key to be worked on; a key that waits already moves up but never down. */
  add(key: string, priority: Priority = "now"): void {
    if (this.#closed) return;
    const waitMs = this.#awayFor(key);
    if (waitMs > 0) this.addAfter(key, waitMs);
    else if (!this.#working.has(key)) this.#line(key, priority);
    else if (this.#again.get(key) !== "now") this.#again.set(key, priority);
  }

  /** Adds the key after a while; of several delays for one key the soonest counts. */
  addAfter(key: string, delayMs: number): void {
    if (this.#closed) return;
    const dueMs = this.#env.clock.monotonic() + delayMs;
    const pending = this.#delayed.get(key);
    if (pending) {
      if (pending.dueMs <= dueMs) return;
      pending.timer.cancel();
    }
    const timer = this.#env.clock.timer(delayMs, () => {
      this.#delayed.delete(key);
      this.add(key);
    });
    this.#delayed.set(key, { dueMs, timer });
  }

  /**
   * Adds the key after a delay that doubles with each failure in a row, or later if the other side asked for it. Then
   * nothing brings it back sooner; but after the longest delay somebody who touches it is heard again.
   */
  retry(key: string, atLeastMs = 0): void {
    const awayMs = Math.min(atLeastMs, BACKOFF.longestMs);
    if (awayMs > 0) this.#notBefore.set(key, this.#env.clock.monotonic() + awayMs);
    const failures = this.#failures.get(key) ?? 0;
    this.#failures.set(key, failures + 1);
    this.#observer?.retried();
    this.addAfter(key, Math.max(backoffMs(failures, BACKOFF, this.#rng), atLeastMs));
  }

  /** Failures in a row so far. */
  failuresOf(key: string): number {
    return this.#failures.get(key) ?? 0;
  }

  /** Ends a row of failures. */
  forget(key: string): void {
    this.#failures.delete(key);
  }

  /** The next key, as soon as there is one; undefined when the queue has been closed. */
  take(): Promise<string | undefined> {
    if (this.#closed) return Promise.resolve(undefined);
    const key = this.#next();
    if (key !== undefined) return Promise.resolve(key);
    return new Promise((resolve) => this.#takers.push(resolve));
  }

  /** The worker is done with the key; it goes back in line if it was added meanwhile. */
  done(key: string): void {
    this.#working.delete(key);
    const priority = this.#again.get(key);
    this.#again.delete(key);
    if (priority !== undefined) this.add(key, priority);
  }

  /** Hands out no more keys and forgets all timers. */
  close(): void {
    this.#closed = true;
    for (const { timer } of this.#delayed.values()) timer.cancel();
    this.#delayed.clear();
    for (const give of this.#takers.splice(0)) give(undefined);
  }

  #awayFor(key: string): number {
    const notBeforeMs = this.#notBefore.get(key);
    if (notBeforeMs === undefined) return 0;
    const leftMs = notBeforeMs - this.#env.clock.monotonic();
    if (leftMs <= 0) this.#notBefore.delete(key);
    return leftMs;
  }

  #line(key: string, priority: Priority): void {
    const waiting = this.#waiting.get(key);
    if (waiting && (waiting.priority === "now" || priority === "later")) return;
    const place = { key, priority, sinceMs: waiting?.sinceMs ?? this.#env.clock.monotonic() };
    this.#waiting.set(key, place);
    this.#lines[priority].push(place);
    if (!waiting) this.#observer?.added(this.#waiting.size);
    this.#handOver();
  }

  #next(): string | undefined {
    for (const priority of ["now", "later"] as const) {
      const line = this.#lines[priority];
      for (let place = line.shift(); place; place = line.shift()) {
        const { key, sinceMs } = place;
        // A key that moved up leaves its old place behind; that place never counts again.
        if (this.#waiting.get(key) !== place) continue;
        this.#waiting.delete(key);
        this.#working.add(key);
        this.#observer?.taken(this.#env.clock.monotonic() - sinceMs, this.#waiting.size);
        return key;
      }
    }
    return undefined;
  }

  #handOver(): void {
    const give = this.#takers.shift();
    if (!give) return;
    const key = this.#next();
    if (key === undefined) this.#takers.unshift(give);
    else give(key);
  }
}
