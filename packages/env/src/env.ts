import type { Clock } from "./clock.ts";
import type { Rng } from "./rng.ts";

/**
 * Everything that code may not take from the machine directly: time, randomness, ids. Production and simulation differ
 * here and in the transports, and nowhere else.
 */
export interface Env {
  readonly clock: Clock;
  /** Returns an independent random stream for each name. */
  rng(stream: string): Rng;
  /** A new UUID. */
  uuid(): string;
}
