import type { Clock } from "./clock.ts";
import type { Rng } from "./rng.ts";

/**
 * Everything a program may not take from the machine by itself: time, randomness, identities.
 * Production and simulation differ here and in the transports, and nowhere else.
 */
export interface Env {
  readonly clock: Clock;
  /** A random stream of its own for each name. */
  rng(stream: string): Rng;
  /** A fresh UUID. */
  uuid(): string;
}
