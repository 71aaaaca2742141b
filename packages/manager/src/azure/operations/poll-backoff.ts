import type { Clock } from "@capstan/env";

/** For how long Azure wants to be left alone about what is under way; many things wake an object meanwhile. */
export class PollBackoff {
  readonly #clock: Clock;
  /** Monotonic, by what it is about. */
  readonly #untilMs = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** How long to wait before it is asked about again; 0 when it may be now. */
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
