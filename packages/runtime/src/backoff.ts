import type { Rng } from "@capstan/env";

/** How long pauses are: the first one, and the longest they grow to. */
export interface BackoffLimits {
  readonly firstMs: number;
  readonly longestMs: number;
}

/**
 * The pause after so many failures in a row: it doubles with each up to the limit. Half of it is fixed, half
 * random, so that those who failed together do not all come back together.
 */
export function backoffMs(failures: number, { firstMs, longestMs }: BackoffLimits, rng: Rng): number {
  const ceilingMs = Math.min(firstMs * 2 ** failures, longestMs);
  return ceilingMs / 2 + (rng.next() * ceilingMs) / 2;
}
