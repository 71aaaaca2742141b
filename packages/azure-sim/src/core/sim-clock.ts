import type { Clock } from "@capstan/env";

/** The time of the simulated cloud: as fast as its callers' or faster, and ahead of it by what was skipped. */
export class SimClock {
  readonly #clock: Clock;
  #simMs: number;
  #sinceMs: number;
  #speed: number;

  constructor(clock: Clock, start: { readonly simMs: number; readonly speed: number }) {
    this.#clock = clock;
    this.#simMs = start.simMs;
    this.#sinceMs = clock.monotonic();
    this.#speed = start.speed;
  }

  get speed(): number {
    return this.#speed;
  }

  /** Whole milliseconds since the epoch. */
  now(): number {
    return Math.floor(this.#simMs + (this.#clock.monotonic() - this.#sinceMs) * this.#speed);
  }

  /** Skips so much simulated time. */
  advance(byMs: number): void {
    this.#simMs += byMs;
  }

  setSpeed(speed: number): void {
    this.#simMs = this.now();
    this.#sinceMs = this.#clock.monotonic();
    this.#speed = speed;
  }

  /** How long simulated milliseconds take for the callers. */
  realMs(simMs: number): number {
    return Math.max(0, simMs / this.#speed);
  }
}
