import type { Clock } from "@capstan/env";

/** When each operation may be polled again, however often its object is enqueued meanwhile. */
export class PollBackoff {
  readonly #clock: Clock;
  /** Monotonic times, by operation URL. */
  readonly #untilMs = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** How many operations are followed. */
  get size(): number {
    return this.#untilMs.size;
  }

  /** How long to wait before the next poll; 0 if it is due. */
  leftMs(what: string | undefined): number {
    return Math.max(0, (this.#untilMs.get(what ?? "") ?? 0) - this.#clock.monotonic());
  }

  /** An operation without a URL cannot be polled. */
  begin(what: string | undefined, forMs: number): void {
    if (what !== undefined) this.#untilMs.set(what, this.#clock.monotonic() + forMs);
  }

  end(what: string): void {
    this.#untilMs.delete(what);
  }
}
