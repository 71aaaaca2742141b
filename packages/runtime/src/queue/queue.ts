import type { Env, Rng, Timer } from "@capstan/env";
import { type BackoffLimits, backoffMs } from "../backoff.ts";
import { Fifo } from "./fifo.ts";

/** `now`: new or changed. `later`: added at the start or by a periodic resync, after all others. */
export type Priority = "now" | "later";

/** Observes the queue: for the workqueue_* metrics. */
export interface QueueObserver {
  added(depth: number): void;
  taken(waitedMs: number, depth: number): void;
  retried(): void;
}

export interface QueueOptions {
  readonly env: Env;
  readonly name: string;
  readonly observer?: QueueObserver;
}

// controller-runtime starts at 5 ms and ends at 1000 s; here the limit is 5 minutes, so that an operator does not wait
// longer for the effect of a repair.
const BACKOFF: BackoffLimits = { firstMs: 5, longestMs: 5 * 60_000 };

/** A place in one of the two lists. */
interface Place {
  readonly key: string;
  readonly priority: Priority;
  readonly sinceMs: number;
}

/**
 * The keys to reconcile. A key is in the queue at most once and has one worker at a time; a key that is added during its
 * pass is queued again when the pass is done. All operations take constant time.
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
  /** The end of the Retry-After for a key. */
  readonly #notBefore = new Map<string, number>();
  readonly #takers: ((key: string | undefined) => void)[] = [];
  #closed = false;

  constructor({ env, name, observer }: QueueOptions) {
    this.#env = env;
    this.#rng = env.rng(`queue/${name}`);
    this.#observer = observer;
  }

  /** Keys that can be taken now. */
  get depth(): number {
    return this.#waiting.size;
  }

  /** Keys with a worker. */
  get active(): number {
    return this.#working.size;
  }

  /** Adds the key; a key that already waits moves up but never down. */
  add(key: string, priority: Priority = "now"): void {
    if (this.#closed) return;
    const waitMs = this.#awayFor(key);
    if (waitMs > 0) this.addAfter(key, waitMs);
    else if (!this.#working.has(key)) this.#line(key, priority);
    else if (this.#again.get(key) !== "now") this.#again.set(key, priority);
  }

  /** Adds the key after a delay; of several delays for one key the soonest counts. */
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
   * Adds the key after a delay that doubles with each failure in a row, or after a longer Retry-After. Until the
   * Retry-After has passed, no other addition is earlier; but after the longest backoff, a change of the object counts again.
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

  /** Resets the failures in a row. */
  forget(key: string): void {
    this.#failures.delete(key);
  }

  /** The next key, as soon as one is available; undefined when the queue has been closed. */
  take(): Promise<string | undefined> {
    if (this.#closed) return Promise.resolve(undefined);
    const key = this.#next();
    if (key !== undefined) return Promise.resolve(key);
    return new Promise((resolve) => this.#takers.push(resolve));
  }

  /** The worker is done with the key; it is queued again if it was added meanwhile. */
  done(key: string): void {
    this.#working.delete(key);
    const priority = this.#again.get(key);
    this.#again.delete(key);
    if (priority !== undefined) this.add(key, priority);
  }

  /** Returns no more keys and cancels all timers. */
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
        // A key that moved up leaves its old place behind, which is ignored.
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
