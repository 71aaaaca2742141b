const MINUTE_MS = 60_000;
const FIRST_MS = 10 * MINUTE_MS;
/** After so many failures in a row, renewals are tried once an interval. */
export const BREAKER_AFTER = 3;

/** How long no renewal begins after so many failures in a row: each of them has drained a node. */
export function backoffMs(failures: number, intervalMs: number): number {
  if (failures >= BREAKER_AFTER) return intervalMs;
  return Math.min(intervalMs, FIRST_MS * 2 ** Math.max(0, failures - 1));
}
