import type { Rng } from "@capstan/env";

/** The first and the longest pause. */
export interface BackoffLimits {
  readonly firstMs: number;
  readonly longestMs: number;
}

/**
 * The pause after a number of failures in a row: it doubles with each up to the limit. Half of it is fixed, half random,
 * so that callers that failed together do not retry together.
 */
export function backoffMs(failures: number, { firstMs, longestMs }: BackoffLimits, rng: Rng): number {
  const ceilingMs = Math.min(firstMs * 2 ** failures, longestMs);
  return ceilingMs / 2 + (rng.next() * ceilingMs) / 2;
}
